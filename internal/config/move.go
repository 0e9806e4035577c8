package config

import (
	"errors"
	"strings"
)

// checkTargets checks the targets of a move.
func checkTargets(options Options) error {
	given := options.To != "" || options.FilesTo != ""
	switch {
	case options.Undo && given:
		return errors.New("--undo takes no target")
	case !options.Undo && !given:
		return errors.New("name where to move: --to for the database, --files-to for the files; see parley move --help")
	}
	return nil
}

// targetOf returns a parser that accepts a scheme with the path of a folder, and what parse does.
func targetOf(scheme string, parse func(string) (Secret, error)) func(string) (Secret, error) {
	return func(s string) (Secret, error) {
		folder, ok := strings.CutPrefix(s, scheme)
		if !ok {
			parsed, err := parse(s)
			if err != nil {
				return "", errors.New(err.Error() + ", or " + scheme + "FOLDER")
			}
			return parsed, nil
		}
		if _, err := parsePath(folder); err != nil {
			return "", errors.New("must name a folder: " + scheme + "FOLDER")
		}
		return Secret(s), nil
	}
}
