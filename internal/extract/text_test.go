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
	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// reader is used by all tests.
var reader = Reader{MaxText: 1 << 30, MaxUnpacked: 1 << 28, Cache: "../../.cache/pdf"}

func text(t *testing.T, content string) string {
	t.Helper()
	document, err := readText([]byte(content), reader.MaxText)
	if err != nil {
		t.Fatalf("%.40q: %v", content, err)
	}
	return document.Text
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
		_, err := reader.Read(t.Context(), []byte(content), "a.md")
		if !errors.Is(err, parley.ErrFileUnreadable) || !extracttest.IsRefusal(err, prose.ErrEmpty) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestNoiseIsNoText(t *testing.T) {
	for _, content := range []string{
		extracttest.Noise(40), extracttest.Noise(100_000), "\x00\x01\x02\x03", "\xff\xfe" + strings.Repeat("\x00\xd8", 9),
	} {
		if _, err := readText([]byte(content), reader.MaxText); !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%.20q: %v", content, err)
		}
	}
}

func TestStrayControlCharactersAreLeftOut(t *testing.T) {
	const line = "The ferry leaves at nine, and at ten on Sundays. 渡轮九点出发。\n"
	document, err := reader.Read(t.Context(), []byte(line+"cause-and\x02effect\n"+line), "a.txt")
	if err != nil || document.Type != plainText || document.Text != line+"cause-andeffect\n"+line {
		t.Errorf("got %q, %v", document.Text, err)
	}
	for name, content := range map[string]string{
		"many":  strings.Repeat("cause-and\x02effect\n", 10),
		"NUL":   line + "a\x00b" + line,
		"bytes": line + line + "\x02\xe9" + line,
	} {
		if _, err := reader.Read(t.Context(), []byte(content), "a.txt"); !extracttest.IsRefusal(err, prose.ErrUnsupported) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTextStopsAtItsLimit(t *testing.T) {
	if _, err := readText([]byte("渡轮"), 6); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := readText([]byte("渡轮"), 5); !extracttest.IsRefusal(err, prose.ErrTooLong) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestTextIsReadAsItDeclares(t *testing.T) {
	for content, want := range map[string]string{
		"# -*- coding: big5 -*-\n\xa4\xa4":                            "# -*- coding: big5 -*-\n中",
		`<?xml version="1.0" encoding="Shift_JIS"?><a>` + "\x83e</a>": `<?xml version="1.0" encoding="Shift_JIS"?><a>テ</a>`,
		`<?xml version="1.0" encoding="GBK"?><a>中</a>`:                `<?xml version="1.0" encoding="GBK"?><a>中</a>`,
	} {
		if got := text(t, content); got != want {
			t.Errorf("%q: got %q", content, got)
		}
	}
}

func TestATextIsTheSameHoweverItComes(t *testing.T) {
	content := "第一班\r\n\r渡轮\ufeff早上\x00九点\xe4\xb8 leaves\u2028at\xff nine 🚢\x1b[0m\r\n" +
		strings.Repeat("渡", 50_000) + "\r\nend\xe4\xb8"
	var want strings.Builder
	if err := writeClean(&want, strings.NewReader(content), 1<<20); err != nil {
		t.Fatal(err)
	}
	const beginning = "第一班\n\n渡轮早上九点 leaves\nat nine 🚢[0m\n渡"
	if !strings.HasPrefix(want.String(), beginning) || !strings.HasSuffix(want.String(), "渡\nend") {
		t.Errorf("got %.100q", want.String())
	}
	for name, r := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(strings.NewReader(content)),
		"in halves":    iotest.HalfReader(strings.NewReader(content)),
		"with its end": iotest.DataErrReader(strings.NewReader(content)),
	} {
		var got strings.Builder
		if err := writeClean(&got, r, 1<<20); err != nil || got.String() != want.String() {
			t.Errorf("%s: another text, %v", name, err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	content := []byte(strings.Repeat("第一班渡轮早上九点出发. The ferry leaves at nine.\n", 90_000))
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reader.Read(b.Context(), content, "a.txt"); err != nil {
			b.Fatal(err)
		}
	}
}
