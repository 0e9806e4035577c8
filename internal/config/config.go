// Package config reads the settings: from flags, the environment and a YAML file,
// in this order of precedence, into one value.
//
// Every setting has one name in three spellings: --max-upload on the command line,
// PARLEY_MAX_UPLOAD in the environment, max_upload in the file. An environment
// variable that is empty counts as not set. The file has one section more, models.
package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// The commands of the program.
const (
	CommandServe   = "serve"
	CommandVersion = "version"
	// CommandExtract makes the program a reader of documents for another one of its kind.
	CommandExtract = "extract"
	// CommandHelp means that the help was asked for, and has been printed.
	CommandHelp = "help"
)

// Command is what the program is asked to do.
type Command struct {
	Name string
	// Settings are there for CommandServe only: no other command needs valid ones.
	Settings *Settings
}

// Parse reads the command line (without the program's name) and what getenv and the
// settings file add to it. Help goes to stdout. The error is one line that names the
// setting and where it was made, and never holds a secret.
func Parse(args []string, getenv func(string) string, stdout io.Writer) (Command, error) {
	// kong would replace what is invalid, and so change the name of a folder.
	if !utf8.ValidString(strings.Join(args, " ")) {
		return Command{}, errors.New("the command line is not valid UTF-8")
	}
	var line commandLine
	found := &sources{getenv: getenv, origins: map[string]string{}}
	helped := false
	parser, err := kong.New(
		&line,
		kong.Name("parley"),
		kong.Description(description),
		kong.Writers(stdout, io.Discard),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ValueFormatter(helpWithVariable),
		kong.WithBeforeResolve(found.readFile),
		kong.Resolvers(found),
	)
	if err != nil {
		return Command{}, fmt.Errorf("command line: %w", err)
	}
	ctx, err := parser.Parse(args)
	if helped {
		return Command{Name: CommandHelp}, nil
	}
	if err != nil {
		return Command{}, err
	}
	if ctx.Command() != CommandServe {
		return Command{Name: ctx.Command()}, nil
	}
	settings, err := build(&line, found)
	if err != nil {
		return Command{}, err
	}
	return Command{Name: CommandServe, Settings: settings}, nil
}

// variable is the environment's name of a flag.
func variable(flag string) string {
	return "PARLEY_" + strings.ToUpper(key(flag))
}

// key is the settings file's name of a flag.
func key(flag string) string {
	return strings.ReplaceAll(flag, "-", "_")
}

func helpWithVariable(v *kong.Value) string {
	if v.Name == "help" {
		return v.Help
	}
	return v.Help + " ($" + variable(v.Name) + ")"
}
