package prose

import (
	"strconv"
	"strings"
)

// numeral returns a number in a format of Office documents. It returns "" for the format
// "none", and decimal digits if the format has no such number or is not known.
func numeral(format string, n int) string {
	written := ""
	switch format {
	case "none", "bullet":
		return ""
	case "decimalZero":
		if 0 <= n && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "upperRoman":
		written = roman(n)
	case "lowerRoman":
		written = strings.ToLower(roman(n))
	case "upperLetter":
		written = letters(n)
	case "lowerLetter":
		written = strings.ToLower(letters(n))
	case "ordinal":
		written = ordinal(n)
	case "chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting",
		"japaneseDigitalTenThousand", "taiwaneseCounting", "taiwaneseCountingThousand", "taiwaneseDigital":
		written = chinese(n, "零一二三四五六七八九", "十百千")
	case "chineseLegalSimplified":
		written = chinese(n, "零壹贰叁肆伍陆柒捌玖", "拾佰仟")
	case "ideographLegalTraditional", "japaneseLegal":
		written = chinese(n, "零壹貳參肆伍陸柒捌玖", "拾佰仟")
	case "ideographTraditional":
		written = nth("甲乙丙丁戊己庚辛壬癸", n)
	case "ideographZodiac":
		written = nth("子丑寅卯辰巳午未申酉戌亥", n)
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		written = nth("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", n)
	case "decimalEnclosedParen":
		written = nth("⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇", n)
	case "ideographEnclosedCircle":
		written = nth("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉", n)
	}
	if written == "" {
		return strconv.Itoa(n)
	}
	return written
}

// nth returns the nth of some characters, counted from 1, or "".
func nth(characters string, n int) string {
	all := []rune(characters)
	if n < 1 || n > len(all) {
		return ""
	}
	return string(all[n-1])
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return ""
	}
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var b strings.Builder
	for i, value := range values {
		for ; n >= value; n -= value {
			b.WriteString(signs[i])
		}
	}
	return b.String()
}

// letters returns A to Z, then AA, BB and so on.
func letters(n int) string {
	if n < 1 || n > 26*9 {
		return ""
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// chinese returns a number from 0 to 9999 as it is spoken. units are the words for ten, hundred and thousand.
func chinese(n int, digits, units string) string {
	if n < 0 || n > 9999 {
		return ""
	}
	digit, unit := []rune(digits), []rune(units)
	if n == 0 {
		return string(digit[0])
	}
	var b strings.Builder
	gap := false
	for power, place := 1000, 3; place >= 0; power, place = power/10, place-1 {
		d := n / power % 10
		if d == 0 {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteRune(digit[0])
			gap = false
		}
		if place != 1 || d != 1 || b.Len() > 0 || unit[0] != '十' { // ten is 十, not 一十
			b.WriteRune(digit[d])
		}
		if place > 0 {
			b.WriteRune(unit[place-1])
		}
	}
	return b.String()
}
