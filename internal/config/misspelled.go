package config

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Misspelled is an environment variable that looks like a setting but is not one.
type Misspelled struct {
	Variable string
	// Nearest is the setting that was probably meant. It may be empty.
	Nearest string
}

// FindMisspelled returns the misspelled settings of an environment in the form of os.Environ. Known are the right ones.
func FindMisspelled(environ, known []string) []Misspelled {
	var found []Misspelled
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, variable("")) && !slices.Contains(known, name) {
			found = append(found, Misspelled{Variable: name, Nearest: nearest(name, known)})
		}
	}
	slices.SortFunc(found, func(a, b Misspelled) int { return strings.Compare(a.Variable, b.Variable) })
	return found
}

// variables returns the environment variables of all settings.
func variables(model *kong.Application) []string {
	var names []string
	for _, flag := range model.Flags {
		if flag.Name != "help" {
			names = append(names, variable(flag.Name))
		}
	}
	return names
}

// nearest returns the known name closest to name, if at most a third of the letters after the
// prefix differ.
func nearest(name string, known []string) string {
	best, least := "", len(name)
	for _, candidate := range known {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	if 3*least > len(name)-len(variable("")) {
		return ""
	}
	return best
}

// distance returns the Levenshtein distance of a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a prefix of a to every prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
