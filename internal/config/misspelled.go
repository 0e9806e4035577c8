package config

import (
	"slices"
	"strings"

	"parley/internal/cli"
)

// Misspelled is an environment variable that looks like a setting but is not one.
type Misspelled struct {
	Variable string
	// Nearest is the setting that was probably meant. It may be empty.
	Nearest string
}

// FindMisspelled returns the variables of an environment (in the form of os.Environ) that look like settings but are
// not in known.
func FindMisspelled(environ, known []string) []Misspelled {
	var found []Misspelled
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, variable("")) && !slices.Contains(known, name) {
			found = append(found, Misspelled{Variable: name, Nearest: cli.Nearest(name, known, len(variable("")))})
		}
	}
	slices.SortFunc(found, func(a, b Misspelled) int { return strings.Compare(a.Variable, b.Variable) })
	return found
}

// variables returns the environment variables of all settings.
func variables(program *cli.Command) []string {
	var names []string
	for _, flag := range program.Flags {
		names = append(names, variable(flag.Name))
	}
	return names
}
