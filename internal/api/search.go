package api

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley"
)

// SearchQuery is the text of a search and the places to search.
type SearchQuery struct {
	Text      string `query:"q" required:"true" maxLength:"1000" doc:"Text to search for, not blank, in any script and of any length. Case is ignored. % and _ are plain characters." example:"hydrofoil"`
	In        string `query:"in" doc:"What is searched: titles, messages and files, separated by commas. Default: all of them." example:"messages,files"`
	SessionID string `query:"session_id" doc:"Search only this session. Default: all sessions." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
}

// Resolve validates what a schema can't express.
func (s *SearchQuery) Resolve(huma.Context) []error {
	if !utf8.ValidString(s.Text) || strings.ContainsRune(s.Text, 0) {
		return []error{parley.Invalid("q must be valid text")}
	}
	return nil
}

func (a *API) search(ctx context.Context, in *struct {
	Page20
	SearchQuery
},
) (parley.SearchOutput, error) {
	query := parley.Search{Text: in.Text, SessionID: in.SessionID}
	if in.In != "" {
		query.In = strings.Split(in.In, ",")
	}
	return a.chat.Search(ctx, userID(ctx), query, in.page())
}
