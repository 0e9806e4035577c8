package config

import (
	"errors"
	"strings"
)

// checkTargets checks that a move has a target, and that an undo has none.
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

// targetOf returns a parser that accepts what parse accepts, or the scheme followed by a folder.
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
