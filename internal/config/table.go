package config

import (
	"strings"

	"parley/internal/cli"
)

// Setting is a row of the table of settings, for documents.
type Setting struct {
	// Variable is its environment variable, Key its name in the settings file.
	Variable, Key string
	// Group is its heading in the help.
	Group   string
	Default string
	Help    string
	// Words lists the only values allowed, or is nil.
	Words []string
	// Form describes the value: duration, size, number, list or empty. Least and Most are the bounds of a number as
	// text; Most may be empty.
	Form, Least, Most string
	// IsSecret is set if the value can also come from a file. The variable with the suffix _FILE names that file.
	IsSecret bool
	// Live is its name if it can be changed while the server runs, or empty.
	Live string
	// See is the page of the documents that says more, or empty.
	See string
}

// Table returns all settings, in the order of the help.
func Table() []Setting {
	var table []Setting
	for _, flag := range cli.New("", "", new(commandLine)).Flags {
		if flag.Type == "" { // --config, or the file of a secret
			continue
		}
		table = append(table, Setting{
			Variable: variable(flag.Name), Key: key(flag.Name), Group: strings.TrimSuffix(flag.Group, ":"),
			Default: flag.Default, Help: flag.Help, Words: kindOf(flag.Tag).words,
			Form: form(flag), Least: flag.Tag.Get("min"), Most: flag.Tag.Get("max"),
			IsSecret: flag.File != nil, Live: flag.Tag.Get("live"), See: flag.Tag.Get("see"),
		})
	}
	return table
}

// form returns the Form of a setting.
func form(flag *cli.Flag) string {
	if kindOf(flag.Tag).isList {
		return "list"
	}
	switch first, _, _ := strings.Cut(flag.Type, " "); first {
	case "duration", "size", "number":
		return first
	case "retention", "days":
		return "duration"
	default:
		return ""
	}
}
