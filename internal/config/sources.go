package config

import (
	"fmt"
	"unicode/utf8"

	"parley/internal/cli"
)

// sources finds the values of flags that are not on the command line. It looks in the environment first, then in the
// settings file.
type sources struct {
	getenv func(string) string
	file   *file
	// origins says where the value of a flag was found. Flags on the command line have no entry.
	origins map[string]string
	// flags holds the flags on the command line.
	flags map[string]bool
}

// resolve sets the settings that are not on the command line.
func (s *sources) resolve(program *cli.Command) error {
	for _, flag := range program.Flags {
		if flag.IsSet {
			s.flags[flag.Name] = true
			continue
		}
		value, err := s.find(flag.Name)
		if err != nil {
			return err
		}
		if value != "" || s.origins[flag.Name] != "" {
			if err := flag.Set(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the value of a setting in the environment or the file, and records where it was.
func (s *sources) find(flag string) (string, error) {
	if value := s.getenv(variable(flag)); value != "" {
		if !utf8.ValidString(value) {
			return "", fmt.Errorf("%s is not valid UTF-8", variable(flag))
		}
		s.origins[flag] = variable(flag)
		return value, nil
	}
	if s.file == nil {
		return "", nil
	}
	value, found := s.file.values[key(flag)]
	if found {
		s.origins[flag] = fmt.Sprintf("%s:%d: %s", s.file.path, value.line, key(flag))
	}
	return value.text, nil
}

// isSet reports whether anything sets a flag.
func (s *sources) isSet(flag string) bool { return s.flags[flag] || s.origins[flag] != "" }

// readFile reads the settings file if one is named.
func (s *sources) readFile(program *cli.Command) error {
	path := s.getenv(variable("config"))
	known := map[string]bool{}
	for _, flag := range program.Flags {
		switch {
		case flag.Name != "config":
			known[key(flag.Name)] = kindOf(flag.Tag).isList
		case flag.IsSet:
			path = flag.Value()
		}
	}
	if path == "" {
		return nil
	}
	var err error
	s.file, err = readFile(path, known)
	return err
}

// origin says where a setting was set, for error messages.
func (s *sources) origin(flag string) string {
	if origin, ok := s.origins[flag]; ok {
		return origin
	}
	return "--" + flag
}

// models returns the models section of the settings file.
func (s *sources) models() models {
	if s.file == nil {
		return models{}
	}
	return s.file.models
}
