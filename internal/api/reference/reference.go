// Package reference makes docs/api.md, the reference of the API, from the OpenAPI document and the chapters in this
// folder. A chapter says what the document does not. {{operation "login"}} in it becomes what the document says of an
// operation: path, errors, inputs and body. {{object "Message"}} becomes the fields of an object, to which the
// operations that use it link. All other links are as seen from docs/api.md.
package reference

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// The chapters in their order.
var chapters = []string{
	"introduction", "tour", "envelope", "requests", "errors", "lists", "accounts", "chat", "asking", "favorites",
	"prompts",
	"files",
	"imports", "administration", "paths", "choices",
}

//go:embed *.md
var texts embed.FS

// Page returns docs/api.md. It fails unless the chapters have every operation of the document once.
func Page(document []byte) (string, error) {
	all := []string{"<!-- `make openapi` writes this page from openapi.json and the chapters in internal/api/reference. " +
		"Edit these. -->\n"}
	for _, name := range chapters {
		text, err := texts.ReadFile(name + ".md")
		if err != nil {
			return "", err
		}
		all = append(all, string(text))
	}
	return write(document, strings.Join(all, "\n"))
}

// page is the page while it is written.
type page struct {
	document
	missing map[string]operation // by id
	anchors map[string]string    // of objects that have a table of their own
}

// write returns a text with its markers replaced.
func write(document []byte, text string) (string, error) {
	p := page{missing: map[string]operation{}, anchors: anchorsOfObjects(text)}
	if err := json.Unmarshal(document, &p.document); err != nil {
		return "", fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for path, methods := range p.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			p.missing[op.OperationID] = op
		}
	}
	markers := template.FuncMap{"operation": p.operation, "object": p.object}
	source, err := template.New("chapters").Funcs(markers).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if err := source.Execute(&out, nil); err != nil {
		return "", err
	}
	for id := range p.missing {
		return "", fmt.Errorf("no chapter has {{operation %q}}", id)
	}
	return out.String(), nil
}

// operation replaces the marker of an operation.
func (p *page) operation(id string) (string, error) {
	op, found := p.missing[id]
	if !found {
		return "", fmt.Errorf("there is no operation %s, or it is there twice", id)
	}
	delete(p.missing, id)
	return p.describe(op), nil
}

// object replaces the marker of an object.
func (p *page) object(name string) (string, error) {
	object, known := p.Components.Schemas[name]
	if !known {
		return "", fmt.Errorf("there is no object %s", name)
	}
	return table(name, p.fields("", object, false)), nil
}

var objectMarker = regexp.MustCompile(`^\{\{object "(\w+)"\}\}`)

// anchorsOfObjects returns the anchors of the headings above the markers of objects.
func anchorsOfObjects(text string) map[string]string {
	all, last := map[string]string{}, ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			last = anchor(line)
		}
		if marker := objectMarker.FindStringSubmatch(line); marker != nil {
			all[marker[1]] = last
		}
	}
	return all
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the anchor that a code host gives to a heading.
func anchor(heading string) string {
	words := strings.TrimSpace(strings.TrimLeft(heading, "#"))
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(words), ""), " ", "-")
}
