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
		kong.Help(printHelp),
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
		return Command{}, withHelp(err, found)
	}
	command := Command{Name: commandName(ctx)}
	if !needsSettings(command.Name) {
		return command, nil
	}
	command.Options = line.options(command.Name)
	if command.Settings, err = build(&line, found); err != nil {
		return Command{}, err
	}
	return command, nil
}

// withHelp adds where to read on, unless it is a setting that is wrong.
func withHelp(err error, found *sources) error {
	var misused *kong.ParseError
	if !errors.As(err, &misused) || found.wrong {
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

// variable is the environment's name of a flag.
func variable(flag string) string {
	return "PARLEY_" + strings.ToUpper(key(flag))
}

// key is the settings file's name of a flag.
func key(flag string) string {
	return strings.ReplaceAll(flag, "-", "_")
}

// isSetting tells the settings from the flags of single commands, which neither the
// environment nor the file has: only settings stand in groups.
func isSetting(flag *kong.Flag) bool {
	return flag.Group != nil || flag.Name == "config"
}

func helpWithVariable(v *kong.Value) string {
	if v.Flag == nil || v.Name == "help" || !isSetting(v.Flag) {
		return v.Help
	}
	return v.Help + " ($" + variable(v.Name) + ")"
}
