package extract

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"github.com/saintfish/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

const (
	// sampleSize is the size of the sample given to the detector.
	sampleSize = 64 << 10
	// sureMultiByte is the detector's confidence for a dozen common characters.
	sureMultiByte = 60
	// sureSingleByte applies only from enoughSingleByte bytes on. With fewer bytes the
	// detector guesses.
	sureSingleByte   = 45
	enoughSingleByte = 20
	// tolerance is the number of valid UTF-8 characters that outweigh an invalid byte.
	tolerance = 20
)

// candidates are the encodings that the detector may choose, by its names for them. If two
// have equal confidence, the first one is used.
var candidates = []struct {
	name    string
	charset encoding.Encoding
	sure    int
	bytes   int // required number of bytes beyond ASCII
}{
	{"GB-18030", simplifiedchinese.GB18030, sureMultiByte, 0},
	{"Big5", traditionalchinese.Big5, sureMultiByte, 0},
	{"Shift_JIS", japanese.ShiftJIS, sureMultiByte, 0},
	{"EUC-JP", japanese.EUCJP, sureMultiByte, 0},
	{"EUC-KR", korean.EUCKR, sureMultiByte, 0},
	{"windows-1251", charmap.Windows1251, sureSingleByte, enoughSingleByte},
	{"KOI8-R", charmap.KOI8R, sureSingleByte, enoughSingleByte},
}

// charsetOf returns the encoding of a text: from its byte-order mark, else UTF-8 if it
// is valid, else what the text declares, else what the detector finds, else GB18030.
func charsetOf(file []byte) encoding.Encoding {
	if charset := byMark(file); charset != nil {
		return charset
	}
	s := survey{declared: declaredCharset(file)}
	s.add(trimIncomplete(file))
	return s.charset()
}

var declaration = regexp.MustCompile(`(?i)(?:charset|coding)\s*[=:]\s*["']?([a-z0-9_-]+)`)

// declaredCharset returns the encoding that the first lines of HTML, XML or source code
// declare, or nil.
func declaredCharset(file []byte) encoding.Encoding {
	found := declaration.FindSubmatch(file[:min(len(file), 1024)])
	if found == nil {
		return nil
	}
	charset, err := htmlindex.Get(string(found[1]))
	if err != nil || charset == unicode.UTF8 {
		return nil
	}
	return charset
}

// byMark returns the encoding of a byte-order mark, or nil if there is none.
func byMark(head []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return encoding.Nop
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// cutRune returns the incomplete character at the end of data, if any.
func cutRune(data []byte) []byte {
	for i := len(data) - 1; i >= max(0, len(data)-utf8.UTFMax); i-- {
		if utf8.RuneStart(data[i]) {
			if utf8.FullRune(data[i:]) {
				return nil
			}
			return data[i:]
		}
	}
	return nil
}

// trimIncomplete removes an incomplete character from the end of a UTF-8 text.
func trimIncomplete(file []byte) []byte {
	whole := file[:len(file)-len(cutRune(file))]
	if len(whole) < len(file) && utf8.Valid(whole) && bytes.ContainsFunc(whole, isBeyondASCII) {
		return whole
	}
	return file
}

// survey collects what determines the encoding of a text.
type survey struct {
	declared encoding.Encoding

	good   int // valid multi-byte characters of UTF-8
	broken int // bytes that are not valid UTF-8
	sample []byte
}

func (s *survey) add(data []byte) {
	if utf8.Valid(data) {
		for _, b := range data {
			if b >= 0xC0 {
				s.good++
			}
		}
		return
	}
	s.addSample(data)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			s.broken++
		case size > 1:
			s.good++
		}
		data = data[size:]
	}
}

// addSample adds the lines with characters beyond ASCII to the sample, up to its size.
func (s *survey) addSample(data []byte) {
	for line := range bytes.Lines(data) {
		room := sampleSize - len(s.sample)
		if room <= 0 {
			return
		}
		if bytes.ContainsFunc(line, isBeyondASCII) {
			s.sample = append(s.sample, line[:min(room, len(line))]...)
		}
	}
}

func (s *survey) charset() encoding.Encoding {
	if s.broken == 0 || s.good > tolerance*s.broken {
		return encoding.Nop
	}
	if s.declared != nil && decodes(s.declared, s.sample) {
		return s.declared
	}
	if isWestern(s.sample) {
		return charmap.Windows1252
	}
	if charset := detected(s.sample); charset != nil {
		return charset
	}
	fallbacks := []encoding.Encoding{simplifiedchinese.GB18030, traditionalchinese.Big5, japanese.ShiftJIS}
	for _, charset := range fallbacks {
		if decodes(charset, s.sample) {
			return charset
		}
	}
	return simplifiedchinese.GB18030
}

// isWestern reports whether a sample is in a Latin alphabet: most bytes beyond ASCII stand
// alone between ASCII letters, which does not happen in Chinese or Japanese.
func isWestern(sample []byte) bool {
	alone, beyond := 0, 0
	for i, b := range sample {
		if b < utf8.RuneSelf {
			continue
		}
		beyond++
		before := i == 0 || sample[i-1] < utf8.RuneSelf
		after := i == len(sample)-1 || sample[i+1] < utf8.RuneSelf
		if b >= 0xC0 && before && after {
			alone++
		}
	}
	return alone > 0 && alone*5 >= beyond*4
}

// detected returns the encoding that the detector is most confident of, or nil.
func detected(sample []byte) encoding.Encoding {
	guesses, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil {
		return nil
	}
	confidence := make(map[string]int)
	for _, guess := range guesses {
		confidence[guess.Charset] = guess.Confidence
	}
	var best encoding.Encoding
	most := 0
	beyond := beyondASCII(sample)
	for _, c := range candidates {
		if got := confidence[c.name]; got >= c.sure && got > most && beyond >= c.bytes {
			best, most = c.charset, got
		}
	}
	return best
}

func isBeyondASCII(r rune) bool { return r >= utf8.RuneSelf }

func beyondASCII(sample []byte) int {
	n := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

func decodes(charset encoding.Encoding, sample []byte) bool {
	decoded, err := charset.NewDecoder().Bytes(sample)
	return err == nil && !bytes.ContainsRune(decoded, utf8.RuneError)
}
