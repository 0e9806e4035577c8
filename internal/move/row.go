package move

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"parley/internal/db"
)

const (
	// firstPage is how many rows are read at first, and maxPage at most. In between it depends on their size.
	firstPage = 16
	maxPage   = 1000
	// pageBytes is about how many bytes of rows are in memory.
	pageBytes = 4 << 20
)

// row has the values of a row in the order of the table's columns: int64, string, []byte or nil.
type row []any

// rows reads and writes the rows of one table.
type rows struct {
	db.Table
	first, next, last, count, insert string // SQL
	keys                             []int  // places of the key's columns in a row
}

func newRows(t db.Table) *rows {
	r := &rows{Table: t}
	var columns, places, keys, down, marks []string
	for i, column := range t.Columns {
		columns, places = append(columns, quote(column.Name)), append(places, fmt.Sprintf("$%d", i+1))
	}
	for i, key := range t.Key {
		keys, down = append(keys, quote(key)), append(down, quote(key)+" DESC")
		marks = append(marks, fmt.Sprintf("$%d", i+1))
		r.keys = append(r.keys, slices.IndexFunc(t.Columns, func(c db.Column) bool { return c.Name == key }))
	}
	name, list, key := quote(t.Name), strings.Join(columns, ", "), strings.Join(keys, ", ")
	all := `SELECT ` + list + ` FROM ` + name
	r.first = all + ` ORDER BY ` + key + ` LIMIT CAST($1 AS BIGINT)`
	r.next = all + ` WHERE (` + key + `) > (` + strings.Join(marks, ", ") + `) ORDER BY ` + key +
		fmt.Sprintf(` LIMIT CAST($%d AS BIGINT)`, len(keys)+1)
	r.last = all + ` ORDER BY ` + strings.Join(down, ", ") + ` LIMIT 1`
	r.count = `SELECT count(*) FROM ` + name
	r.insert = `INSERT INTO ` + name + ` (` + list + `) VALUES (` + strings.Join(places, ", ") + `)`
	return r
}

func quote(name string) string { return `"` + name + `"` }

// scan reads a row.
func (r *rows) scan(rows *sql.Rows) (row, error) {
	values, places := make(row, len(r.Columns)), make([]any, len(r.Columns))
	for i := range values {
		places[i] = &values[i]
	}
	if err := rows.Scan(places...); err != nil {
		return nil, err
	}
	for i, column := range r.Columns {
		value, err := convert(values[i], column.Kind)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", r.Name, column.Name, err)
		}
		values[i] = value
	}
	return values, nil
}

var errKind = errors.New("a value is not of the type of its column")

// convert returns a value as the type of its kind. SQLite stores text as bytes if it is given bytes, and a driver may
// return empty bytes as nil, which another takes for NULL.
func convert(value any, kind db.Kind) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case int64:
		if kind == db.Integer {
			return v, nil
		}
	case string:
		if kind == db.Text {
			return v, nil
		}
	case []byte:
		switch kind {
		case db.Text:
			return string(v), nil
		case db.Bytes:
			return append([]byte{}, v...), nil
		}
	}
	return nil, errKind
}

func (r *rows) keyOf(one row) []any {
	key := make([]any, len(r.keys))
	for i, place := range r.keys {
		key[i] = one[place]
	}
	return key
}

// each calls do with all rows above a key, or all rows if it is nil, in order of the key and some at a time.
func (r *rows) each(ctx context.Context, d *db.DB, after []any, do func([]row) error) error {
	for size := firstPage; ; {
		query, args := r.first, []any{size}
		if after != nil {
			query, args = r.next, append(slices.Clone(after), size)
		}
		page, err := db.ReadList(ctx, d, r.scan, query, args...)
		if err != nil {
			return fmt.Errorf("read %s: %w", r.Name, err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := do(page); err != nil {
			return err
		}
		if len(page) < size {
			return nil
		}
		after = r.keyOf(page[len(page)-1])
		size = min(max(1, size*pageBytes/max(1, sizeOf(page))), 2*size, maxPage)
	}
}

func sizeOf(page []row) (bytes int) {
	for _, one := range page {
		for _, value := range one {
			switch v := value.(type) {
			case string:
				bytes += len(v)
			case []byte:
				bytes += len(v)
			default:
				bytes += 8
			}
		}
	}
	return bytes
}

// copy copies the rows that the target lacks. Rows are added in order of their keys and each page in one transaction.
// The last row shows how far an interrupted move has come.
func (r *rows) copy(ctx context.Context, from, to *db.DB, progress func(rows int)) error {
	last, err := db.ReadList(ctx, to, r.scan, r.last)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.Name, err)
	}
	var after []any
	if len(last) > 0 {
		after = r.keyOf(last[0])
	}
	return r.each(ctx, from, after, func(page []row) error {
		steps := make([]db.Step, len(page))
		for i, one := range page {
			steps[i] = db.Do(r.insert, one...)
		}
		if err := to.Change(ctx, steps...); err != nil {
			return fmt.Errorf("write %s: %w", r.Name, err)
		}
		progress(len(page))
		return nil
	})
}

// sum is the number of a table's rows and a digest of all their values.
type sum struct {
	rows   int64
	digest [sha256.Size]byte
}

// sum reads the whole table.
func (r *rows) sum(ctx context.Context, d *db.DB, progress func(rows int)) (s sum, err error) {
	digest := sha256.New()
	err = r.each(ctx, d, nil, func(page []row) error {
		for _, one := range page {
			for _, value := range one {
				addValue(digest, value)
			}
		}
		s.rows += int64(len(page))
		progress(len(page))
		return nil
	})
	digest.Sum(s.digest[:0])
	return s, err
}

// addValue adds a value to a digest, with its type and its length: different rows must have different digests.
func addValue(digest hash.Hash, value any) {
	var kind byte
	var content []byte
	switch v := value.(type) {
	case nil:
	case int64:
		kind, content = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
	case string:
		kind, content = 't', []byte(v)
	case []byte:
		kind, content = 'b', v
	}
	// A hash returns no error.
	_, _ = digest.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(content))))
	_, _ = digest.Write(content)
}
