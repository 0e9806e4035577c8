package connect

import (
	"encoding/json"
	"net/url"

	"parley"
	"parley/internal/config"
	"parley/internal/store"
)

// The names of stored connections. A model has its own name after modelPrefix.
const (
	modelPrefix    = store.ConnectionPrefix + "model/"
	searchName     = store.ConnectionPrefix + "search"
	embeddingsName = store.ConnectionPrefix + "embeddings"
)

// record is a stored connection.
type record struct {
	Provider      string `json:"provider,omitempty"`
	Address       string `json:"address,omitempty"`
	Model         string `json:"model,omitempty"`
	Thinking      string `json:"thinking,omitempty"`
	ContextTokens int    `json:"context_tokens,omitempty"`
	Images        bool   `json:"images,omitempty"`
	Description   string `json:"description,omitempty"`
	// Key is encrypted.
	Key string `json:"key,omitempty"`
}

// purpose is what the key of a record is for. A key that somebody with access to the database copies to another address
// can't be read.
func (r record) purpose(name string) string { return name + " " + r.Provider + " " + origin(r.Address) }

// origin returns the scheme and the host of an address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// connected is a stored connection that was read.
type connected struct {
	record
	key string
	// keyLost is set if the key can't be read.
	keyLost bool
}

// read reads a stored connection.
func (c *Connections) read(setting store.Setting) (connected, error) {
	var read connected
	if err := json.Unmarshal([]byte(setting.Text), &read.record); err != nil {
		return read, err
	}
	key, err := c.keys.open(read.Key, read.purpose(setting.Name))
	if err != nil {
		c.log.Error("a stored key can't be read: enter it again", "connection", setting.Name, "error", err)
		read.keyLost = true
	}
	read.key = key
	return read, nil
}

func (c connected) upstream() (config.Upstream, error) {
	return config.ConnectedModel(parley.ModelInput{
		BaseURL: c.Address, Model: c.Model, Thinking: c.Thinking, ContextTokens: c.ContextTokens, Images: c.Images,
		Description: c.Description,
	}, c.key)
}

func (c connected) search(base config.Search) (config.Search, error) {
	return base.ConnectedSearch(parley.SearchServiceInput{Provider: c.Provider, URL: c.Address}, c.key)
}

func (c connected) embed() (config.Embed, error) {
	return config.ConnectedEmbed(parley.EmbeddingsInput{BaseURL: c.Address, Model: c.Model}, c.key)
}
