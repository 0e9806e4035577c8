package api_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
)

func TestAdministration(t *testing.T) {
	shared(t, []part{
		{"an administrator manages accounts", anAdministratorManagesAccounts},
		{"an administrator keeps the own account", anAdministratorKeepsTheOwnAccount},
		{"a quota is checked", theQuotaOfAnAccountIsChecked},
		{"accounts that do not exist", accountsThatDoNotExist},
	})
}

// managed returns a user as an administrator sees them.
func (w *world) managed(admin *client.Client, name string) parley.Account {
	w.Helper()
	out, err := admin.Users(w.Context(), w.address(name), parley.Page{})
	w.must(err)
	if out.Total != 1 || len(out.Users) != 1 {
		w.Fatalf("%s is %+v", name, out)
	}
	return out.Users[0]
}

// tryLogin logs in and returns the client.
func (w *world) tryLogin(name, password string) (*client.Client, error) {
	w.Helper()
	c := w.guest()
	_, err := c.Login(w.Context(), parley.LoginInput{Email: w.address(name), Password: password})
	return c, err
}

func anAdministratorManagesAccounts(w *world) {
	ctx := w.Context()
	admin, bob := w.admin("admin"), w.user("bob")
	session := w.session(bob, "Private plans")
	w.say(bob, session, "A private question")
	_, err := bob.Upload(ctx, session, "private.txt", strings.NewReader("private text"))
	w.must(err)
	shown := w.managed(admin, "BOB")
	id := w.id(bob)
	if shown.UserID != id || shown.Email != w.address("bob") || shown.Sessions != 1 || shown.Storage == 0 ||
		shown.Usage.Messages != 1 || shown.LastSeenAt == 0 || shown.Admin || shown.Disabled || shown.Quota != "" {
		w.Errorf("he is %+v", shown)
	}

	w.must(admin.DisableUser(ctx, id))
	_, err = bob.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	_, err = w.tryLogin("bob", "password of bob")
	w.wants(err, parley.CodeInvalidParameter, 403)
	if !w.managed(admin, "bob").Disabled {
		w.Error("he is not shown as disabled")
	}
	w.must(admin.EnableUser(ctx, id))
	bob, err = w.tryLogin("bob", "password of bob")
	w.must(err)

	reset, err := admin.ResetUserPassword(ctx, id)
	w.must(err)
	_, err = bob.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	bob, err = w.tryLogin("bob", reset.Password)
	w.must(err)

	w.must(admin.PromoteUser(ctx, id))
	info, err := bob.User(ctx)
	if err != nil || !info.Admin || info.Claimable || !w.managed(bob, "admin").Admin {
		w.Errorf("promoted, he is %+v, %v", info, err)
	}
	if again, err := bob.Login(ctx, parley.LoginInput{Email: w.address("bob"), Password: reset.Password}); err != nil ||
		!again.User.Admin {
		w.Errorf("he logs in as %+v, %v", again.User, err)
	}
	w.must(admin.DemoteUser(ctx, id))
	_, err = bob.Users(ctx, "", parley.Page{})
	w.wants(err, parley.CodeInvalidParameter, 404)

	w.must(admin.RemoveUser(ctx, id))
	_, err = bob.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	_, err = w.tryLogin("bob", reset.Password)
	w.wants(err, parley.CodeNoSuchUser, 404)
}

func anAdministratorKeepsTheOwnAccount(w *world) {
	ctx := w.Context()
	admin := w.admin("admin")
	id := w.id(admin)
	for _, do := range []func() error{
		func() error { return admin.DisableUser(ctx, id) },
		func() error {
			_, err := admin.ResetUserPassword(ctx, id)
			return err
		},
		func() error { return admin.DemoteUser(ctx, id) },
		func() error { return admin.RemoveUser(ctx, id) },
	} {
		w.wants(do(), parley.CodeInvalidParameter, 400)
	}
	if me := w.managed(admin, "admin"); !me.Admin || me.Disabled {
		w.Errorf("she is %+v", me)
	}
}

func theQuotaOfAnAccountIsChecked(w *world) {
	ctx := w.Context()
	admin, bob := w.admin("admin"), w.user("bob")
	id, session := w.id(bob), w.session(bob, "")
	set := func(quota string) error { return admin.SetUserQuota(ctx, id, parley.QuotaInput{Quota: quota}) }
	w.must(set("messages=1/d"))
	w.say(bob, session, "One")
	_, err := bob.Send(ctx, parley.SendInput{SessionID: session, Content: "Two"})
	w.wants(err, parley.CodeTooManyAttempts, 429)
	for _, wrong := range []string{"many", "messages=0/d", "messages=1/h", "messages=1/d,messages=2/d"} {
		w.wants(set(wrong), parley.CodeInvalidParameter, 400)
	}
	if quota := w.managed(admin, "bob").Quota; quota != "messages=1/d" {
		w.Errorf("his quota is %q", quota)
	}
	w.must(set(parley.QuotaNone))
	w.say(bob, session, "Two")
	w.must(set(parley.QuotaDefault))
	if quota := w.managed(admin, "bob").Quota; quota != "" {
		w.Errorf("his quota is %q", quota)
	}
}

