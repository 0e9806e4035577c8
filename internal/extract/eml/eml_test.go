package eml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func parse(t *testing.T, message string) *Part {
	t.Helper()
	part, err := Parse([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	return part
}

func TestHeadersAreReadAsProgramsWriteThem(t *testing.T) {
	part := parse(t, "From: =?gb2312?B?1cXI/Q==?= <zhang@example.com>\r\nX-Spam : no\r\nTo: Ada,\r\n\tBob\r\n"+
		"Subject: =?hz-gb-2312?Q?~{VPND~}?= =?utf-7?Q?+biE-?=\r\nnot a field\r\nBad name: x\r\nsubject: second\r\n more\r\n"+
		"Cc: =?x-none?Q?a?=\r\nEmpty:\r\n\r\nText: body")
	for name, want := range map[string]string{
		"From": "张三 <zhang@example.com>", "X-Spam": "no", "To": "Ada, Bob", "Subject": "中文渡 not a field Bad name: x",
		"Cc": "=?x-none?Q?a?=", "Empty": "", "Text": "",
	} {
		if got := part.Header.Get(name); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if string(part.Content) != "Text: body" || part.Type != "text/plain" {
		t.Errorf("got %q, %q", part.Content, part.Type)
	}
}

func TestValuesAreReadAsProgramsWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		`attachment; filename="a b.pdf"`:                           "a b.pdf",
		`attachment; filename=a b.pdf; size=1`:                     "a b.pdf",
		`attachment; filename="a \"b\".pdf"`:                       `a "b".pdf`,
		`attachment; filename="a;b.pdf"`:                           "a;b.pdf",
		`attachment; filename="a.pdf`:                              "a.pdf",
		`attachment filename=a.pdf`:                                "a.pdf",
		`filename=a.pdf`:                                           "a.pdf",
		`attachment; filename="=?gb2312?B?1cXI/Q==?=.pdf"`:         "张三.pdf",
		`attachment; filename="=?gb2312?B?5byg5LiJ5p2O5Zub?=.pdf"`: "张三李四.pdf",
		`attachment; filename*=gb2312'zh'%D5%C5%C8%FD.pdf`:         "张三.pdf",
		`a; filename=x; filename*=UTF-8''%E5%BC%A0.pdf`:            "张.pdf",
		`a; filename*1=".pdf"; filename*0*=utf-8''%E5%BC%A0`:       "张.pdf",
		`a; filename*0="long "; filename*1="name"`:                 "long name",
		`a; filename=first; filename=second`:                       "first",
		`a; =; ;;`:                                                 "",
		``:                                                         "",
	} {
		part := parse(t, "Content-Disposition: "+text+"\n\n")
		if part.FileName != want {
			t.Errorf("%s: got %q", text, part.FileName)
		}
	}
	for text, want := range map[string]string{
		"": "text/plain", "text": "text/plain", "TEXT/HTML; charset=x": "text/html", "text/plain charset=x": "text/plain",
		"pdf": "application/octet-stream", "text/plain>": "text/plain", "a/b/c": "a/b",
		"name=a.pdf": "application/octet-stream",
	} {
		if got := parse(t, "Content-Type: "+text+"\n\n").Type; got != want {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

func TestPartsEndAtTheirBoundary(t *testing.T) {
	const message = "Content-Type: multipart/mixed; boundary=\"out er\"\n\npreamble\n--out er \r\n" +
		"Content-Type: multipart/related; boundary=in\n\n--in\n\none\n--inside is no boundary\r\n--in\n\ntwo\n" +
		// without its end
		"--out er\nno header\n--out er\n\n--out er--\nepilogue\n--out er\n\nmore"
	var got []string
	for _, part := range parse(t, message).Leaves() {
		got = append(got, string(part.Content))
	}
	if text := strings.Join(got, "|"); text != "one\n--inside is no boundary|two|no header|" {
		t.Errorf("got %q", text)
	}
	if part := parse(t, "Content-Type: multipart/mixed; boundary=b\n\nno parts"); string(part.Content) != "no parts" {
		t.Errorf("got %q", part.Content)
	}
	if part := parse(t, "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nno end"); len(part.Parts) != 1 {
		t.Errorf("got %d parts", len(part.Parts))
	}
}

func TestTransferEncodingsAreRemoved(t *testing.T) {
	for encoded, want := range map[string]string{
		"base64\n\nSGVs\r\nbG8=":                            "Hello",
		"Base64\n\nSGVs!bG8":                                "Hello",
		"base64\n\nSGVsbG8hI":                               "Hello!",
		"base64\n\nAt nine, said Ada.\n":                    "At nine, said Ada.\n",
		"quoted-printable\n\ncaf=C3=A9 =\r\nat nine  \r\n=": "café at nine\r\n",
		"quoted-printable\n\n=ZZ = 1=2":                     "=ZZ = 1=2",
		"8bit\n\n=41":                                       "=41",
		"x-unknown\n\n=41":                                  "=41",
	} {
		if got := parse(t, "Content-Transfer-Encoding: "+encoded).Content; string(got) != want {
			t.Errorf("%q: got %q", encoded, got)
		}
	}
}

func TestTheEncodingOfATextIsTheDeclaredOne(t *testing.T) {
	for charset, bytes := range map[string]string{
		"gb2312": "\xb6\xc9", "cp936": "\xb6\xc9", `"charset=GBK"`: "\xb6\xc9", "big5": "\xb4\xe7",
		"utf-7": "+biE-", "utf8": "渡",
	} {
		part := parse(t, "Content-Type: text/plain; charset="+charset+"\n\n"+bytes)
		if part.Encoding == nil {
			t.Errorf("%s is not known", charset)
			continue
		}
		if text, err := part.Encoding.NewDecoder().String(string(part.Content)); err != nil || text != "渡" {
			t.Errorf("%s: got %q, %v", charset, text, err)
		}
	}
	for _, other := range []string{
		"text/plain", "text/plain; charset=us-ascii", "text/plain; charset=iso-2022-cn", "a/b; charset=gbk",
	} {
		if part := parse(t, "Content-Type: "+other+"\n\n"); part.Encoding != nil {
			t.Errorf("%s declares %v", other, part.Encoding)
		}
	}
	if got := string(decodeUTF7([]byte("1 +- 2 +biE +biE-+"))); got != "1 + 2 渡 渡+" {
		t.Errorf("got %q", got)
	}
}

func TestPartsAreLimited(t *testing.T) {
	var nested strings.Builder
	for i := range maxDepth + 1 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%d.\n\n--b%[1]d.\n", i)
	}
	const many = "Content-Type: multipart/mixed; boundary=a\n\n"
	for _, message := range []string{nested.String(), many + strings.Repeat("--a\n", maxParts+2)} {
		if _, err := Parse([]byte(message)); !errors.Is(err, ErrTooManyParts) {
			t.Errorf("got %v", err)
		}
	}
	if part := parse(t, many+strings.Repeat("--a\n", maxParts)); len(part.Parts) != maxParts {
		t.Errorf("got %d parts", len(part.Parts))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("From: =?gb2312?B?1cXI/Q==?=\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\n" +
		"Content-Type: text/plain; charset=utf-7; name*0*=utf-8''%E5; name*1=\"a\\\"\"\n\n+biE-\n--b\n" +
		"Content-Transfer-Encoding: base64\n\nSGVsbG8=\n--b\nContent-Transfer-Encoding: quoted-printable\n\n=41=\n--b--"))
	f.Fuzz(func(t *testing.T, message []byte) {
		part, err := Parse(message)
		if err != nil {
			return
		}
		size := 0
		for _, leaf := range part.Leaves() {
			size += len(leaf.Content)
		}
		if size > 3*len(message)+3 { // UTF-7 grows from two signs to three bytes
			t.Errorf("%d bytes of content in %d", size, len(message))
		}
	})
}
