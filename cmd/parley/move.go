package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"parley"
	"parley/internal/config"
	"parley/internal/move"
)

// moveData moves the data to another place, or removes the marks of a move.
func moveData(ctx context.Context, settings *config.Settings, options config.Options) error {
	from := move.Place{
		Data: settings.Store.Data, DatabaseURL: settings.Store.DatabaseURL.Reveal(), FilesURL: settings.Files.URL.Reveal(),
	}
	if options.Undo {
		return undoMove(ctx, from)
	}
	to, err := destination(from, options)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	report, err := move.Run(ctx, move.Config{From: from, To: to, Version: version, Progress: newProgress("move").print})
	if errors.Is(err, context.Canceled) {
		return errors.New("move: interrupted; run the same command again to go on")
	}
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	for _, id := range report.Missing {
		fmt.Fprintf(os.Stderr, "warning: document %s lacked some of its bytes already\n", id)
	}
	fmt.Printf("moved and compared: %d rows of %d tables, %d files of %s\n",
		report.Rows, report.Tables, report.Files, parley.FormatSize(report.Bytes))
	fmt.Print("start the server with these settings:\n" + describeSettings(from, to))
	fmt.Println("nothing was deleted at the old place; no server starts there unless you run parley move --undo")
	return nil
}

func undoMove(ctx context.Context, at move.Place) error {
	other, err := move.Undo(ctx, at)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	fmt.Printf("servers can use %s again; what %s has is not changed\n", at, other)
	return nil
}

// destination returns the place that the options move the data to. A server has one data folder: SQLite and files in
// a folder must share it.
func destination(from move.Place, options config.Options) (move.Place, error) {
	to := from
	folder, isSQLite := strings.CutPrefix(options.To.Reveal(), config.SQLiteScheme)
	if isSQLite {
		to.Data, to.DatabaseURL = folder, ""
	} else if options.To != "" {
		to.DatabaseURL = options.To.Reveal()
	}
	filesFolder, isFolder := strings.CutPrefix(options.FilesTo.Reveal(), config.FolderScheme)
	switch {
	case isFolder && to.DatabaseURL == "" && !move.SameFolder(filesFolder, to.Data):
		return to, fmt.Errorf("files in a folder are in the data folder, which is %s for SQLite there", to.Data)
	case isFolder:
		to.Data, to.FilesURL = filesFolder, ""
	case options.FilesTo != "":
		to.FilesURL = options.FilesTo.Reveal()
	}
	return to, nil
}

// describeSettings lists the settings that differ at the new place, without secrets.
func describeSettings(from, to move.Place) string {
	var lines []string
	if to.Data != from.Data {
		lines = append(lines, "PARLEY_DATA="+to.Data)
	}
	for _, setting := range []struct{ name, before, now, flag string }{
		{"PARLEY_DATABASE_URL", from.DatabaseURL, to.DatabaseURL, "--to"},
		{"PARLEY_FILES_URL", from.FilesURL, to.FilesURL, "--files-to"},
	} {
		switch {
		case setting.now == setting.before:
		case setting.now == "":
			lines = append(lines, "no "+setting.name)
		default:
			lines = append(lines, setting.name+"=(the URL of "+setting.flag+")")
		}
	}
	return "  " + strings.Join(lines, "\n  ") + "\n"
}
