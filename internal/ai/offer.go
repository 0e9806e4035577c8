package ai

import "parley"

// Offer is a model on offer.
type Offer struct {
	Name          string
	Description   string // may be empty
	Model         Model
	ContextTokens int
	// MaxTokens limits a reply. 0 means the server's limit.
	MaxTokens    int
	DeepThinking bool
	Images       bool
	Builtin      bool
	// Price is the price of its tokens. The zero value means none.
	Price parley.Price
	// Available reports whether the model is expected to reply. If nil, it always is.
	Available func() bool
}

// ReplyLimit is how many tokens a prompt and its reply can take together.
func (o Offer) ReplyLimit() int64 {
	if o.MaxTokens > 0 {
		return int64(min(o.ContextTokens, o.PromptTokens()+o.MaxTokens))
	}
	return int64(o.ContextTokens)
}

// PromptTokens is how much of the context a prompt may fill. The rest is for the reply.
func (o Offer) PromptTokens() int {
	return o.ContextTokens - min(o.ContextTokens/4, 4096)
}

// Offers are the models on offer, the default first.
type Offers []Offer

// Fixed returns the offers. It is for parts that ask for the current ones, if these never change.
func (o Offers) Fixed() Offers { return o }

// Find returns the model with the given name, and false if there is none. The empty name selects the default.
func (o Offers) Find(name string) (Offer, bool) {
	if name == "" {
		return o[0], true
	}
	for _, offer := range o {
		if offer.Name == name {
			return offer, true
		}
	}
	return Offer{}, false
}

// ForTitles returns the model that makes titles: the basic one, which should be the cheapest. It returns false if this
// is the built-in model, which can't make titles.
func (o Offers) ForTitles() (Offer, bool) {
	for _, offer := range o {
		if offer.Name == parley.ModelBasic {
			return offer, !offer.Builtin
		}
	}
	return Offer{}, false
}

// Seeing returns the first model that sees pictures.
func (o Offers) Seeing() (Offer, bool) {
	for _, offer := range o {
		if offer.Images && !offer.Builtin {
			return offer, true
		}
	}
	return Offer{}, false
}
