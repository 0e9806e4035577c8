package parley

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Quota limits what a user may use in a day of UTC. Limits that are 0 do not apply.
type Quota struct {
	Messages int64
	Tokens   int64
}

// What a user's own quota may be, besides limits.
const (
	QuotaNone    = "none"    // no limits
	QuotaDefault = "default" // that of the server
)

// IsZero reports whether the quota has no limits.
func (q Quota) IsZero() bool { return q == Quota{} }

// String returns the quota in the form that ParseQuota accepts.
func (q Quota) String() string {
	var parts []string
	if q.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("tokens=%d/d", q.Tokens))
	}
	if q.Messages > 0 {
		parts = append(parts, fmt.Sprintf("messages=%d/d", q.Messages))
	}
	if parts == nil {
		return QuotaNone
	}
	return strings.Join(parts, ",")
}

// maxQuota is the largest limit.
const maxQuota = 1e15

// ParseQuota parses limits per day, such as "tokens=1M/d,messages=200/d". Numbers may end in k, M or G. "none" is a
// quota without limits.
func ParseQuota(text string) (Quota, error) {
	var q Quota
	if text = strings.TrimSpace(text); text == QuotaNone {
		return q, nil
	}
	targets := map[string]*int64{"tokens": &q.Tokens, "messages": &q.Messages}
	for part := range strings.SplitSeq(text, ",") {
		name, amount, _ := strings.Cut(strings.TrimSpace(part), "=")
		target := targets[name]
		delete(targets, name) // each once
		number, isDaily := strings.CutSuffix(amount, "/d")
		if target == nil || !isDaily {
			return Quota{}, Invalid("a quota is none, or limits per day such as tokens=1M/d,messages=200/d")
		}
		n, err := parseAmount(number)
		if err != nil {
			return Quota{}, err
		}
		*target = n
	}
	return q, nil
}

func parseAmount(text string) (int64, error) {
	factor := int64(1)
	for suffix, value := range map[string]int64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9} {
		if number, found := strings.CutSuffix(text, suffix); found {
			text, factor = number, value
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > maxQuota/factor {
		return 0, Invalid("the limit of a quota is a whole number from 1, such as 200, 50k or 1M")
	}
	return n * factor, nil
}

// For returns the quota of a user. own is the text stored with the user: empty for the server's quota q, "none", or
// limits. If it can't be parsed, q applies.
func (q Quota) For(own string) Quota {
	if own == "" {
		return q
	}
	parsed, err := ParseQuota(own)
	if err != nil {
		return q
	}
	return parsed
}

// QuotaReset returns when a quota that applies now starts anew.
func QuotaReset(now time.Time) time.Time {
	return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
}

// QuotaUsed returns the error for a user who has used up the quota.
func QuotaUsed(now time.Time) *Error {
	reset := QuotaReset(now)
	return ErrQuotaUsed.WithRetryAfter(max(time.Second, reset.Sub(now))).Case(
		fmt.Sprintf("your quota for today is used up; it starts anew at %v UTC", reset.Format("2006-01-02 15:04")))
}
