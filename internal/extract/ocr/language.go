package ocr

import (
	"fmt"
	"slices"
	"strings"
)

// maxLanguages is how many languages are used unless they are set. Each one adds about the time of
// the first: a dense page takes 2.5 s with English, 4.7 s with Chinese too.
const maxLanguages = 3

// preferred are used first. With Chinese before English, Tesseract puts no spaces between Chinese
// characters, and English is read as well.
var preferred = []string{"chi_sim", "eng"}

// parseVersion returns the version from the output of --version: "tesseract 5.3.0" and more lines.
func parseVersion(output string) string {
	line, _, _ := strings.Cut(output, "\n")
	return strings.TrimPrefix(strings.TrimSpace(line), "tesseract ")
}

// parseLanguages returns the folder and the names from the output of --list-langs: a line such as
// `List of available languages in "/usr/share/tessdata/" (2):`, then a line for each.
func parseLanguages(output string) (folder string, names []string) {
	head, rest, _ := strings.Cut(output, "\n")
	if _, after, found := strings.Cut(head, `"`); found {
		folder, _, _ = strings.Cut(after, `"`)
	}
	for _, name := range strings.Fields(rest) {
		if name != "osd" && name != "equ" && name != "snum" { // these are not languages
			names = append(names, name)
		}
	}
	return folder, names
}

// chooseLanguages returns the wanted languages, or a few of the installed ones if none are wanted.
func chooseLanguages(installed, wanted []string) ([]string, error) {
	if len(installed) == 0 {
		return nil, fmt.Errorf("no languages are installed for Tesseract")
	}
	for _, name := range wanted {
		if !slices.Contains(installed, name) {
			return nil, fmt.Errorf("the language %s is not installed for Tesseract; %s are",
				name, strings.Join(installed, ", "))
		}
	}
	if len(wanted) > 0 {
		return wanted, nil
	}
	var chosen []string
	for _, name := range append(slices.Clone(preferred), installed...) {
		if slices.Contains(installed, name) && !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen[:min(len(chosen), maxLanguages)], nil
}
