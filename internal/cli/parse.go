package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Parse reads the arguments of the program, and sets the fields of its struct. It returns the command that they name,
// also with an error, and whether they ask for help. Then the error does not matter.
func (c *Command) Parse(args []string) (selected *Command, help bool, err error) {
	p := parser{command: c, args: args}
	for err == nil && len(p.args) > 0 {
		arg := p.args[0]
		p.args = p.args[1:]
		switch {
		case p.onlyArgs || !strings.HasPrefix(arg, "-") || arg == "-":
			err = p.take(arg)
		case arg == "--":
			p.onlyArgs = true
		case isHelp(arg):
			help = true
		default:
			err = p.set(arg)
		}
	}
	if err != nil {
		return p.command, help || slices.ContainsFunc(p.args, isHelp), err
	}
	if !help {
		err = p.finish()
	}
	return p.command, help, err
}

func isHelp(arg string) bool { return arg == "-h" || arg == "--help" }

// parser reads arguments from the left to the right.
type parser struct {
	command  *Command // the one named so far
	args     []string // those that are left
	taken    int      // arguments of the command
	onlyArgs bool     // no flags follow
}

// take reads the name of a command or an argument.
func (p *parser) take(arg string) error {
	for _, command := range p.command.Commands {
		if command.Name == arg {
			p.command = command
			if command.passthrough != nil {
				*command.passthrough, p.args = p.args, nil
			}
			return nil
		}
	}
	if p.taken == len(p.command.Args) {
		return fmt.Errorf("unexpected argument %s", arg)
	}
	wanted := p.command.Args[p.taken]
	p.taken++
	wanted.value.SetString(arg)
	return oneOf("<"+wanted.Name+">", arg, wanted.enum)
}

// set reads a flag, and its value if the value is the next argument.
func (p *parser) set(arg string) error {
	name, text, hasText := strings.Cut(arg, "=")
	flag, err := p.find(name)
	if err != nil {
		return err
	}
	switch {
	case hasText:
	case flag.value.Kind() == reflect.Bool:
		text = "true"
	case len(p.args) == 0, len(p.args[0]) > 1 && p.args[0][0] == '-':
		return fmt.Errorf("%s needs a value", name)
	default:
		text, p.args = p.args[0], p.args[1:]
	}
	flag.IsSet = true
	if err := flag.Set(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return oneOf(name, text, flag.enum)
}

// find returns the flag of a name with its hyphens: one of the command, or of those above it.
func (p *parser) find(name string) (*Flag, error) {
	var known []string
	first := p.command
	if first.byDefault != nil {
		first = first.byDefault
	}
	for command := first; command != nil; command = command.parent {
		for _, flag := range command.Flags {
			if "--"+flag.Name == name {
				return flag, nil
			}
			known = append(known, "--"+flag.Name)
		}
	}
	if nearest := Nearest(name, known, len("--")); nearest != "" {
		return nil, fmt.Errorf("unknown flag %s, did you mean %s?", name, nearest)
	}
	return nil, fmt.Errorf("unknown flag %s", name)
}

// finish checks that nothing is missing.
func (p *parser) finish() error {
	if p.command.byDefault != nil {
		p.command = p.command.byDefault
	}
	var missing []string
	if len(p.command.Commands) > 0 {
		for _, command := range p.command.Commands {
			missing = append(missing, fmt.Sprintf("%q", command.Name))
		}
		return errors.New("expected one of " + strings.Join(missing, ", "))
	}
	for _, arg := range p.command.Args[p.taken:] {
		missing = append(missing, "<"+arg.Name+">")
	}
	if len(missing) > 0 {
		return fmt.Errorf("expected %q", strings.Join(missing, " "))
	}
	return nil
}

func oneOf(name, text string, allowed []string) error {
	if len(allowed) == 0 || slices.Contains(allowed, text) {
		return nil
	}
	return fmt.Errorf("%s must be one of %s but is %q", name, strings.Join(allowed, ", "), text)
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}
