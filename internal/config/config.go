// Package config reads the settings from flags, the environment and a YAML file, in this order
// of precedence.
//
// Every setting has one name in three spellings: --max-upload on the command line,
// PARLEY_MAX_UPLOAD in the environment, max_upload in the file. An environment
// variable that is empty counts as not set. The file also has a section for models.
package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// Parse reads the command line (without the program's name), the environment and the
// settings file. Help is written to stdout. The error is one line that names the setting
// and where it was set, and never holds a secret.
func Parse(args []string, getenv func(string) string, stdout io.Writer) (Command, error) {
	// kong would replace invalid bytes, which could change a path.
	if !utf8.ValidString(strings.Join(args, " ")) {
		return Command{}, errors.New("the command line is not valid UTF-8")
	}
	var line commandLine
	sources := &sources{getenv: getenv, origins: map[string]string{}, flags: map[string]bool{}}
	helpPrinted := false
	parser, err := kong.New(
		&line,
		kong.Name("parley"),
		kong.Description(description),
		kong.Writers(stdout, io.Discard),
		kong.Exit(func(int) { helpPrinted = true }),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ValueFormatter(helpWithVariable),
		kong.WithBeforeResolve(sources.readFile),
		kong.Resolvers(sources),
	)
	if err != nil {
		return Command{}, fmt.Errorf("command line: %w", err)
	}
	ctx, err := parser.Parse(args)
	if helpPrinted {
		return Command{Name: CommandHelp}, nil
	}
	if err != nil {
		return Command{}, withHelp(err, sources)
	}
	command := Command{Name: commandName(ctx), Args: line.Recognize.Args}
	if !needsSettings(command.Name) {
		return command, nil
	}
	command.Variables = variables(parser.Model)
	command.Options = line.options(command.Name)
	if command.Name == CommandMove {
		if err := line.moveTargets(sources, &command.Options); err != nil {
			return Command{}, err
		}
	}
	if command.Settings, err = build(&line, sources); err != nil {
		return Command{}, err
	}
	return command, nil
}

// withHelp adds a hint to use --help to errors of the command line.
func withHelp(err error, sources *sources) error {
	var misused *kong.ParseError
	if !errors.As(err, &misused) || sources.failed {
		return err
	}
	name := "parley"
	for _, step := range misused.Context.Path {
		if step.Command != nil && step.Command.Name != CommandServe {
			name += " " + step.Command.Name
		}
	}
	return fmt.Errorf("%w; see %s --help", err, name)
}

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return "PARLEY_" + strings.ToUpper(key(flag))
}

// key returns the name of a flag in the settings file.
func key(flag string) string {
	return strings.ReplaceAll(flag, "-", "_")
}

// isSetting reports whether a flag is a setting. Flags of single commands are not: they have no
// group, and can't be set in the environment or the file.
func isSetting(flag *kong.Flag) bool {
	return flag.Group != nil || flag.Name == "config"
}

func helpWithVariable(v *kong.Value) string {
	if v.Flag == nil || v.Name == "help" || !isSetting(v.Flag) {
		return v.Help
	}
	return v.Help + " ($" + variable(v.Name) + ")"
}
