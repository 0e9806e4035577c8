package config

import (
	"cmp"
	"errors"
	"fmt"

	"parley"
)

// finishModels builds the upstreams. The default one comes from the ai settings and its block in the file. The others
// copy it and apply their own setting and block.
func (r *reader) finishModels(ai *AI) {
	if ai.DefaultName == parley.ModelBasic || ai.DefaultName == parley.ModelEnhanced {
		r.fail("default-model", errors.New("is the name of another model"))
	}
	if u := ai.Default; u.APIKey != "" && (u.BaseURL == "" || u.Builtin()) {
		r.fail(r.origin("ai-api-key"),
			fmt.Errorf("needs %s (--ai-base-url) of a server too", variable("ai-base-url")))
	}
	blocks := r.sources.models()
	ai.Default = r.applyBlock(blocks.Default, ai.Default)
	if ai.Default.BaseURL != "" && !ai.Default.Builtin() && ai.Default.Model == "" {
		r.needs("ai-base-url", "ai-model", "the server's name of the model")
	}
	ai.Basic = r.variant("ai-model-basic", ai.BasicModel, blocks.Basic, ai.Default)
	ai.Enhanced = r.variant("ai-model-enhanced", ai.EnhancedModel, blocks.Enhanced, ai.Default)
	r.fixModels(ai, blocks)
	for _, added := range blocks.Added {
		if added.name == ai.DefaultName || added.name == parley.ModelBasic || added.name == parley.ModelEnhanced {
			r.failInFile(added.failure("is the name of one of the three models: use default, basic or enhanced"))
		}
		ai.Added = append(ai.Added, NamedUpstream{Name: added.name, Upstream: r.applyBlock(added.block, ai.Default)})
	}
	if err := checkCurrencies(*ai); err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.sources.file.path, err)
	}
}

// fixModels records which models the settings set, and where.
func (r *reader) fixModels(ai *AI, blocks models) {
	fixed := map[string]string{}
	if ai.Default.BaseURL != "" {
		fixed[parley.ModelRoleDefault] = r.placeOf(blocks.Default, "ai-base-url")
	}
	if ai.BasicModel != "" || blocks.Basic != nil {
		fixed[parley.ModelRoleBasic] = r.placeOf(blocks.Basic, "ai-model-basic")
	}
	if ai.EnhancedModel != "" || blocks.Enhanced != nil {
		fixed[parley.ModelRoleEnhanced] = r.placeOf(blocks.Enhanced, "ai-model-enhanced")
	}
	for _, added := range blocks.Added {
		fixed[added.name] = r.placeOf(added.block, "")
	}
	if len(fixed) > 0 {
		ai.Fixed = fixed
	}
}

// placeOf says where a model is set: in its block of the settings file, or by a flag.
func (r *reader) placeOf(inFile *block, flag string) string {
	if flag != "" && r.sources.isSet(flag) {
		return r.sources.origin(flag)
	}
	if inFile == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d: %s", r.sources.file.path, inFile.line, inFile.name)
}

// variant returns base with the model's own name, if the settings have one, and its block of the file applied.
func (r *reader) variant(flag, model string, inFile *block, base Upstream) Upstream {
	var changes block
	if inFile != nil {
		changes = *inFile
	}
	if model != "" && changes.model != "" {
		r.fail(flag, fmt.Errorf("is given, and %s.model in the settings file too: keep one", changes.name))
	}
	if model != "" && changes.images == nil && changes.baseURL == "" { // PARLEY_AI_IMAGES is for all models of its server
		changes.images = &base.Images
	}
	changes.model = cmp.Or(model, changes.model)
	return r.applyBlock(&changes, base)
}

// applyBlock returns base with a block of the settings file applied.
func (r *reader) applyBlock(changes *block, base Upstream) Upstream {
	if r.err != nil {
		return base
	}
	u, err := changes.apply(base)
	if err != nil {
		r.failInFile(err)
	}
	return u
}

// failInFile records an error of the settings file. The error begins with the line number.
func (r *reader) failInFile(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%w", r.sources.file.path, err)
	}
}
