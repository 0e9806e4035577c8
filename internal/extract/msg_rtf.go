package extract

import (
	"errors"

	"parley/internal/extract/ole"
	"parley/internal/extract/prose"
)

var errUnpack = errors.New("the rich text can't be unpacked")

// unpackRTF unpacks the rich text of a message: a stream of bytes and of references to what came before.
func unpackRTF(packed ole.Data, limit int64) ([]byte, error) {
	const (
		plain     = 0x414C454D
		lz        = 0x75465A4C
		window    = 4096
		beginning = `{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript ` +
			`\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0` + "\r\n" +
			`\par \pard\plain\f0\fs20\b\i\u\tab\tx`
	)
	size, content := packed.U32(4), packed.From(16, len(packed))
	switch {
	case int64(size) > limit:
		return nil, prose.ErrBomb
	case packed.U32(8) == plain:
		return content, nil
	case packed.U32(8) != lz:
		return nil, prose.ErrBroken.WithCause(errUnpack)
	}
	dictionary := make([]byte, window)
	at := copy(dictionary, beginning)
	var out []byte
	put := func(b byte) {
		out = append(out, b)
		dictionary[at] = b
		at = (at + 1) % window
	}
	for len(content) > 0 {
		flags := content[0]
		content = content[1:]
		for bit := 0; bit < 8 && len(content) > 0; bit++ {
			if flags>>bit&1 == 0 {
				put(content[0])
				content = content[1:]
				continue
			}
			if len(content) < 2 {
				return out, nil
			}
			reference := int(content[0])<<8 | int(content[1])
			content = content[2:]
			from := reference >> 4
			if from == at { // the end
				return out, nil
			}
			for i := range reference&0xF + 2 {
				put(dictionary[(from+i)%window])
			}
			if int64(len(out)) > limit {
				return nil, prose.ErrBomb
			}
		}
	}
	return out, nil
}
