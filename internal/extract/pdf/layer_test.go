package pdf

import (
	"strings"
	"testing"
)

func TestATextLayerThatIsNoTextIsNoticed(t *testing.T) {
	shifted := func(text string) string { // as by a font that uses numbers of glyphs as codes
		return strings.Map(func(r rune) rune { return r - 29 }, text)
	}
	capitals := func(text string) string { // codes of a font with capitals only, in another order
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return rune("BCDFGHJKLMNPQRSTVWXZBCDFGH"[r-'a'])
			}
			return r
		}, text)
	}
	const english = "The keeper of the lighthouse at Punta Carena has a cat called Palinuro, which eats anchovies and " +
		"sleeps on the lamp."
	tests := []struct {
		name, text string
		want       bool
	}{
		{"English", english, false},
		{"Chinese", "灯塔看守人的猫名叫帕利努罗，它今年七岁。", false},
		{"Japanese", "灯台守は毎朝百二十段の石段を登り、古いランプを磨いてから、日誌に書き込みます。", false},
		{"Korean", "등대지기는 매일 아침 백이십 개의 돌계단을 올라가 낡은 등을 닦는다.", false},
		{"Vietnamese", "Người gác đèn biển mỗi sáng leo lên một trăm hai mươi bậc đá để lau chiếc đèn cũ đã dùng hơn " +
			"tám mươi năm.", false},
		{"Czech", "Příliš žluťoučký kůň úpěl ďábelské ódy, když strážce majáku čistil každé ráno starou lampu.", false},
		{"Greek", "Ο φύλακας του φάρου ανεβαίνει κάθε πρωί εκατόν είκοσι πέτρινα σκαλιά και καθαρίζει τη λάμπα.", false},
		{"Russian with Latin", "Смотритель маяка завёл кота по имени Palinuro и каждый день пишет в журнал погоду.", false},
		{"Arabic", "يصعد حارس المنارة كل صباح مائة وعشرين درجة حجرية لينظف المصباح القديم", false},
		{"Hindi", "प्रकाशस्तंभ का रखवाला हर सुबह एक सौ बीस पत्थर की सीढ़ियाँ चढ़ता है और पुराना दीपक साफ करता है", false},
		{"figures", "1,234.50\n17 %\n2026-05-01\n§ 4 (2)", false},
		{"units", strings.Repeat("50pt 20kg ", 40), false},
		{"hexadecimal digits", strings.Repeat("9f86d081884c7d659a2feaa0c55ad015 ", 8), false},
		{"wide forms", strings.Repeat("Ｏｐｔｉｍｉｚａｔｉｏｎ ", 10), false},
		{"bullets", "\uf0b7 Yes\n\uf0b7 No\n\uf0b7 On\n\uf0b7 A", false},
		{"a formula", "E = mc\u00b2 \ue001 x", false},
		{"private use", "\ue001\ue002\ue003 \ue004\ue005", true},
		{"control characters", "\x13\x14\x13\x19\x15 9$7&RGH \x13\x14\x16", true},
		{"replacement characters", "\ufffd\ufffd\ufffd\ufffd the", true},
		{"shifted", shifted(english), true},
		{"capitals", capitals(english), true},
		{"numbers of glyphs", "(cid:12)(cid:7)(cid:33) a (cid:4)", true},
		{"accents", strings.Repeat("ČãþĜåêÈËâýěäéîïð ", 8), true},
		{"scripts in turn", strings.Repeat("ԻӍ\u0389ʽআ\u0a52Ǌ\u0d05Ϣ ", 12), true},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		if got := unusable(tt.text); got != tt.want {
			t.Errorf("%s: got %v for %q", tt.name, got, tt.text)
		}
	}
	if !pageNeedsOCR(" \n\t") || !pageNeedsOCR("\ue001\ue002") || pageNeedsOCR(english) {
		t.Error("a page without a text needs OCR, others don't")
	}
}
