package eml

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// decodeTransfer returns the content of a part without its transfer encoding. An unknown one is left as it is.
func decodeTransfer(name string, body []byte) []byte {
	switch strings.ToLower(name) {
	case "base64":
		return decodeBase64(body)
	case "quoted-printable":
		return decodeQuoted(body)
	}
	return body
}

// decodeBase64 ignores signs outside of base64, and an incomplete group at the end. A text of words is not base64,
// whatever its header says.
func decodeBase64(body []byte) []byte {
	first, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	if bytes.ContainsRune(bytes.TrimSpace(first), ' ') {
		return body
	}
	signs := make([]byte, 0, len(body))
	for _, b := range body {
		if isBase64(b) {
			signs = append(signs, b)
		}
	}
	content, _ := base64.RawStdEncoding.AppendDecode(nil, signs) // one extra sign at the end does not make a byte
	return content
}

// decodeQuoted decodes quoted-printable. An equals sign stays, unless it is in front of two hexadecimal digits or at
// the end of a line.
func decodeQuoted(body []byte) []byte {
	content := make([]byte, 0, len(body))
	for line := range bytes.Lines(body) {
		text := bytes.TrimRight(line, " \t\r\n")
		end := line[len(bytes.TrimRight(line, "\r\n")):]
		if soft, isSoft := bytes.CutSuffix(text, []byte("=")); isSoft {
			text, end = soft, nil
		}
		content = appendEscaped(content, string(text), '=')
		content = append(content, end...)
	}
	return content
}
