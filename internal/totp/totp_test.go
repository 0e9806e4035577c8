package totp

import (
	"encoding/base32"
	"net/url"
	"testing"
	"time"
)

// The secret of the test vectors in appendix B of RFC 6238. Its codes have eight digits: ours are the last six.
var rfcSecret = base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))

func TestCodesAreThoseOfTheRFC(t *testing.T) {
	for at, want := range map[int64]string{
		59:             "287082",
		1_111_111_109:  "081804",
		1_111_111_111:  "050471",
		1_234_567_890:  "005924",
		2_000_000_000:  "279037",
		20_000_000_000: "353130",
	} {
		got, err := Code(rfcSecret, Step(time.Unix(at, 0)))
		if err != nil || got != want {
			t.Errorf("at %d the code is %q, %v; want %q", at, got, err, want)
		}
	}
}

func TestAClockMayDifferByOneStep(t *testing.T) {
	now := time.Unix(1_767_225_615, 0)
	code, err := Code(rfcSecret, Step(now))
	if err != nil {
		t.Fatal(err)
	}
	for steps, want := range map[int]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		step, found, err := Match(rfcSecret, code, now.Add(time.Duration(steps)*Period))
		if err != nil || found != want || found && step != Step(now) {
			t.Errorf("%d steps later: %d, %t, %v", steps, step, found, err)
		}
	}
	for _, wrong := range []string{"", code[:5], code + "0", "٠١٢٣٤٥"} {
		if _, found, err := Match(rfcSecret, wrong, now); found || err != nil {
			t.Errorf("%q: %t, %v", wrong, found, err)
		}
	}
}

func TestSecretsAreRandomAndReadable(t *testing.T) {
	first, second := NewSecret(), NewSecret()
	if len(first) != 32 || first == second {
		t.Errorf("got %q and %q", first, second)
	}
	if _, err := Code(first, 1); err != nil {
		t.Error(err)
	}
	if _, _, err := Match("not Base32!", "123456", time.Unix(0, 0)); err == nil {
		t.Error("a broken secret is accepted")
	}
}

func TestTheAddressNamesTheAccount(t *testing.T) {
	u, err := url.Parse(URI("Parley", "ada+x@example.com", "ABC"))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Parley:ada+x@example.com" || q.Get("secret") != "ABC" ||
		q.Get("issuer") != "Parley" || q.Get("digits") != "6" || q.Get("period") != "30" || q.Get("algorithm") != "SHA1" {
		t.Errorf("got %s", u)
	}
}
