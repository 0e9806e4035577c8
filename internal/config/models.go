package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/internal/cli"
)

// models is the models section of the settings file. A model without a block is nil.
type models struct {
	Default  *block
	Basic    *block
	Enhanced *block
	// Added holds the models that have names of their own.
	Added []addedBlock
}

type addedBlock struct {
	name string
	*block
}

// block holds the settings of one model in the file. Fields that are not set are empty.
type block struct {
	name          string
	line          int
	baseURL       Address
	apiKey        Secret
	model         string
	thinking      string
	thinkingModel string
	contextTokens int
	maxTokens     int
	headers       map[string]Secret
	body          map[string]any
	allow         []string
	refuse        []string
	description   string
	images        *bool
	price         *Price
	weight        int
	servers       []*block
	fallback      *block
}

func parseModels(node *yaml.Node) (models, error) {
	var m models
	err := eachField(node, func(name string, node *yaml.Node) error {
		b, err := parseBlock("models."+name, node)
		if err != nil {
			return err
		}
		switch name {
		case "default":
			m.Default = b
		case "basic":
			m.Basic = b
		case "enhanced":
			m.Enhanced = b
		default:
			m.Added = append(m.Added, addedBlock{name: name, block: b})
			return b.checkAdded(name)
		}
		return nil
	})
	return m, err
}

// checkAdded checks the block of a model that has its own name.
func (b *block) checkAdded(name string) error {
	if _, err := parseName(name); err != nil {
		return b.failure("the name of a model " + err.Error())
	}
	for _, known := range []string{"default", "basic", "enhanced"} {
		if cli.Distance(strings.ToLower(name), known) <= maxTypos {
			return b.failure(fmt.Sprintf("the name %q is too much like %s; is that meant?", name, known))
		}
	}
	if b.model == "" && b.servers == nil {
		return b.failure("model is missing: the server's name of the model")
	}
	return nil
}

// maxTypos is the largest distance from default, basic or enhanced at which a name is taken for a typo.
const maxTypos = 2

func parseBlock(name string, node *yaml.Node) (*block, error) {
	b := &block{name: name, line: node.Line}
	var keyFile Secret
	err := eachField(node, func(field string, node *yaml.Node) error {
		if known, err := b.section(field, node); known {
			return err
		}
		text, err := scalar(name+"."+field, node)
		if err != nil {
			return err
		}
		if field == "api_key_file" {
			keyFile, err = readKey(text)
		} else {
			err = b.set(field, text)
		}
		switch {
		case errors.Is(err, errNoSuchField):
			return atLine(node, "there is no setting %q in %s", field, name)
		case err != nil:
			return atLine(node, "%s.%s: %w", name, field, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.apiKey != "" && keyFile != "" {
		return nil, atLine(node, "%s has both api_key and api_key_file: keep one", name)
	}
	b.apiKey += keyFile
	return b, nil
}

// section reads a field with more than one value. It reports whether it knows the field.
func (b *block) section(field string, node *yaml.Node) (known bool, err error) {
	name := b.name + "." + field
	switch field {
	case "fallback":
		b.fallback, err = parseBlock(name, node)
	case "servers":
		b.servers, err = parseServers(name, node)
	case "price":
		b.price, err = parsePrice(name, node)
	case "headers":
		b.headers, err = parseHeaders(name, node)
	case "body":
		if node.Decode(&b.body) != nil {
			err = atLine(node, "%s must be lines of the form name: value", name)
		}
	case "allow":
		b.allow, err = parseFields(name, node)
	case "refuse":
		b.refuse, err = parseFields(name, node)
	default:
		return false, nil
	}
	return true, err
}

var errNoSuchField = errors.New("there is no such setting")

// set sets a field with a single value.
func (b *block) set(field, text string) (err error) {
	switch field {
	case "base_url":
		b.baseURL, err = parseModelServer(text)
	case "api_key":
		b.apiKey, err = parseKey(text)
	case "model":
		b.model, err = parseName(text)
	case "thinking":
		b.thinking, err = oneOf(Thinkings()...)(text)
	case "thinking_model":
		b.thinkingModel, err = parseName(text)
	case "context_tokens":
		b.contextTokens, err = parseTokens(text)
	case "max_tokens":
		b.maxTokens, err = parseTokens(text)
	case "description":
		b.description, err = parseDescription(text)
	case "images":
		b.images, err = parseSwitch(text)
	case "weight":
		b.weight, err = parseWeight(text)
	default:
		return errNoSuchField
	}
	return err
}

// inFile is the suffix of a header's name if its value is the path of a file to read.
const inFile = "_file"

func parseHeaders(block string, node *yaml.Node) (map[string]Secret, error) {
	headers := map[string]Secret{}
	err := eachField(node, func(name string, node *yaml.Node) error {
		text, err := scalar(block+"."+name, node)
		if err != nil {
			return err
		}
		value := Secret(text)
		if header, ok := strings.CutSuffix(name, inFile); ok {
			name = header
			if value, err = readSecret(text); err != nil {
				return atLine(node, "%s.%s%s: %w", block, name, inFile, err)
			}
		}
		if _, twice := headers[name]; twice {
			return atLine(node, "%s has %s and %s%s: keep one", block, name, name, inFile)
		}
		headers[name] = value
		return nil
	})
	return headers, err
}

func readKey(path string) (Secret, error) {
	text, err := readSecret(path)
	if err != nil {
		return "", err
	}
	return parseKey(text.Reveal())
}
