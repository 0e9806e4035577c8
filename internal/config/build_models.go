package config

import (
	"cmp"
	"errors"
	"fmt"

	"parley"
)

func (b *builder) ai() AI {
	c := b.line
	ai := AI{
		DefaultName: read(b, "default-model", c.DefaultModel, parseName),
		ModelTitles: read(b, "titles", c.Titles, oneOf("model", "text")) == "model",

		InstructCalls: read(b, "system-prompt-for", c.SystemPromptFor, oneOf("all", "sessions")) == "all",
		IdleTimeout:   read(b, "ai-idle-timeout", c.AIIdleTimeout, parsePositiveDuration),
		MaxTime:       read(b, "ai-max-time", c.AIMaxTime, parsePositiveDuration),
		MaxReply:      read(b, "ai-max-reply", c.AIMaxReply, parseSize),
	}
	if ai.DefaultName == parley.ModelBasic || ai.DefaultName == parley.ModelEnhanced {
		b.fail("default-model", errors.New("is the name of another model"))
	}
	b.models(&ai)
	return ai
}

// models sets the upstreams. The default one comes from the ai settings and its block in
// the file. The others are copies of it, changed by their own setting and block.
func (b *builder) models(ai *AI) {
	blocks := b.sources.models()
	ai.Default = b.applyBlock(blocks.Default, b.upstream())
	if ai.Default.BaseURL != "" && !ai.Default.Builtin() && ai.Default.Model == "" {
		b.fail("ai-base-url", fmt.Errorf("needs %s (--ai-model) too: the server's name of the model",
			variable("ai-model")))
	}
	ai.Basic = b.variant("ai-model-basic", b.line.AIModelBasic, blocks.Basic, ai.Default)
	ai.Enhanced = b.variant("ai-model-enhanced", b.line.AIModelEnhanced, blocks.Enhanced, ai.Default)
	for _, added := range blocks.Added {
		if added.name == ai.DefaultName || added.name == parley.ModelBasic || added.name == parley.ModelEnhanced {
			b.failInFile(added.failure("is the name of one of the three models: use default, basic or enhanced"))
		}
		ai.Added = append(ai.Added, NamedUpstream{Name: added.name, Upstream: b.applyBlock(added.block, ai.Default)})
	}
	if err := checkCurrencies(*ai); err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", b.sources.file.path, err)
	}
}

// variant returns base, changed by the setting of its model and by its block in the file.
func (b *builder) variant(flag, text string, inFile *block, base Upstream) Upstream {
	var changes block
	if inFile != nil {
		changes = *inFile
	}
	if text != "" && changes.model != "" {
		b.fail(flag, fmt.Errorf("is given, and %s.model in the settings file too: keep one", changes.name))
	}
	if text != "" && changes.images == nil && changes.baseURL == "" { // PARLEY_AI_IMAGES is for all models of its server
		changes.images = &base.Images
	}
	changes.model = cmp.Or(read(b, flag, text, optional(parseName)), changes.model)
	return b.applyBlock(&changes, base)
}

// upstream returns the model of the ai settings.
func (b *builder) upstream() Upstream {
	c := b.line
	u := Upstream{
		BaseURL:       read(b, "ai-base-url", c.AIBaseURL, optional(parseModelServer)),
		APIKey:        b.secret("ai-api-key", c.AIAPIKey, c.AIAPIKeyFile, parseKey),
		Model:         read(b, "ai-model", c.AIModel, optional(parseName)),
		Thinking:      read(b, "ai-thinking", c.AIThinking, oneOf(Thinkings()...)),
		ThinkingModel: read(b, "ai-thinking-model", c.AIThinkingModel, optional(parseName)),
		ContextTokens: read(b, "ai-context-tokens", c.AIContextTokens, parseContext),
		Images:        read(b, "ai-images", c.AIImages, oneOf("true", "false")) == "true",
	}
	if u.APIKey != "" && (u.BaseURL == "" || u.Builtin()) {
		b.fail(secretFlag("ai-api-key", c.AIAPIKey),
			fmt.Errorf("needs %s (--ai-base-url) of a server too", variable("ai-base-url")))
	}
	return u
}

// secretFlag returns the flag that a secret was set with.
func secretFlag(flag, text string) string {
	if text == "" {
		return flag + "-file"
	}
	return flag
}

// applyBlock returns base, changed by a block of the settings file.
func (b *builder) applyBlock(changes *block, base Upstream) Upstream {
	if b.err != nil {
		return base
	}
	u, err := changes.apply(base)
	if err != nil {
		b.failInFile(err)
	}
	return u
}

// failInFile keeps an error of the settings file that begins with its line.
func (b *builder) failInFile(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("%s:%w", b.sources.file.path, err)
	}
}
