package prose

import "strings"

// Superscript returns a raised text: powers and units keep their meaning, so 10 with a raised 6 is 10⁶, not 106. Other
// texts, such as the "st" of 1st, are as before.
func Superscript(text string) string {
	if !strings.ContainsAny(text, "0123456789") || strings.Trim(text, "0123456789+-−()n") != "" {
		return text
	}
	return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸",
		"9", "⁹", "+", "⁺", "-", "⁻", "−", "⁻", "(", "⁽", ")", "⁾", "n", "ⁿ").Replace(text)
}
