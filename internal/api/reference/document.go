package reference

import "strings"

// document is what the page has of an OpenAPI document.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	method, path string

	OperationID string
	Description string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   schema
	}
	RequestBody body
	Responses   map[string]struct {
		Description string
		body
	}
	Security []map[string][]string
}

type body struct {
	Content map[string]struct{ Schema schema }
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type, Format         string
	Description          string
	Properties           map[string]schema
	Required             []string
	Items                *schema
	Enum                 []any
	Default              any
	Minimum, Maximum     *int
	MinLength, MaxLength *int
}

// name returns the name of the object that a schema refers to.
func (s schema) name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// follow returns what a schema refers to, or the schema itself.
func (d document) follow(s schema) schema {
	if s.Ref != "" {
		return d.Components.Schemas[s.name()]
	}
	return s
}
