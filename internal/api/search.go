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
	From      int64  `query:"from" minimum:"0" doc:"Only hits from this second on, by their timestamp, Unix seconds." example:"1767225600"`
	To        int64  `query:"to" minimum:"0" doc:"Only hits up to this second, Unix seconds." example:"1769817600"`
	After     string `query:"after" maxLength:"128" doc:"Read on after the page that had this as next, with the same text and filters. The page is then not used." example:"1767225601000000.019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10.2"`
	Group     string `query:"group" enum:"sessions" doc:"sessions: list sessions, the one with the newest hit first, with the newest 3 hits of each. Default: list hits." example:"sessions"`
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
	query := parley.Search{
		Text: in.Text, SessionID: in.SessionID, From: in.From, To: in.To, After: in.After,
		Grouped: in.Group == parley.GroupBySessions,
	}
	if in.In != "" {
		query.In = strings.Split(in.In, ",")
	}
	return a.chat.Search(ctx, userID(ctx), query, in.page())
}
