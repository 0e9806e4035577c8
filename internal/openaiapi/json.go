package openaiapi

import (
	"bytes"
	"encoding/json"
	"math"
	"unicode/utf8"
)

// maxValues limits the values of a body, of all depths together. A body of 16 MiB can have 8 million of them, and each
// takes a hundred times its bytes when it is decoded.
const maxValues = 100_000

// allDepths is for commas.
const allDepths = math.MaxInt

// commas counts the commas between the values of JSON text, from the outermost list or object down to a depth. So it
// tells how many values there are before they are decoded.
func commas(text []byte, depth int) (count int) {
	nested, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			nested++
		case c == ']' || c == '}':
			nested--
		case c == ',' && nested <= depth:
			count++
		}
	}
	return count
}

// encodedPiece is how much of a text is encoded at once, in bytes.
const encodedPiece = 64 << 10

// encodeMessages returns messages as JSON. They are encoded one by one into one buffer of about the given size, and
// long texts in pieces: json.Marshal would take several times as much.
func encodeMessages(messages []chatMessage, size int64) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, size+size/8))
	out.WriteByte('[')
	for i, message := range messages {
		if i > 0 {
			out.WriteByte(',')
		}
		text, isText := message.Content.(string)
		if isText {
			message.Content = ""
		}
		data, err := encode(message)
		if err != nil {
			return nil, err
		}
		if !isText {
			out.Write(data)
			continue
		}
		before, after, _ := bytes.Cut(data, []byte(`""`)) // the role is not empty, and comes before the content
		out.Write(before)
		out.WriteByte('"')
		if err := encodeText(out, text); err != nil {
			return nil, err
		}
		out.WriteByte('"')
		out.Write(after)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// encodeText writes a text as the content of a JSON string.
func encodeText(out *bytes.Buffer, text string) error {
	var piece bytes.Buffer
	encoder := json.NewEncoder(&piece)
	encoder.SetEscapeHTML(false)
	for text != "" {
		end := min(len(text), encodedPiece)
		for range utf8.UTFMax - 1 {
			if end < len(text) && !utf8.RuneStart(text[end]) {
				end--
			}
		}
		piece.Reset()
		if err := encoder.Encode(text[:end]); err != nil {
			return err
		}
		out.Write(piece.Bytes()[1 : piece.Len()-len("\"\n")])
		text = text[end:]
	}
	return nil
}

// joinList returns a JSON list of encoded values as they are.
func joinList(values []json.RawMessage) []byte {
	size := len("[]")
	for _, value := range values {
		size += len(value) + len(",")
	}
	out := append(make([]byte, 0, size), '[')
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	return append(out, ']')
}

// encode returns a value as JSON. Unlike json.Marshal it does not make six bytes of "<".
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
