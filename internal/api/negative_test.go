package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// wrongValues are JSON values that most fields refuse.
var wrongValues = []string{
	`null`, `""`, `" "`, `"\u0000"`, `"\ud800"`, "\"\xff\"", `"渡船"`, `true`, `-1`, `0`, `0.5`, `1e999`,
	`9223372036854775808`, `[]`, `{}`, `"` + strings.Repeat("a", 1000) + `"`,
}

// wrongBodies are bodies that most operations refuse.
var wrongBodies = []string{
	``, `null`, `[]`, `""`, `{`, `{}{}`, `{"a":`, "\x00", "\xff", `{"a":` + strings.Repeat("[", 20_000),
	strings.Repeat(" ", 17<<10) + "{}", strings.Repeat(" ", 2<<20) + "{}",
}

// wrongHeaders are headers that an operation refuses or ignores.
var wrongHeaders = [][]string{
	{"Content-Encoding: gzip"},
	{"Content-Type: multipart/form-data"},
	{"Content-Type: multipart/form-data; boundary=a"},
	{"Idempotency-Key: a", "Idempotency-Key: b"},
	{"Idempotency-Key: " + strings.Repeat("a", 1000)},
	{"Range: bytes=9-1"},
	{"Last-Event-ID: -1"},
	{"If-Match: a"},
	{"Authorization: Bearer a"},
}

// TestNoInputIsTheServersFault sends wrong values to every operation of openapi.json, one at a time. Every response
// must be in the document. None may be 5xx, unless it says that web search is not set up.
func TestNoInputIsTheServersFault(t *testing.T) {
	testtier.Slow(t)
	each(t, func(w *world) {
		seen := map[int]int{}
		var ada *client.Client
		var own things
		for _, key := range slices.Sorted(maps.Keys(mustDocument(w.T).operations)) {
			op := mustDocument(w.T).operations[key]
			if ada == nil {
				ada = w.admin(op.Operation.OperationID)
				own = w.property(ada)
			}
			try := func(path, body string, headers ...string) {
				got := w.request(op.Method, path, body, append([]string{as(ada)}, headers...)...)
				seen[got.StatusCode]++
				// A request may ask for a web search, but none is set up.
				if got.StatusCode >= http.StatusInternalServerError && got.code() != parley.CodeSearchUnavailable {
					w.Errorf("%s %.200s, %.200q, %.100q: HTTP %d, %s", op.Method, path, body, headers, got.StatusCode, got.text)
				}
			}
			op.tryWrong(w, own, try)
			if op.Method != http.MethodGet {
				ada = nil // the operation may have deleted them
			}
		}
		w.Logf("responses by status: %v", seen)
		for _, status := range []int{400, 401, 404, 409, 413, 415} {
			if seen[status] == 0 {
				w.Errorf("no response had the status %d", status)
			}
		}
		w.wantsNoBlame()
	})
}

// wantsNoBlame fails the test if the server blames itself for an input. It ignores work on a timer, which may be late
// on a busy machine whatever the input is.
func (w *world) wantsNoBlame() {
	w.Helper()
	for line := range strings.Lines(w.Log.String()) {
		byClock := strings.Contains(line, `msg="renew lease"`) || strings.Contains(line, `msg="claim an import"`)
		if strings.Contains(line, "level=ERROR") && !byClock || strings.Contains(line, "status=500") {
			w.Errorf("the server blames itself for an input: %s", line)
		}
	}
}

// tryWrong calls try with requests that differ from a valid one in one thing.
func (o operation) tryWrong(w *world, own things, try func(path, body string, headers ...string)) {
	w.Helper()
	body, kind := o.exampleBody(w, own)
	headers := slices.DeleteFunc([]string{kind}, func(h string) bool { return h == "" })
	path := o.examplePath(w, own, "", "")
	for _, wrong := range wrongHeaders {
		try(path, body, append(headers[:len(headers):len(headers)], wrong...)...)
	}
	for _, p := range o.Operation.Parameters {
		for _, wrong := range wrongValues {
			value := strings.Trim(wrong, `"`)
			if json.Valid([]byte(wrong)) && strings.HasPrefix(wrong, `"`) {
				w.must(json.Unmarshal([]byte(wrong), &value))
			}
			try(o.examplePath(w, own, p.Value.Name, value), body, headers...)
		}
	}
	if body == "" {
		return
	}
	for _, wrong := range wrongBodies {
		try(path, wrong, headers...)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &fields) != nil {
		return // an upload
	}
	for name := range fields {
		for _, wrong := range wrongValues {
			try(path, withField(fields, name, wrong), headers...)
		}
	}
}

// withField returns a JSON object with one field replaced. The new value need not be valid.
func withField(fields map[string]json.RawMessage, name, value string) string {
	members := []string{`"` + name + `":` + value}
	for other, own := range fields {
		if other != name {
			members = append(members, `"`+other+`":`+string(own))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// examplePath returns the path and query of a valid request. If name is not empty, that parameter gets value instead.
func (o operation) examplePath(w *world, own things, name, value string) string {
	w.Helper()
	path, query := o.Path, url.Values{}
	for _, p := range o.Operation.Parameters {
		used := exampleOf(w, own, p.Value.Name, p.Value.Schema.Value)
		if p.Value.Name == name {
			used = value
		}
		switch p.Value.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", url.PathEscape(used))
		case "query":
			query.Set(p.Value.Name, used)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}
