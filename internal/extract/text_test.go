package extract

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"parley"
)

const noLimit = 1 << 30

func text(t *testing.T, content string) string {
	t.Helper()
	var b strings.Builder
	if err := Text(&b, strings.NewReader(content), "text/plain", noLimit); err != nil {
		t.Fatalf("%.40q: %v", content, err)
	}
	return b.String()
}

func TestTextIsReadInItsOwnEncoding(t *testing.T) {
	const (
		simplified  = "前往卡普里岛的第一班渡轮早上九点出发，票价二十三欧元。"
		traditional = "前往卡布里島的第一班渡輪早上九點出發，票價二十三歐元。"
		nippon      = "カプリ島行きの最初のフェリーは午前九時に出発します。"
		hangul      = "카프리로 가는 첫 번째 페리는 오전 아홉 시에 출발합니다."
		russian     = "Первый паром на Капри отправляется в девять часов утра."
		french      = "Le café est à côté de l'église, près de la forêt."
	)
	tests := []struct {
		name    string
		charset encoding.Encoding
		text    string
	}{
		{"utf-8", encoding.Nop, simplified + nippon + "🛳"},
		{"utf-8 with mark", unicode.UTF8BOM, simplified},
		{"utf-16 little", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), simplified + "🛳"},
		{"utf-16 big", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), simplified + "🛳"},
		{"gbk", simplifiedchinese.GBK, simplified},
		{"gb18030", simplifiedchinese.GB18030, simplified + "🛳㐀"},
		{"gbk, two characters", simplifiedchinese.GBK, "你好"},
		{"gbk, a line", simplifiedchinese.GBK, "渡轮时刻表"},
		{"gbk, a table", simplifiedchinese.GBK, "姓名,年龄,城市\n张三,25,北京\n"},
		{"gbk far into ascii", simplifiedchinese.GBK, strings.Repeat("The ferry leaves at nine.\n", 9000) + simplified},
		{"big5", traditionalchinese.Big5, traditional},
		{"shift-jis", japanese.ShiftJIS, nippon},
		{"euc-jp", japanese.EUCJP, nippon},
		{"euc-kr", korean.EUCKR, hangul},
		{"windows-1251", charmap.Windows1251, russian},
		{"windows-1252", charmap.Windows1252, french},
		{"windows-1252, a word", charmap.Windows1252, "café"},
		{"ascii", encoding.Nop, "The ferry leaves at nine."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			encoded, err := tt.charset.NewEncoder().String(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, encoded); got != tt.text {
				t.Errorf("got %.80q, want %.80q", got, tt.text)
			}
		})
	}
}

func TestDamagedUTF8IsStillUTF8(t *testing.T) {
	whole := strings.Repeat("渡轮早上九点出发。\n", 20_000)
	for name, content := range map[string]string{
		"cut within the last character": whole[:len(whole)-2],
		"short and cut":                 "渡轮早上九点出发"[:23],
		"one broken byte":               whole[:9] + "\xff" + whole[9:],
	} {
		got := text(t, content)
		if !utf8.ValidString(got) || !strings.HasPrefix(got, "渡轮早上九点出") || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("%s: got %.60q", name, got)
		}
	}
}

func TestTextIsCleaned(t *testing.T) {
	for content, want := range map[string]string{
		"a\r\nb\rc\nd\r\r\ne":                   "a\nb\nc\nd\n\ne",
		"a\tb\fc\vd\u0085e\u2028f\u2029g":       "a\tb\nc\nd\ne\nf\ng",
		"nul \x00 and bell \x07 in some text":   "nul  and bell  in some text",
		"\ufeffmark \ufeffinside":               "mark inside",
		"\x1b[31mred\x1b[0m":                    "[31mred[0m",
		"zero\u200bwidth, e\u0301 and 👩‍👩‍👧":    "zero\u200bwidth, e\u0301 and 👩‍👩‍👧",
		"  leading and trailing space stays \n": "  leading and trailing space stays \n",
	} {
		if got := text(t, content); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func TestEmptyTextIsUnreadable(t *testing.T) {
	for _, content := range []string{"", " ", "\r\n\t\n", "\ufeff", "\xff\xfe", "\u3000\u200b\n"} {
		err := Text(io.Discard, strings.NewReader(content), "text/markdown", noLimit)
		var e *parley.Error
		if !errors.Is(err, parley.ErrFileUnreadable) || !errors.As(err, &e) || !strings.Contains(e.Message, "empty") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestNoiseIsNoText(t *testing.T) {
	for _, content := range []string{noise(40), noise(100_000), "\x00\x01\x02\x03", "\xff\xfe" + strings.Repeat("\x00\xd8", 9)} {
		err := Text(io.Discard, strings.NewReader(content), "text/plain", noLimit)
		if !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%.20q: %v", content, err)
		}
	}
}

func TestTextStopsAtItsLimit(t *testing.T) {
	if err := Text(io.Discard, strings.NewReader("渡轮"), "text/plain", 6); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	err := Text(io.Discard, strings.NewReader("渡轮"), "text/plain", 5)
	if !errors.Is(err, parley.ErrFileUnreadable) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestFailingReaderAndWriterAreNotTheDocumentsFault(t *testing.T) {
	broken := errors.New("disk on fire")
	var e *parley.Error
	r := struct {
		io.Reader
		io.Seeker
	}{iotest.ErrReader(broken), strings.NewReader("")}
	if err := Text(io.Discard, r, "text/plain", noLimit); !errors.Is(err, broken) || errors.As(err, &e) {
		t.Errorf("reader: %v", err)
	}
	_, w := io.Pipe()
	w.CloseWithError(broken)
	if err := Text(w, strings.NewReader("hi"), "text/plain", noLimit); err == nil || errors.As(err, &e) {
		t.Errorf("writer: %v", err)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"The ferry leaves at nine.\r\n", "渡轮", "\xc4\xe3\xba\xc3", "\xff\xfeh\x00i\x00", "\xfe\xff\xd8\x00", "\xef\xbb\xbfhi",
		"caf\xe9", "\x83\x65\x83\x58", "a\x00b", noise(200),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var b strings.Builder
		err := Text(&b, strings.NewReader(string(content)), "text/plain", noLimit)
		var e *parley.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("got %v", err)
		}
		got := b.String()
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\ufffd") {
			t.Errorf("got %q", got)
		}
		if err == nil && strings.TrimSpace(got) == "" {
			t.Error("blank, and no error")
		}
	})
}

func BenchmarkText(b *testing.B) {
	content := strings.Repeat("第一班渡轮早上九点出发. The ferry leaves at nine.\n", 90_000)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Text(io.Discard, strings.NewReader(content), "text/plain", noLimit); err != nil {
			b.Fatal(err)
		}
	}
}
