package extract

import "bytes"

// isCompound reports whether a file is a compound file, the container of old Office documents.
func isCompound(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
}
