package extract

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley"
)

// maxEnding is the longest ending that is kept when a name is shortened, in bytes.
const maxEnding = 32

// SafeName reduces the name of an uploaded file to a base name that is harmless in a
// folder of any system, in a header and on a page: at most parley.MaxFilename bytes,
// no path, no control or direction characters, no reserved name. It is never empty.
func SafeName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = withoutDrive(name)
	name = norm.NFC.String(strings.Map(harmless, name))
	name = trim(name)
	if name == "" {
		return "file"
	}
	if reserved(name) {
		name = "_" + name
	}
	return shorten(name, parley.MaxFilename)
}

func withoutDrive(name string) string {
	if len(name) >= 2 && name[1] == ':' && unicode.IsLetter(rune(name[0])) {
		return name[2:]
	}
	return name
}

// harmless replaces a character that has a meaning to some system, and drops one that
// can't be seen.
func harmless(r rune) rune {
	switch {
	case strings.ContainsRune(`<>:"|?*`, r):
		return '_'
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), r == utf8.RuneError:
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// trim takes away what hides a file at the front, and what Windows ignores at the end.
func trim(name string) string {
	return strings.Trim(name, ". ")
}

// reserved reports whether Windows takes a name, whatever its ending, for a device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(stem, "COM"), "LPT")
	return port != stem && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// shorten cuts a name to at most size bytes, between characters, and keeps its ending.
func shorten(name string, size int) string {
	if len(name) <= size {
		return name
	}
	ending := path.Ext(name)
	if len(ending) > maxEnding {
		ending = ""
	}
	end := size - len(ending)
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return trim(name[:end]) + ending
}
