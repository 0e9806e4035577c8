// Package embed turns texts into vectors by an embeddings API. Texts with a similar meaning have vectors with a similar
// direction.
package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"time"
)

// MaxTexts is how many texts one request may have.
const MaxTexts = 64

// maxDimension limits the length of a vector. Models have up to 4,096 numbers.
const maxDimension = 16 << 10

// Config configures a Client.
type Config struct {
	// BaseURL is the address of the server, with its /v1.
	BaseURL string
	// APIKey may be empty.
	APIKey string
	// Model is the server's name of the model.
	Model string
	// Timeout limits a request. A shorter deadline of its context counts too.
	Timeout time.Duration
}

// Client calls one model of an OpenAI-compatible server. It is safe for concurrent use.
type Client struct {
	model string
	call  *caller
}

// New returns a Client. It calls nobody.
func New(config Config) (*Client, error) {
	base, err := url.Parse(config.BaseURL)
	if err != nil || base.Host == "" {
		return nil, errors.New("embeddings: the address is not valid")
	}
	return &Client{model: config.Model, call: newCaller(base.JoinPath("embeddings"), config.APIKey, config.Timeout)}, nil
}

// Model returns the name of the model.
func (c *Client) Model() string { return c.model }

// Close closes idle connections.
func (c *Client) Close() { c.call.http.CloseIdleConnections() }

// Vector is a vector of length one.
type Vector []float32

// Embed returns the vectors of 1 to MaxTexts texts, in their order. They all have the same dimension. Its error is a
// *Failure.
func (c *Client) Embed(ctx context.Context, texts []string) ([]Vector, error) {
	data, err := c.call.post(ctx, map[string]any{"model": c.model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}
	var response struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &response); err != nil {
		return nil, unusable("the response is not of an embeddings API") // also if a vector has NaN
	}
	if len(response.Data) != len(texts) {
		return nil, unusable(fmt.Sprintf("there are %d vectors for %d texts", len(response.Data), len(texts)))
	}
	vectors := make([]Vector, len(texts))
	for i, item := range response.Data {
		if item.Index != nil {
			i = *item.Index
		}
		if i < 0 || i >= len(texts) || vectors[i] != nil {
			return nil, unusable("the vectors are not those of the texts")
		}
		if vectors[i], err = normalize(item.Embedding); err != nil {
			return nil, err
		}
		if len(item.Embedding) != len(response.Data[0].Embedding) {
			return nil, unusable("the vectors differ in their dimensions")
		}
	}
	return vectors, nil
}

// normalize returns a vector in the same direction, of length one.
func normalize(numbers []float64) (Vector, error) {
	sum := 0.0
	for _, x := range numbers {
		sum += x * x
	}
	length := math.Sqrt(sum)
	if len(numbers) == 0 || len(numbers) > maxDimension || length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, unusable("a vector has no direction")
	}
	vector := make(Vector, len(numbers))
	for i, x := range numbers {
		vector[i] = float32(x / length)
	}
	return vector, nil
}
