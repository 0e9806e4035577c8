package config

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Misspelt is a variable of the environment that looks like a setting and is none.
type Misspelt struct {
	Variable string
	// Nearest is the setting that is probably meant; it may be empty.
	Nearest string
}

// FindMisspelt looks through an environment, as os.Environ gives it.
func FindMisspelt(environ []string) []Misspelt {
	var found []Misspelt
	known := variables()
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, variable("")) && !slices.Contains(known, name) {
			found = append(found, Misspelt{Variable: name, Nearest: nearest(name, known)})
		}
	}
	slices.SortFunc(found, func(a, b Misspelt) int { return strings.Compare(a.Variable, b.Variable) })
	return found
}

// variables are the names of all settings in the environment.
func variables() []string {
	var names []string
	for _, flag := range kong.Must(&commandLine{}).Model.Flags {
		if flag.Name != "help" {
			names = append(names, variable(flag.Name))
		}
	}
	return names
}

// nearest is the name that differs least from another, if the two are much alike: in a
// third of the letters after the prefix at most.
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

// distance is how many letters must be added, dropped or changed to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from the beginning of a to each beginning of b
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
