package search

import (
	"context"
	"database/sql"
	"maps"

	"parley/internal/db"
	"parley/internal/search/grams"
)

// eachFound calls do with the texts in the index that may contain a key, block by block, the newest block first. sure
// is set if the text contains it. If a block is of an older form it returns grams.ErrDamaged.
func eachFound(
	ctx context.Context, q db.Querier, userID int64, key string, do func(text grams.Entry, sure bool),
) error {
	older, err := db.List(ctx, q, db.ScanOne[int64],
		`SELECT user_id FROM search_blocks WHERE user_id = $1 AND pages < 0 LIMIT 1`, userID)
	if err != nil {
		return err
	}
	if len(older) > 0 {
		return grams.ErrDamaged
	}
	query := grams.ForKeyword(key)
	places, err := findPlaces(ctx, q, userID, query.Need)
	if err != nil || len(places) == 0 {
		return err
	}
	sure := places
	if !query.Exact {
		if sure, err = findRange(ctx, q, userID, query.Enough); err != nil {
			return err
		}
	}
	return db.Each(ctx, q, func(rows *sql.Rows) error {
		var number int64
		var size int
		var entries sql.RawBytes
		if err := rows.Scan(&number, &size, &entries); err != nil {
			return err
		}
		found, certain := places[number], sure[number]
		if found == nil {
			return nil
		}
		left := found.Len()
		err := grams.EachEntry(entries, size, func(place int, text grams.Entry) {
			if !found.Has(place) {
				return
			}
			left--
			if text.Session != "" {
				do(text, certain.Has(place))
			}
		})
		if err == nil && left > 0 {
			err = grams.ErrDamaged // there are places past the end
		}
		return err
	}, `SELECT block, size, names FROM search_blocks WHERE user_id = $1 ORDER BY block DESC`, userID)
}

// findPlaces finds, by block, the places of the texts with a gram in each range.
func findPlaces(ctx context.Context, q db.Querier, userID int64, ranges []grams.Range) (map[int64]grams.Set, error) {
	places, err := findRange(ctx, q, userID, ranges[0])
	for _, r := range ranges[1:] {
		if err != nil || len(places) == 0 {
			break
		}
		var found map[int64]grams.Set
		found, err = findRange(ctx, q, userID, r)
		maps.DeleteFunc(places, func(block int64, set grams.Set) bool {
			set.Intersect(found[block])
			return set.Len() == 0
		})
	}
	return places, err
}

// findRange finds, by block, the places of the texts with a gram in a range. The range
// may begin in the middle of a page.
func findRange(ctx context.Context, q db.Querier, userID int64, r grams.Range) (map[int64]grams.Set, error) {
	if r.Empty() {
		return nil, nil
	}
	found := map[int64]grams.Set{}
	err := db.Each(ctx, q, func(rows *sql.Rows) error {
		var h head
		var page grams.Page
		if err := rows.Scan(&h.block, &h.size, &page.First, (*sql.RawBytes)(&page.Data)); err != nil {
			return err
		}
		set := found[h.block]
		if set == nil {
			set = grams.NewSet(h.size)
		}
		if err := page.Find(r, set); err != nil {
			return err
		}
		if set.Len() > 0 {
			found[h.block] = set
		}
		return nil
	}, `
		SELECT b.block, b.size, p.first, p.data
		FROM search_blocks b CROSS JOIN search_pages p
		WHERE b.user_id = $1 AND p.user_id = $1 AND p.block = b.block AND p.first <= $3
		AND p.first >= COALESCE(
		    (SELECT max(first) FROM search_pages WHERE user_id = $1 AND block = b.block AND first <= $2), $2)`,
		userID, int64(r.First), int64(r.Last))
	return found, err
}
