package api

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/internal/account"
	"parley/internal/library"
)

func (a *API) listFiles(ctx context.Context, in *SessionPath) (parley.FilesOutput, error) {
	files, err := a.library.Files(ctx, userID(ctx), in.SessionID)
	for i, file := range files {
		files[i] = inLanguage(ctx, file)
	}
	return parley.FilesOutput{Files: files}, err
}

// FilePath is a path with the id of a file.
type FilePath struct {
	FileID string `path:"file_id" doc:"The file." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
}

// fileTextQuery selects a page of a file's text.
type fileTextQuery struct {
	FilePath
	parley.FileTextInput
}

// Resolve validates what a schema can't express.
func (q *fileTextQuery) Resolve(huma.Context) []error {
	if !utf8.ValidString(q.Find) || strings.ContainsRune(q.Find, 0) {
		return []error{parley.Invalid("find must be valid text")}
	}
	return nil
}

func (a *API) readFile(ctx context.Context, in *fileTextQuery) (parley.FileText, error) {
	query := library.TextQuery{Page: in.Page, At: in.At, Find: in.Find}
	text, err := a.library.Text(ctx, userID(ctx), in.FileID, query)
	if err != nil {
		return text, err
	}
	text.File = inLanguage(ctx, text.File)
	return text, nil
}

func (a *API) deleteFile(ctx context.Context, in *struct {
	FilePath
	SessionID string `query:"session_id" doc:"Removes the file from this session only. It is deleted if no other session has it." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
},
) (parley.Done, error) {
	var err error
	if in.SessionID == "" {
		err = a.library.Delete(ctx, userID(ctx), in.FileID)
	} else {
		err = a.library.DeleteOf(ctx, userID(ctx), in.SessionID, in.FileID)
	}
	if err != nil {
		return parley.Done{}, err
	}
	a.accounts.AuditDeletion(ctx, account.FileDeleted, identity(ctx), in.FileID, caller(ctx))
	return parley.Done{}, nil
}
