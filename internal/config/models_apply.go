package config

import (
	"cmp"
	"fmt"
	"slices"
)

// apply returns base with the settings of the block applied. If the block names another server, apply keeps only the
// context size of base. Above all, it must not send the key of one server to another.
func (b *block) apply(base Upstream) (Upstream, error) {
	if b == nil {
		return base, nil
	}
	u := base
	if b.baseURL != "" {
		u = Upstream{BaseURL: b.baseURL, Thinking: "auto", ContextTokens: base.ContextTokens}
	}
	if b.weight != 0 {
		return Upstream{}, b.failure("weight is for the servers of a model")
	}
	b.describe(&u)
	if err := b.applyServers(&u); err != nil {
		return Upstream{}, err
	}
	if b.fallback == nil {
		return u, nil
	}
	fallback, err := b.fallback.applyAsFallback(u)
	u.Fallback = &fallback
	return u, err
}

// change applies the settings in the block to a server.
func (b *block) change(u *Upstream) {
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
	if b.allow != nil {
		u.Allow = b.allow
	}
	if b.refuse != nil {
		u.Refuse = b.refuse
	}
}

// describe sets the description, images and price. A block that names another model inherits none of them.
func (b *block) describe(u *Upstream) {
	if b.model != "" || b.servers != nil {
		u.Description, u.Images, u.Price = "", false, nil
	}
	u.Description = cmp.Or(b.description, u.Description)
	u.Price = cmp.Or(b.price, u.Price)
	if b.images != nil {
		u.Images = *b.images
	}
}

// applyAsFallback returns the fallback of base. The fallback must differ from base. It does not inherit the model for
// deep thinking, which may be the one that failed.
func (b *block) applyAsFallback(base Upstream) (Upstream, error) {
	if b.baseURL == "" && b.model == "" && b.servers == nil {
		return Upstream{}, b.failure("a fallback must name its own base_url or model")
	}
	base.Fallback = nil
	base.ThinkingModel = ""
	base.Servers = slices.Clone(base.Servers)
	for i := range base.Servers {
		base.Servers[i].ThinkingModel = ""
	}
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
