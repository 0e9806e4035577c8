package config

import (
	"fmt"

	"parley/internal/cli"
)

// reader parses the texts of flags into settings. It keeps the first error.
type reader struct {
	sources *sources
	flags   map[string]*cli.Flag // the settings
	live    Live
	err     error
}

func newReader(program *cli.Command, sources *sources) *reader {
	r := &reader{sources: sources, flags: map[string]*cli.Flag{}}
	for _, flag := range program.Flags {
		r.flags[flag.Name] = flag
	}
	return r
}

// read stores the values of flags. A flag with neither a text nor a default stays empty.
func (r *reader) read(flags []*cli.Flag) {
	for _, flag := range flags {
		from, text := r.text(flag)
		live := flag.Tag.Get("live")
		switch {
		case r.err != nil || flag.Type == "":
		case live != "":
			r.readLive(live, flag)
		case text != "" || flag.Default != "":
			value, err := kindOf(flag.Tag).parse(text)
			if err != nil {
				r.fail(from, err)
				continue
			}
			flag.Store(value)
		}
	}
}

// text returns the text of a flag and the name of the flag that supplied it. A secret may come from a file, which a
// second flag names.
func (r *reader) text(flag *cli.Flag) (from, text string) {
	if flag.File == nil || flag.File.Value() == "" {
		return flag.Name, flag.Value()
	}
	if flag.Value() != "" {
		r.fail(flag.Name, fmt.Errorf("is given, and %s too: keep one", r.sources.origin(flag.File.Name)))
	}
	secret, err := readSecret(flag.File.Value())
	if err != nil {
		r.fail(flag.File.Name, err)
	}
	return flag.File.Name, secret.Reveal()
}

// readLive reads a setting that can be changed while the server runs, unless it was set at the start.
func (r *reader) readLive(name string, flag *cli.Flag) {
	if err := r.live.Values.Set(name, flag.Value()); err != nil {
		r.fail(flag.Name, err)
	}
	if r.sources.isSet(flag.Name) {
		r.live.Fixed = append(r.live.Fixed, name)
	}
}

// fail records the first error and where its flag was set.
func (r *reader) fail(flag string, err error) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.sources.origin(flag), err)
	}
}

// needs records that a setting needs the missing one. what describes the missing one, or is empty.
func (r *reader) needs(flag, missing, what string) {
	r.fail(r.origin(flag), needs(missing, what))
}

// origin returns the flag that supplied a setting: its own or the one that names a file.
func (r *reader) origin(name string) string {
	if flag := r.flags[name]; flag.File != nil && flag.Value() == "" {
		return flag.File.Name
	}
	return name
}

// needs returns the error for a missing setting.
func needs(flag, what string) error {
	if what != "" {
		what = ": " + what
	}
	return fmt.Errorf("needs %s (--%s) too%s", variable(flag), flag, what)
}
