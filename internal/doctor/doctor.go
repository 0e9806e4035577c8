// Package doctor checks the data of a server, which may be running, and reports what is
// wrong and what to do. On request it repairs what is safe to repair.
package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/blob"
	"parley/internal/store"
)

// Status is the result of a check.
type Status string

// The results of a check. With a warning nothing is broken yet.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// Check is a check and its result.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	// Advice is what to do, if anything.
	Advice string `json:"advice,omitempty"`
	// Fixed is what was repaired, if anything.
	Fixed string `json:"fixed,omitempty"`
}

// Failed returns a check that could not be performed.
func Failed(name string, err error, advice string) Check {
	return Check{Name: name, Status: Problem, Detail: err.Error(), Advice: advice}
}

// Config configures the checks.
type Config struct {
	Store *store.Store
	Blobs blob.Store
	// Fix enables repairs.
	Fix bool
	// Progress is called from time to time with a description of the current work.
	Progress func(text string)
	// Now is the clock.
	Now func() time.Time
}

const (
	runFix      = "run parley doctor --fix"
	fromBackup  = "restore from a backup; until then what is affected may answer with errors"
	indexSample = 200
)

// Run performs all checks.
func (c Config) Run(ctx context.Context) []Check {
	checks := append([]Check{c.database(ctx)}, c.distribution(ctx)...)
	findings, err := c.audit(ctx)
	if err != nil {
		return append(checks, Failed("data", err, fromBackup))
	}
	return append(checks,
		c.contents(findings),
		c.counters(ctx, findings),
		c.search(ctx, findings),
		c.documents(ctx),
		c.bytes(ctx),
		c.turns(ctx))
}

func (c Config) database(ctx context.Context) Check {
	const name = "database"
	c.Progress("checking the database")
	version, err := c.Store.Version(ctx)
	if err != nil {
		return Failed(name, err, "see that it runs and can be reached")
	}
	found, err := c.Store.Integrity(ctx)
	if err != nil {
		return Failed(name, err, fromBackup)
	}
	if len(found) > 0 {
		return Check{name, Problem, strings.Join(found, "; "), fromBackup, ""}
	}
	return Check{name, OK, fmt.Sprintf("%s, whole, schema %d", version, store.Schema()), "", ""}
}

func (c Config) audit(ctx context.Context) (map[store.AuditKind][]store.Finding, error) {
	c.Progress("comparing counters, messages and search index")
	all, err := c.Store.Audit(ctx)
	findings := map[store.AuditKind][]store.Finding{}
	for _, finding := range all {
		findings[finding.Kind] = append(findings[finding.Kind], finding)
	}
	return findings, err
}

func describe(findings []store.Finding) string {
	var texts []string
	for _, f := range findings {
		texts = append(texts, fmt.Sprintf("not so in %d cases: %s", f.Rows, f.Rule))
	}
	return strings.Join(texts, "; ")
}

func (c Config) contents(findings map[store.AuditKind][]store.Finding) Check {
	if found := findings[store.Contents]; len(found) > 0 {
		const advice = "this should not be: keep a backup of it, and restore an earlier one if users notice"
		return Check{"messages", Problem, describe(found), advice, ""}
	}
	return Check{"messages", OK, "numbered without gaps, every question with its reply", "", ""}
}

func (c Config) counters(ctx context.Context, findings map[store.AuditKind][]store.Finding) Check {
	const name = "counters"
	found := findings[store.Counters]
	if len(found) == 0 {
		return Check{name, OK, "all equal what they count", "", ""}
	}
	if !c.Fix {
		return Check{name, Problem, describe(found), runFix, ""}
	}
	n, err := c.Store.Recount(ctx)
	if err != nil {
		return Failed(name, err, runFix+" again")
	}
	return Check{name, OK, describe(found), "", fmt.Sprintf("%d accounts and sessions were recounted", n)}
}

func (c Config) search(ctx context.Context, findings map[store.AuditKind][]store.Finding) Check {
	const name = "search index"
	wrong, checked, err := c.Store.CheckIndex(ctx, indexSample)
	if err != nil {
		return Failed(name, err, runFix)
	}
	found := findings[store.Search]
	if wrong > 0 {
		rule := fmt.Sprintf("entries of the latest %d texts hold their words", checked)
		found = append(found, store.Finding{Rule: rule, Rows: wrong})
	}
	if len(found) == 0 {
		return Check{name, OK, fmt.Sprintf("has every text once; %d looked into", checked), "", ""}
	}
	if !c.Fix {
		return Check{name, Problem, describe(found), runFix, ""}
	}
	err = c.Store.Reindex(ctx, func(accounts int64) {
		c.Progress(fmt.Sprintf("rebuilding the search index: %d accounts", accounts))
	})
	if err != nil {
		return Failed(name, err, runFix+" again")
	}
	return Check{name, OK, describe(found), "", "rebuilt"}
}

func (c Config) turns(ctx context.Context) Check {
	const name = "open replies"
	t, err := c.Store.CountTurns(ctx)
	switch {
	case err != nil:
		return Failed(name, err, "see that the database can be reached")
	case t.Owners == 0 && t.Open > 0:
		return Check{name, OK, fmt.Sprintf("%d, to be made by the next server that starts; none runs now", t.Open), "", ""}
	case t.Orphaned > 0:
		const advice = "a server takes them over within seconds: look again, and at its log if they stay"
		return Check{name, Warning, fmt.Sprintf("%d of %d belong to no running server", t.Orphaned, t.Open), advice, ""}
	}
	return Check{name, OK, fmt.Sprintf("%d, made by %d running servers", t.Open, t.Owners), "", ""}
}
