package config

import (
	"fmt"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// sources resolves the flags that are not on the command line: from the environment, else from
// the settings file.
type sources struct {
	getenv func(string) string
	file   *file
	// origins describes where the value of a flag was found, if not on the command line.
	origins map[string]string
	// flags are on the command line.
	flags map[string]bool
	// failed reports whether the environment or the file could not be read.
	failed bool
}

// Validate implements kong.Resolver.
func (*sources) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (s *sources) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !isSetting(flag) {
		return nil, nil
	}
	if value := s.getenv(variable(flag.Name)); value != "" {
		if !utf8.ValidString(value) {
			s.failed = true
			return nil, fmt.Errorf("%s is not valid UTF-8", variable(flag.Name))
		}
		s.origins[flag.Name] = variable(flag.Name)
		return value, nil
	}
	if s.file == nil {
		return nil, nil
	}
	if value, ok := s.file.values[key(flag.Name)]; ok {
		s.origins[flag.Name] = fmt.Sprintf("%s:%d: %s", s.file.path, value.line, key(flag.Name))
		return value.text, nil
	}
	return nil, nil
}

// isSet reports whether a flag has a value other than its default, from anywhere.
func (s *sources) isSet(flag string) bool { return s.flags[flag] || s.origins[flag] != "" }

// readFile reads the settings file if one is named and the command needs settings.
func (s *sources) readFile(ctx *kong.Context) error {
	path := s.getenv(variable("config"))
	for _, step := range ctx.Path {
		if step.Flag == nil {
			continue
		}
		s.flags[step.Flag.Name] = true
		if step.Flag.Name == "config" {
			path, _ = ctx.FlagValue(step.Flag).(string)
		}
	}
	if path == "" || !needsSettings(commandName(ctx)) {
		return nil
	}
	known := map[string]bool{}
	for _, flag := range ctx.Model.Flags {
		known[key(flag.Name)] = flag.Name != "help" && flag.Name != "config"
	}
	var err error
	s.file, err = readFile(path, known)
	s.failed = err != nil
	return err
}

// origin describes where a setting was set, for error messages.
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
