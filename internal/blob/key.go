package blob

import (
	"errors"
	"strings"

	"parley/internal/id"
)

// ErrBadKey says that a key is neither an id nor an id with a suffix.
var ErrBadKey = errors.New("blob: bad key")

const maxSuffix = 16

// location is where a key's bytes are: a file in one of the sub-folders.
type location struct {
	folder string
	path   string
}

// place checks a key, an id or an id with a suffix such as "text" behind a dot, and
// says where its bytes are. The folder comes from the id's last characters: these are
// random, while the first are a time.
func place(key string) (location, error) {
	name, suffix, dotted := strings.Cut(key, ".")
	if !id.Valid(name) || dotted && !validSuffix(suffix) {
		return location{}, ErrBadKey
	}
	folder := name[len(name)-2:]
	return location{folder: folder, path: folder + "/" + key}, nil
}

// Path is where a folder keeps the bytes of a key, below itself and with slashes.
func Path(key string) (string, error) {
	at, err := place(key)
	return at.path, err
}

func validSuffix(s string) bool {
	if s == "" || len(s) > maxSuffix {
		return false
	}
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
