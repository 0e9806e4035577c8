package reference

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// describe returns what the document says of an operation.
func (p *page) describe(op operation) string {
	parts := []string{fmt.Sprintf("**`%s %s`** %s", op.method, op.path, access(op)), wrap(code(op.Description))}
	var inputs []row
	for _, content := range op.RequestBody.Content {
		inputs = p.fields("", p.follow(content.Schema), true)
	}
	for _, in := range op.Parameters {
		var note string
		switch {
		case in.In == "path":
			continue
		case in.Required:
			note = ", required"
		case in.In == "header" || op.method != http.MethodGet:
			note = ", " + in.In
		}
		inputs = append(inputs, p.row(in.Name, in.Schema, note))
	}
	parts = append(parts, table("input", inputs), errorsOf(op), p.success(op))
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// access says who may call an operation.
func access(op operation) string {
	if len(op.Security) == 0 {
		return "without a token"
	}
	for _, way := range op.Security {
		if scopes, keys := way["key"]; keys {
			return "with a token or a `" + scopes[0] + "` key"
		}
	}
	return "with a token, not a key"
}

// everywhere has the errors that operations have in common. The chapter on errors explains them.
var everywhere = []string{
	"1001: an input breaks a rule",
	"1001: no such path; /openapi.json lists all paths",
	"1001: a key can't do this; use the token of a login",
	"1001: this key can't do this; it needs the scope chat",
	"1001: this key can't do this; it needs the scope files",
	"1001: administrators of this server need a second factor; set it up in the settings of your account first",
	"1001: the request body is larger than 2 MiB",
	"1001: the request body is larger than 16 KiB",
	"1001: compressed request bodies are not supported; send it uncompressed",
	"1005: the access token is missing, invalid or expired; log in again",
	"1006: too many requests; try again later",
	"5000: internal server error",
	"5000: the server is busy; try again shortly",
	"5000: the request took longer than the time limit",
}

// errorsOf returns the other errors of an operation.
func errorsOf(op operation) string {
	var all []string
	for status, response := range op.Responses {
		for line := range strings.SplitSeq(response.Description, "\n\n") {
			if number, text, _ := strings.Cut(line, ": "); status >= "400" && !slices.Contains(everywhere, line) {
				all = append(all, fmt.Sprintf("%s with HTTP %s, %s", number, status, text))
			}
		}
	}
	slices.Sort(all)
	switch len(all) {
	case 0:
		return ""
	case 1:
		return wrap("Error: " + all[0] + ".")
	}
	list := "Errors:\n"
	for _, text := range all {
		list += "\n" + strings.ReplaceAll(wrap("- "+text), "\n", "\n  ")
	}
	return list
}

// success returns what an operation responds with.
func (p *page) success(op operation) string {
	response := op.Responses["200"]
	envelope, isJSON := response.Content["application/json"]
	if !isJSON {
		kinds := slices.Sorted(maps.Keys(response.Content))
		return wrap("Response: `" + strings.Join(kinds, "`, `") + "`. " + response.Description)
	}
	body, hasBody := p.follow(envelope.Schema).Properties["body"]
	switch {
	case !hasBody:
		return "No body."
	case p.link(body) != "":
		return "Body: " + p.link(body) + "."
	}
	return table("body", p.fields("", p.follow(body), false))
}

// row is a line of a table: an input or a field.
type row struct{ name, kind, meaning string }

// fields returns the rows of an object, those of required fields first. In it an object without a table of its own is
// followed by its fields.
func (p *page) fields(prefix string, object schema, input bool) []row {
	names := slices.Clone(object.Required)
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var rows []row
	for i, name := range names {
		field := object.Properties[name]
		var note string
		if required := i < len(object.Required); required && input {
			note = ", required"
		} else if !required && !input {
			note = ", optional"
		}
		rows = append(rows, p.row(prefix+name, field, note))
		inner := prefix + name + "."
		if field.Items != nil {
			field, inner = *field.Items, prefix+name+"[]."
		}
		if p.link(field) == "" {
			rows = append(rows, p.fields(inner, p.follow(field), input)...)
		}
	}
	return rows
}

// hasBounds finds bounds in a meaning.
var hasBounds = regexp.MustCompile(`(at most|from|\d to) \d`)

// row returns the row of an input or a field, with a note on its type. Bounds and a default are added to the type
// unless the meaning has them.
func (p *page) row(name string, s schema, note string) row {
	kind, english := p.kind(s)+note, message.NewPrinter(language.English)
	if s.Default != nil && !strings.Contains(s.Description, "Default:") {
		kind += english.Sprintf(", default `%v`", s.Default)
	}
	switch {
	case hasBounds.MatchString(s.Description):
	case s.MaxLength != nil && s.MinLength != nil:
		kind += english.Sprintf(", %d to %d characters", *s.MinLength, *s.MaxLength)
	case s.MaxLength != nil:
		kind += english.Sprintf(", at most %d characters", *s.MaxLength)
	case s.MinLength != nil:
		kind += english.Sprintf(", %d or more characters", *s.MinLength)
	case s.Minimum != nil && s.Maximum != nil:
		kind += english.Sprintf(", %d to %d", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += english.Sprintf(", from %d", *s.Minimum)
	}
	return row{"`" + name + "`", kind, code(s.Description)}
}

// kind says of what type a value is.
func (p *page) kind(s schema) string {
	switch {
	case p.link(s) != "":
		return p.link(s)
	case s.Items != nil:
		if item := p.kind(*s.Items); item == "string" || item == "object" {
			return "list of " + item + "s"
		}
		return "list of " + p.kind(*s.Items)
	case len(s.Enum) > 0:
		var words []string
		for _, value := range s.Enum {
			words = append(words, fmt.Sprintf("`%v`", value))
		}
		return strings.Join(words, ", ")
	case s.Format == "binary":
		return "file"
	}
	return p.follow(s).Type
}

// link returns the link to the table of an object, or "" if it has none.
func (p *page) link(s schema) string {
	if anchor := p.anchors[s.name()]; anchor != "" {
		return "[" + s.name() + "](#" + anchor + ")"
	}
	return ""
}

// table returns a table, or "" without rows.
func table(first string, rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	text := "| " + first + " | type | meaning |\n|---|---|---|"
	for _, r := range rows {
		text += "\n| " + r.name + " | " + r.kind + " | " + strings.ReplaceAll(r.meaning, "|", `\|`) + " |"
	}
	return text
}

var paths = regexp.MustCompile(`\b(GET|POST|PATCH|DELETE) /[\w/{}]+`)

// code marks the paths in a text as code.
func code(text string) string { return paths.ReplaceAllString(text, "`$0`") }

var line = regexp.MustCompile(`(.{1,120})(?:\s+|$)`)

// wrap breaks a text into lines.
func wrap(text string) string { return strings.TrimSpace(line.ReplaceAllString(text, "$1\n")) }
