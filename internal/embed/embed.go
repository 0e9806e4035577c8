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

// Result is what a request has made.
type Result struct {
	// Vectors are in the order of the texts. They all have the same dimension.
	Vectors []Vector
	// Tokens is how many tokens the server has counted; 0 if it has not said so.
	Tokens int64
}

// maxTokens is the largest believable number of tokens.
const maxTokens = 1 << 30

// Embed makes the vectors of 1 to MaxTexts texts. Its error is a *Failure.
func (c *Client) Embed(ctx context.Context, texts []string) (Result, error) {
	data, err := c.call.post(ctx, map[string]any{"model": c.model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return Result{}, err
	}
	vectors, err := readVectors(data, texts)
	if err != nil {
		return Result{}, err
	}
	return Result{Vectors: vectors, Tokens: readTokens(data)}, nil
}

// readTokens returns the tokens that a response tells, or 0.
func readTokens(data []byte) int64 {
	var response struct {
		Usage struct {
			Prompt int64 `json:"prompt_tokens"`
			Total  int64 `json:"total_tokens"`
		} `json:"usage"`
	}
	_ = json.Unmarshal(data, &response) // what can't be read is not told
	tokens := max(response.Usage.Prompt, response.Usage.Total)
	if tokens < 0 || tokens > maxTokens {
		return 0
	}
	return tokens
}

// readVectors returns the vectors in a response.
func readVectors(data []byte, texts []string) ([]Vector, error) {
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
		vector, err := normalize(item.Embedding)
		if err != nil {
			return nil, err
		}
		vectors[i] = vector
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
