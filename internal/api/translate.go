package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/language"
)

// languageOf returns the language of the errors of a request.
func languageOf(r *http.Request) language.Language {
	return language.Accepted(r.Header["Accept-Language"])
}

// inLanguage returns a file with its notes in the language that the request accepts.
func inLanguage(ctx context.Context, file parley.File) parley.File {
	if len(file.Notes) == 0 {
		return file
	}
	accepted := language.Accepted(infoOf(ctx).accepts)
	notes := make([]string, len(file.Notes))
	for i, note := range file.Notes {
		notes[i] = accepted.Note(note)
	}
	file.Notes = notes
	return file
}

// translate returns the failure in the language that the request accepts. It adds the header for caches because
// responses outside of /api may be stored.
func (f *failure) translate(w http.ResponseWriter, r *http.Request) *failure {
	w.Header().Add("Vary", "Accept-Language")
	noteCode(r.Context(), f.Code)
	translated := *f
	translated.Message = languageOf(r).Message(f.Message)
	return &translated
}

// translateFailure translates the errors that huma writes. Huma calls it before it writes a response.
func translateFailure(ctx huma.Context, _ string, response any) (any, error) {
	if f, failed := response.(*failure); failed {
		r, w := humachi.Unwrap(ctx)
		return f.translate(w, r), nil
	}
	return response, nil
}
