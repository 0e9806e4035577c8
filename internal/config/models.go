package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// models is the models section of the settings file. A model without a block is nil.
type models struct {
	Default  *block
	Basic    *block
	Enhanced *block
}

// block is the settings of one model in the file. Those that are not set are empty.
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
	price         *Price
	fallback      *block
}

func parseModels(node *yaml.Node) (models, error) {
	var m models
	err := eachField(node, func(name string, node *yaml.Node) error {
		b, err := parseBlock("models."+name, node)
		switch name {
		case "default":
			m.Default = b
		case "basic":
			m.Basic = b
		case "enhanced":
			m.Enhanced = b
		default:
			return atLine(node, "there is no model %q: use default, basic or enhanced", name)
		}
		return err
	})
	return m, err
}

func parseBlock(name string, node *yaml.Node) (*block, error) {
	b := &block{name: name, line: node.Line}
	var keyFile Secret
	err := eachField(node, func(field string, node *yaml.Node) error {
		switch field {
		case "fallback":
			var err error
			b.fallback, err = parseBlock(name+".fallback", node)
			return err
		case "headers":
			var err error
			b.headers, err = parseHeaders(name+".headers", node)
			return err
		case "price":
			var err error
			b.price, err = parsePrice(name+".price", node)
			return err
		case "body":
			if err := node.Decode(&b.body); err != nil {
				return atLine(node, "%s.body must be lines of the form name: value", name)
			}
			return nil
		}
		text, err := scalar(name+"."+field, node)
		if err != nil {
			return err
		}
		switch field {
		case "base_url":
			b.baseURL, err = parseModelServer(text)
		case "api_key":
			b.apiKey, err = parseKey(text)
		case "api_key_file":
			keyFile, err = readKey(text)
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
		default:
			return atLine(node, "there is no setting %q in %s", field, name)
		}
		if err != nil {
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

// inFile is the end of the name of a header whose value is in a file.
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

// apply returns base, changed by the settings of the block. If the block names another server
// only the context size of base is kept: above all, a key must not be sent to another server.
func (b *block) apply(base Upstream) (Upstream, error) {
	if b == nil {
		return base, nil
	}
	u := base
	if b.baseURL != "" {
		u = Upstream{BaseURL: b.baseURL, Thinking: "auto", ContextTokens: base.ContextTokens}
	}
	if b.apiKey != "" {
		u.APIKey = b.apiKey
	}
	if b.model != "" {
		u.Model = b.model
	}
	if b.thinking != "" {
		u.Thinking = b.thinking
	}
	if b.thinkingModel != "" {
		u.ThinkingModel = b.thinkingModel
	}
	if b.contextTokens != 0 {
		u.ContextTokens = b.contextTokens
	}
	if b.maxTokens != 0 {
		u.MaxTokens = b.maxTokens
	}
	if b.headers != nil {
		u.Headers = b.headers
	}
	if b.body != nil {
		u.Body = b.body
	}
	if b.price != nil {
		u.Price = *b.price
	} else if b.model != "" || b.baseURL != "" {
		u.Price = Price{} // that of another model
	}
	if err := b.check(u); err != nil {
		return Upstream{}, err
	}
	if b.fallback == nil {
		return u, nil
	}
	fallback, err := b.fallback.applyAsFallback(u)
	u.Fallback = &fallback
	return u, err
}

// applyAsFallback returns the fallback of base. It must differ from base, and it does not
// inherit the model for deep thinking, which may be the one that failed.
func (b *block) applyAsFallback(base Upstream) (Upstream, error) {
	if b.baseURL == "" && b.model == "" {
		return Upstream{}, b.failure("a fallback must name its own base_url or model")
	}
	base.Fallback = nil
	base.ThinkingModel = ""
	return b.apply(base)
}

func (b *block) check(u Upstream) error {
	switch {
	case (u.BaseURL == "" || u.Builtin()) && u.APIKey != "":
		return b.failure("api_key is given, but no base_url of a server")
	case u.BaseURL != "" && !u.Builtin() && u.Model == "":
		return b.failure("model is missing: the server's name of the model")
	}
	return nil
}

func (b *block) failure(what string) error {
	return fmt.Errorf("%d: %s: %s", b.line, b.name, what)
}
