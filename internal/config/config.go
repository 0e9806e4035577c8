// Package config reads the settings from flags, the environment and a YAML file. Flags win over the environment, and
// the environment wins over the file.
//
// Every setting has one name in three spellings: --max-upload on the command line, PARLEY_MAX_UPLOAD in the
// environment, max_upload in the file. An empty environment variable counts as not set. The file also has a section
// for models.
package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"parley/internal/cli"
)

// Parse reads the command line (without the program's name), the environment and the settings file. It writes help to
// stdout. Its error is one line that names the setting and the place where it was set. The error never contains a
// secret.
func Parse(args []string, getenv func(string) string, stdout io.Writer) (Command, error) {
	if !utf8.ValidString(strings.Join(args, " ")) {
		return Command{}, errors.New("the command line is not valid UTF-8")
	}
	var line commandLine
	program := cli.New("parley", description, &line)
	selected, help, err := program.Parse(args)
	if help {
		return Command{Name: CommandHelp}, printHelp(stdout, program, selected)
	}
	if err != nil {
		return Command{}, withHelp(err, selected)
	}
	command := Command{Name: selected.Path(), Args: line.Recognize.Args}
	if !needsSettings(command.Name) {
		return command, nil
	}
	sources := &sources{getenv: getenv, origins: map[string]string{}, flags: map[string]bool{}}
	if err := sources.readFile(program); err != nil {
		return Command{}, err
	}
	if err := sources.resolve(program); err != nil {
		return Command{}, err
	}
	command.Variables = variables(program)
	reader := newReader(program, sources)
	reader.read(selected.Flags)
	command.Options = line.options(command.Name)
	if command.Name == CommandMove && reader.err == nil {
		reader.err = checkTargets(command.Options)
	}
	reader.read(program.Flags)
	if reader.err == nil {
		reader.finish(&line.All)
	}
	if reader.err != nil {
		return Command{}, reader.err
	}
	command.Settings = &line.All
	return command, nil
}

// withHelp adds a hint to use --help to an error of the command line.
func withHelp(err error, selected *cli.Command) error {
	name := "parley"
	if path := selected.Path(); path != "" && path != CommandServe {
		name += " " + path
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

// helpWithVariable returns the help of a flag, followed by the environment variable if the flag is a setting. Flags
// of single commands are not settings: they have no group, and can't be set in the environment or the file.
func helpWithVariable(flag *cli.Flag) string {
	if flag.Group == "" && flag.Name != "config" {
		return flag.Help
	}
	return flag.Help + " ($" + variable(flag.Name) + ")"
}
