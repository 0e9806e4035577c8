package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/internal/id"
	"parley/internal/search/grams"
)

// Cursor is the last hit, or the last session with hits, that a reader has. The zero Cursor is before all of them.
type Cursor grams.Entry

// cursorAt returns the cursor after a text. Which section of a document is found first may change. A file is one hit,
// so the cursor is after all its texts.
func cursorAt(text grams.Entry) Cursor {
	if isFile(text.Name) {
		text.Number = math.MinInt64
	}
	return Cursor(text)
}

// precedes reports whether a text is after the cursor.
func (c Cursor) precedes(text grams.Entry) bool {
	return c == Cursor{} || newestFirst(grams.Entry(c), text) < 0
}

// String returns the cursor as clients get it.
func (c Cursor) String() string { return fmt.Sprintf("%d.%s.%d", c.Time, c.Session, c.Number) }

// ParseCursor parses what Cursor.String has returned, and reports whether it is that.
func ParseCursor(text string) (Cursor, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || !id.Valid(parts[1]) {
		return Cursor{}, false
	}
	time, timeErr := strconv.ParseInt(parts[0], 10, 64)
	number, numberErr := strconv.ParseInt(parts[2], 10, 64)
	if timeErr != nil || numberErr != nil {
		return Cursor{}, false
	}
	return Cursor{Name: grams.Name{Session: parts[1], Number: number}, Time: time}, true
}
