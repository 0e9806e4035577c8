package config

import (
	"errors"
	"strings"
)

// moveTargets reads the targets of a move.
func (c *commandLine) moveTargets(sources *sources, options *Options) error {
	b := &builder{line: c, sources: sources}
	options.To = b.secret("to", c.Move.To, c.Move.ToFile, targetOf(SQLiteScheme, parseDatabaseURL))
	options.FilesTo = b.secret("files-to", c.Move.FilesTo, c.Move.FilesToFile, targetOf(FolderScheme, parseFilesURL))
	given := options.To != "" || options.FilesTo != ""
	switch {
	case b.err != nil:
		return b.err
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
