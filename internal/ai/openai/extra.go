package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// secrets are texts that no failure may contain.
type secrets []string

// in returns text without the secrets.
func (s secrets) in(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return text
}

// minSecret is the length from which the value of a header counts as a secret. Shorter ones are words such as "true".
const minSecret = 8

// secretsOf returns the secrets of a configuration.
func secretsOf(cfg Config) secrets {
	var all secrets
	if cfg.APIKey != "" {
		all = append(all, cfg.APIKey)
	}
	for _, value := range cfg.Headers {
		if len(value) >= minSecret {
			all = append(all, value)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may contain another
	return all
}

// authorize sets the key and the further headers of a request.
func (c *Client) authorize(req *http.Request) {
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
}

// ownFields are the fields of a request that the configuration can't replace.
var ownFields = []string{"model", "messages", "stream"}

// checkExtra checks the further fields and headers of a configuration.
func checkExtra(cfg Config) error {
	if err := checkFieldRules(cfg); err != nil {
		return err
	}
	for _, name := range ownFields {
		if _, set := cfg.Body[name]; set {
			return fmt.Errorf("the field %s can't be set", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Headers)) {
		value := cfg.Headers[name]
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == ':' }) {
			return fmt.Errorf("%q can't be the name of a header", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			return fmt.Errorf("the value of the header %s has characters that no header can carry", name)
		}
	}
	return nil
}

// encode returns the body of a request, with the further fields of the configuration. They replace fields of the same
// name.
func (c *Client) encode(request wireRequest) ([]byte, error) {
	data, err := json.Marshal(request)
	if err != nil || len(c.body) == 0 {
		return data, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	for name, value := range c.body {
		if fields[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}
