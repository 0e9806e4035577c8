package extract

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley"
)

// maxExtension is the longest extension that a shortened name keeps, in bytes.
const maxExtension = 32

// SafeName reduces the name of an uploaded file to a base name, safe in a folder of any system, in a header and on a
// page: at most parley.MaxFilename bytes, no path, no control or direction characters, no reserved name. It is never
// empty.
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

// harmless replaces a character if it is special on some system, and drops an invisible one.
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

// trim removes leading dots, which hide a file, and trailing ones, which Windows ignores.
func trim(name string) string {
	return strings.Trim(name, ". ")
}

// reserved reports whether a name is a device on Windows, with any extension.
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

// shorten cuts a name to at most size bytes, between characters. It keeps the extension.
func shorten(name string, size int) string {
	if len(name) <= size {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	end := size - len(extension)
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return trim(name[:end]) + extension
}
