package config

import (
	"math"
	"net/url"
	"strings"

	"parley"
	"parley/internal/cli"
)

// ConnectedModel returns the settings of a model that an administrator connects while the server runs. Its error is for
// that administrator.
func ConnectedModel(in parley.ModelInput, key string) (Upstream, error) {
	u := Upstream{
		Model: in.Model, Thinking: in.Thinking, ContextTokens: in.ContextTokens, Images: in.Images,
		Description: in.Description,
	}
	if u.Thinking == "" {
		u.Thinking = "auto"
	}
	var err error
	if u.BaseURL, err = parseConnected(in.BaseURL); err != nil {
		return Upstream{}, errConnectedAddress
	}
	if u.APIKey, err = parseKey(key); err != nil {
		return Upstream{}, errConnectedKey
	}
	if _, err := parseName(u.Model); err != nil {
		return Upstream{}, errConnectedModel
	}
	if _, err := oneOf(Thinkings()...)(u.Thinking); err != nil {
		return Upstream{}, parley.Invalid(
			"thinking must be one of auto, openai, deepseek, qwen, vllm, ollama, openrouter, effort, none")
	}
	if u.ContextTokens != 0 && (u.ContextTokens < minTokens || u.ContextTokens > math.MaxInt32) {
		return Upstream{}, parley.Invalid("context_tokens must be 0, or at least 256")
	}
	if _, err := parseDescription(u.Description); err != nil {
		return Upstream{}, parley.Invalid("description must be a line of at most 200 characters")
	}
	return u, nil
}

// ConnectedSearch returns the settings of a web-search service that an administrator connects.
func (s Search) ConnectedSearch(in parley.SearchServiceInput, key string) (Search, error) {
	s.Provider, s.URL = in.Provider, ""
	var err error
	if in.URL != "" {
		if s.URL, err = parseConnected(in.URL); err != nil {
			return Search{}, errConnectedAddress
		}
	}
	if s.APIKey, err = parseKey(key); err != nil {
		return Search{}, errConnectedKey
	}
	switch {
	case s.Provider == "searxng" && s.URL == "":
		return Search{}, parley.Invalid("url is missing: the address of SearXNG")
	case s.Provider != "searxng" && s.APIKey == "":
		return Search{}, parley.Invalid("api_key is missing: this service needs one")
	}
	return s, nil
}

// ConnectedEmbed returns the settings of an embeddings server that an administrator connects.
func ConnectedEmbed(in parley.EmbeddingsInput, key string) (Embed, error) {
	e := Embed{Model: in.Model}
	var err error
	if e.BaseURL, err = parseConnected(in.BaseURL); err != nil {
		return Embed{}, errConnectedAddress
	}
	if e.APIKey, err = parseKey(key); err != nil {
		return Embed{}, errConnectedKey
	}
	if _, err := parseName(e.Model); err != nil {
		return Embed{}, errConnectedModel
	}
	return e, nil
}

// Errors of connections, for administrators.
var (
	errConnectedAddress = parley.Invalid(
		"the address must begin with http:// or https:// and have no user, query or fragment; a key goes into api_key")
	errConnectedKey   = parley.Invalid("api_key holds white space or another character that no key has")
	errConnectedModel = parley.Invalid("model must be a name of 1 to 200 characters")
)

// parseConnected accepts an address without anything that may be secret, since administrators see it.
func parseConnected(s string) (Address, error) {
	address, err := parseAddress(s)
	if err != nil {
		return "", err
	}
	if u, err := url.Parse(s); err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errConnectedAddress
	}
	return address, nil
}

// CheckModelName checks whether a model can have a name.
func CheckModelName(name string) error {
	if _, err := parseName(name); err != nil {
		return parley.Invalid("name must have 1 to 200 characters")
	}
	return nil
}

// CheckAddedName checks the name of a model beside the three of the contract.
func (ai AI) CheckAddedName(name string) error {
	if err := CheckModelName(name); err != nil {
		return err
	}
	if strings.Contains(name, "/") || strings.TrimSpace(name) != name {
		return parley.Invalid("name must have no slash, and no space around it")
	}
	if name == ai.DefaultName || name == parley.ModelBasic || name == parley.ModelEnhanced {
		return parley.Invalid("name is that of one of the three models: use default, basic or enhanced")
	}
	for _, known := range []string{parley.ModelRoleDefault, parley.ModelRoleBasic, parley.ModelRoleEnhanced} {
		if cli.Distance(strings.ToLower(name), known) <= maxTypos {
			return parley.Invalid("name is too much like default, basic or enhanced")
		}
	}
	return nil
}
