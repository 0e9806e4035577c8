package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const maxFile = 1 << 20

// file is a settings file. Its keys have been checked, its values have not.
type file struct {
	path   string
	values map[string]value
	models models
}

// value is the text of a setting and its line number.
type value struct {
	text string
	line int
}

// readFile reads the YAML file at path and refuses unknown keys. known says which keys may have a YAML list.
func readFile(path string, known map[string]bool) (*file, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("settings file: %w", err)
	}
	f, err := parseFile(data, known)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	f.path = path
	return f, nil
}

// parseFile parses a settings file. Its errors begin with the line number.
func parseFile(data []byte, known map[string]bool) (*file, error) {
	f := &file{values: map[string]value{}}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf(" %w", err)
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		return nil, errors.New(" holds more than one YAML document")
	}
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		return f, nil
	}
	err = eachField(document.Content[0], func(name string, node *yaml.Node) error {
		var err error
		var text string
		isList, isKnown := known[name]
		switch {
		case name == "models":
			f.models, err = parseModels(node)
		case isKnown:
			text, err = settingText(name, node, isList)
			f.values[name] = value{text: text, line: node.Line}
		default:
			err = atLine(node, "there is no setting %q", name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// eachField calls visit for each field of a mapping, in order. It skips null fields, which count as not set.
func eachField(node *yaml.Node, visit func(name string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return atLine(node, "here must be lines of the form name: value")
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(node.Content, 2) {
		name := pair[0].Value
		if seen[name] {
			return atLine(pair[0], "%s is there twice", name)
		}
		seen[name] = true
		// Errors name the line of the key: the value may start on a later line.
		field := *pair[1]
		field.Line = pair[0].Line
		if isNull(&field) {
			continue
		}
		if err := visit(name, &field); err != nil {
			return err
		}
	}
	return nil
}

func settingText(name string, node *yaml.Node, isList bool) (string, error) {
	if node.Kind != yaml.SequenceNode || !isList {
		return scalar(name, node)
	}
	var texts []string
	for _, item := range node.Content {
		text, err := scalar(name, item)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ","), nil
}

func scalar(name string, node *yaml.Node) (string, error) {
	if node.Kind != yaml.ScalarNode {
		return "", atLine(node, "%s must be a single value", name)
	}
	return node.Value, nil
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == "!!null"
}

func atLine(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%d: "+format, append([]any{node.Line}, args...)...)
}

// readBounded reads a file of at most maxFile bytes.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB", path)
	}
	return data, nil
}

// readSecret reads a secret from a file and strips the line breaks at its end.
func readSecret(path string) (Secret, error) {
	data, err := readBounded(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(data), "\r\n")
	if text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return Secret(text), nil
}
