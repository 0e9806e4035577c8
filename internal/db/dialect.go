package db

import "encoding/json"

// dialect returns the SQL that differs between the databases. It is embedded in DB.
type dialect struct{ postgres bool }

// Shared reports whether several servers can use the database at once.
func (d dialect) Shared() bool { return d.postgres }

// ForUpdate returns the end of a SELECT that locks its rows against other writers. SQLite
// has only one writer.
func (d dialect) ForUpdate() string {
	if d.postgres {
		return ` FOR NO KEY UPDATE` // rows that refer to the locked one may still be added
	}
	return ``
}

// ForKeyShare returns the end of a SELECT that prevents others from deleting its rows.
func (d dialect) ForKeyShare() string {
	if d.postgres {
		return ` FOR KEY SHARE`
	}
	return ``
}

// SkipLocked returns the end of a SELECT that locks its rows and leaves out those that
// others have locked.
func (d dialect) SkipLocked() string {
	if d.postgres {
		return ` FOR UPDATE SKIP LOCKED`
	}
	return ``
}

// AndLock returns a condition for a WHERE clause that locks a number until the transaction
// ends. If others hold the lock, the condition waits for it or is false. Positive numbers
// are used by the migrations.
func (d dialect) AndLock(number string, wait bool) string {
	switch {
	case !d.postgres:
		return ``
	case wait:
		return ` AND pg_advisory_xact_lock(` + number + `) IS NOT NULL`
	default:
		return ` AND pg_try_advisory_xact_lock(` + number + `)`
	}
}

// Now returns an expression for the time of the database's clock in microseconds.
func (d dialect) Now() string {
	if d.postgres {
		return `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`
	}
	return `CAST(unixepoch('subsec') * 1000000 AS INTEGER)`
}

// SelectStrings returns a query of the strings (column "value") of a list. StringsArg
// returns the argument for the placeholder.
func (d dialect) SelectStrings(placeholder string) string {
	if d.postgres {
		return `SELECT unnest(CAST(` + placeholder + ` AS TEXT[])) AS value`
	}
	return `SELECT value FROM json_each(` + placeholder + `)`
}

// StringsArg returns the argument for the placeholder of SelectStrings.
func (d dialect) StringsArg(values []string) any {
	if d.postgres {
		return values
	}
	list, _ := json.Marshal(values) // strings can always be encoded
	return string(list)
}
