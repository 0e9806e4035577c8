package extract

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley"
)

func TestSafeName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"timetable.md", "timetable.md"},
		{"渡轮 时刻表.md", "渡轮 时刻表.md"},
		{"O'Brien (final), v2.txt", "O'Brien (final), v2.txt"},
		{"../../etc/passwd", "passwd"},
		{`..\..\windows\system.ini`, "system.ini"},
		{`C:\Users\ada\notes.txt`, "notes.txt"},
		{"C:notes.txt", "notes.txt"},
		{"/", "file"},
		{"folder/", "file"},
		{"", "file"},
		{" ", "file"},
		{".", "file"},
		{"..", "file"},
		{"\u202e", "file"},
		{".bashrc", "bashrc"},
		{"notes.txt. .", "notes.txt"},
		{"CON", "_CON"},
		{"con.txt", "_con.txt"},
		{"Aux .md", "_Aux .md"},
		{"COM1.txt", "_COM1.txt"},
		{"lpt¹", "_lpt¹"},
		{"CONIN$", "_CONIN$"},
		{"COM", "COM"},
		{"COM10.txt", "COM10.txt"},
		{"console.txt", "console.txt"},
		{"a\r\nSet-Cookie: x=1.txt", "aSet-Cookie_ x=1.txt"},
		{`a".txt"; x="`, "a_.txt_; x=_"},
		{"<img src=x>.md", "_img src=x_.md"},
		{"a\x00b\x7f.txt", "ab.txt"},
		{"a\u202etxt.exe", "atxt.exe"},
		{"a\u2066b\u2069\u200f.md", "ab.md"},
		{"a\u2028b.md", "ab.md"},
		{"a\u00a0\u3000b.md", "a  b.md"},
		{"e\u0301t\u00e9.md", "été.md"},
		{"bad\xff.txt", "bad.txt"},
		{"notes.txt:stream", "notes.txt_stream"},
		{strings.Repeat("a", 300) + ".md", strings.Repeat("a", 252) + ".md"},
		{strings.Repeat("渡", 300) + ".markdown", strings.Repeat("渡", 82) + ".markdown"},
		{strings.Repeat("a", 300), strings.Repeat("a", 255)},
		{"a." + strings.Repeat("b", 300), "a." + strings.Repeat("b", 253)},
	}
	for _, tt := range tests {
		if got := SafeName(tt.name); got != tt.want {
			t.Errorf("%.40q: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{
		"timetable.md", "../../etc/passwd", `C:\CON`, "a\r\n.txt", "\u202e", strings.Repeat("渡", 100) + ".md", "K:\u212a. .",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := SafeName(name)
		if got == "" || len(got) > parley.MaxFilename || !utf8.ValidString(got) || reserved(got) || got != trim(got) {
			t.Errorf("%q: got %q", name, got)
		}
		if strings.ContainsAny(got, `/\<>:"|?*`) || strings.ContainsFunc(got, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
		}) {
			t.Errorf("%q: got %q", name, got)
		}
		if again := SafeName(got); again != got {
			t.Errorf("%q: got %q, then %q", name, got, again)
		}
	})
}
