package blob

import (
	"errors"
	"strings"

	"parley/internal/id"
)

// ErrBadKey means that a key is neither an id nor an id with a suffix.
var ErrBadKey = errors.New("blob: bad key")

const maxSuffix = 16

// location is the path of a blob and of its folder, below the root.
type location struct {
	folder string
	path   string
}

// locate checks a key and returns the location of its blob. The folder is named after the
// last characters of the id, which are random; the first ones encode a time.
func locate(key string) (location, error) {
	name, suffix, dotted := strings.Cut(key, ".")
	if !id.Valid(name) || dotted && !validSuffix(suffix) {
		return location{}, ErrBadKey
	}
	folder := name[len(name)-2:]
	return location{folder: folder, path: folder + "/" + key}, nil
}

// Path returns the slash-separated path of a blob below the folder of a Dir.
func Path(key string) (string, error) {
	loc, err := locate(key)
	return loc.path, err
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
