package prose

import "testing"

func TestRaisedNumbersStayApart(t *testing.T) {
	for text, want := range map[string]string{
		"6": "⁶", "-3": "⁻³", "−3": "⁻³", "2n": "²ⁿ", "(4)": "⁽⁴⁾", "st": "st", "n": "n", "[1]": "[1]", "": "", "1,2": "1,2",
	} {
		if got := Superscript(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