func accountsThatDoNotExist(w *world) {
	ctx := w.Context()
	admin := w.admin("admin")
	_, reset := admin.ResetUserPassword(ctx, 999_999)
	for _, err := range []error{
		admin.DisableUser(ctx, 999_999), admin.EnableUser(ctx, 999_999), admin.PromoteUser(ctx, 999_999),
		admin.DemoteUser(ctx, 999_999), admin.RemoveUser(ctx, 999_999), reset,
		admin.SetUserQuota(ctx, 999_999, parley.QuotaInput{Quota: "none"}),
	} {
		w.wants(err, parley.CodeNoSuchUser, 404)
	}
}

// TestTheFirstAdministratorClaimsTheServer also restarts the server, which creates a new code.
func TestTheFirstAdministratorClaimsTheServer(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada, bob := w.user("ada"), w.user("bob")
		claim := func(c *client.Client, code string) error {
			_, err := c.Claim(ctx, parley.ClaimInput{Code: code})
			return err
		}
		if info, err := ada.User(ctx); err != nil || !info.Claimable || info.Admin {
			w.Errorf("she is %+v, %v", info, err)
		}
		w.wants(claim(ada, "guessed"), parley.CodeWrongPassword, 401)
		w.wants(claim(w.guest(), w.Claim), parley.CodeBadToken, 401)
		_, key := w.key(ada, parley.ScopeChat)
		w.wants(claim(key, w.Claim), parley.CodeInvalidParameter, 404)
		before := w.Claim
		w.restart()
		ada, bob = w.again(ada), w.again(bob)
		if before == w.Claim || w.Claim == "" {
			w.Fatalf("the codes are %q and %q", before, w.Claim)
		}
		w.wants(claim(ada, before), parley.CodeWrongPassword, 401)
		info, err := ada.Claim(ctx, parley.ClaimInput{Code: w.Claim})
		if err != nil || !info.Admin || info.Claimable || info.Email != w.address("ada") {
			w.Errorf("she is %+v, %v", info, err)
		}
		w.wants(claim(bob, w.Claim), parley.CodeWrongPassword, 401)
		if info, err := bob.User(ctx); err != nil || info.Claimable || info.Admin {
			w.Errorf("he is %+v, %v", info, err)
		}
		w.restart()
		if w.Claim != "" {
			w.Errorf("a server with an administrator has the code %q", w.Claim)
		}
	})
}

// TestReplicasKnowTheAdministrators claims the server on one replica and manages accounts on both.
func TestReplicasKnowTheAdministrators(t *testing.T) {
	a, b := replicas(t)
	ctx := a.Context()
	if a.Claim == "" || b.Claim != "" {
		t.Fatalf("the codes are %q and %q", a.Claim, b.Claim)
	}
	ada, bob := b.user("ada"), a.user("bob")
	users := []*client.Client{ada, b.again(bob)}
	errs := make([]error, len(users))
	var both sync.WaitGroup
	for i, user := range users {
		both.Go(func() { _, errs[i] = user.Claim(ctx, parley.ClaimInput{Code: a.Claim}) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("both or neither claimed the server: %v", errs)
	}
	if errs[0] != nil {
		ada, bob = b.again(bob), a.again(ada)
	}
	for { // until the signal has arrived
		info, err := bob.User(ctx)
		a.must(err)
		if !info.Claimable {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	id := a.id(bob)
	a.must(ada.PromoteUser(ctx, id))
	_, err := bob.Users(ctx, "", parley.Page{})
	a.must(err)
	a.must(ada.DemoteUser(ctx, id))
	_, err = bob.Users(ctx, "", parley.Page{})
	a.wants(err, parley.CodeInvalidParameter, 404)
	a.must(ada.DisableUser(ctx, id))
	_, err = bob.User(ctx)
	a.wants(err, parley.CodeBadToken, 401)
}

func TestACodeExpiresByTheClock(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		w.clock.forward(time.Hour)
		_, err := ada.Claim(w.Context(), parley.ClaimInput{Code: w.Claim})
		w.wants(err, parley.CodeWrongPassword, 401)
	})
}
