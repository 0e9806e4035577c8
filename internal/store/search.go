package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/fold"
)

// keywordGrams lists the fewest grams that a text with the keyword must have, and
// whether having them is enough.
func keywordGrams(userID int64, key string) (words []string, exact bool) {
	for _, word := range strings.Fields(key) {
		if runes := []rune(word); len(runes) == 1 {
			words = append(words, gram(userID, runes[0]))
		} else {
			for i := 1; i < len(runes); i++ {
				words = append(words, gram(userID, runes[i-1], runes[i]))
			}
		}
	}
	// A gram that is the whole keyword is enough; white space is in none.
	exact = len(words) == 1 && !strings.ContainsFunc(key, unicode.IsSpace)
	slices.Sort(words)
	return slices.Compact(words), exact
}

// FindSessions reads a page of the user's sessions whose title or one of whose
// messages holds the keyword, latest activity first, and their number. The keyword is
// given as its fold.Key.
func (s *Store) FindSessions(ctx context.Context, userID int64, key string, page parley.Page) ([]parley.Session, int64, error) {
	skip, ok := page.Skip()
	if !ok {
		page.Size = 0
	}
	found := []parley.Session{}
	var total int64
	words, exact := keywordGrams(userID, key)
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		hits, err := list(ctx, q, scanHit, `
			SELECT s.id, s.title, s.message_count, s.last_message_at, h.entries
			FROM (`+s.searchHits()+`) h JOIN sessions s ON s.id = h.session_id
			WHERE s.user_id = $1
			ORDER BY s.active_at DESC, s.id DESC`, userID, s.searchTerm(words))
		if err != nil {
			return err
		}
		for _, hit := range hits {
			wanted := total >= skip && total < skip+page.Size
			matched, err := hit.match(ctx, q, key, exact, wanted)
			if err != nil {
				return err
			}
			if !matched {
				continue
			}
			total++
			if wanted {
				found = append(found, hit.session)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("find sessions: %w", err)
	}
	return found, total, nil
}

// hit is a session that may match, and the entries in it that may.
type hit struct {
	session parley.Session
	entries []entry
}

// entry is a text of a session: its number, and whether the index knows it.
type entry struct {
	number  int64
	indexed bool
}

func scanHit(rows *sql.Rows) (h hit, err error) {
	var entries string
	if err := rows.Scan(&h.session.ID, &h.session.Title, &h.session.MessageCount, &h.session.LastMessageTime, &entries); err != nil {
		return h, err
	}
	h.session.LastMessageTime = seconds(h.session.LastMessageTime)
	for word := range strings.SplitSeq(entries, ",") {
		digits, queued := strings.CutPrefix(word, "?")
		number, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return h, fmt.Errorf("read search hits: %w", err)
		}
		h.entries = append(h.entries, entry{number: number, indexed: !queued})
	}
	slices.SortFunc(h.entries, func(a, b entry) int { return int(a.number - b.number) })
	return h, nil
}

// match looks for the first entry that holds the keyword, and where wanted makes the
// snippet. Entries of which the index knows enough need not be read.
func (h *hit) match(ctx context.Context, q querier, key string, exact, wanted bool) (bool, error) {
	for _, e := range h.entries {
		if exact && e.indexed && (!wanted || e.number == titleNumber) {
			return true, nil
		}
		text := h.session.Title
		if e.number != titleNumber {
			if err := q.QueryRowContext(ctx, `SELECT content FROM messages WHERE session_id = $1 AND number = $2`,
				h.session.ID, e.number).Scan(&text); err != nil {
				return false, err
			}
		}
		if !strings.Contains(fold.Key(text), key) {
			continue
		}
		if wanted && e.number != titleNumber {
			h.session.Snippet = snippet(text, key)
		}
		return true, nil
	}
	return false, nil
}

// snippet is the text around the first occurrence of the keyword, on one line.
func snippet(text, key string) string {
	const around = 60
	start, end, _ := fold.Find(text, key)
	from, to := start, end
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < around && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}

// FindFavorites reads a page of the user's favorites that hold the keyword, newest
// first, and their number. The keyword is given as its fold.Key.
func (s *Store) FindFavorites(ctx context.Context, userID int64, key string, page parley.Page) ([]parley.Favorite, int64, error) {
	skip, ok := page.Skip()
	if !ok {
		page.Size = 0
	}
	found := []parley.Favorite{}
	var total int64
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `
			SELECT `+favoriteColumns+`
			FROM messages m JOIN sessions s ON s.id = m.session_id
			WHERE m.user_id = $1 AND m.favorite_id IS NOT NULL
			ORDER BY m.favorited_at DESC, m.favorite_id DESC`, userID)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err tells
		for rows.Next() {
			favorite, err := scanFavorite(rows)
			if err != nil {
				return err
			}
			if !strings.Contains(fold.Key(favorite.Content), key) {
				continue
			}
			if total >= skip && total < skip+page.Size {
				found = append(found, favorite)
			}
			total++
		}
		return rows.Err()
	})
	if err != nil {
		return nil, 0, fmt.Errorf("find favorites: %w", err)
	}
	return found, total, nil
}
