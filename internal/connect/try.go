package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/openai"
	"parley/internal/config"
	"parley/internal/embed"
	"parley/internal/websearch"
)

const (
	// tryTime bounds a try of a service, within the time of its request.
	tryTime = 8 * time.Second
	// maxDetail is how much is told of an error, in bytes.
	maxDetail = 500
	// maxWord is how much of a reply is told, in characters.
	maxWord = 40
)

// TryModel lists the models of a server, and asks one of them for a word if it is named.
func (c *Connections) TryModel(ctx context.Context, in parley.ModelTestInput) (parley.ModelTestOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	setting := modelPrefix + in.Name
	key, err := c.keyFor(setting, record{Address: in.BaseURL}, in.APIKey)
	if err != nil {
		return parley.ModelTestOutput{}, err
	}
	const none = "-" // a client needs a model, also to list them
	named := in.Model
	if named == "" {
		named = none
	}
	upstream, err := config.ConnectedModel(
		parley.ModelInput{BaseURL: in.BaseURL, Model: named, Thinking: in.Thinking}, key)
	if err != nil {
		return parley.ModelTestOutput{}, err
	}
	client, err := NewClient(c.settings.AI, upstream, false, nil)
	if err != nil {
		return parley.ModelTestOutput{}, err
	}
	defer client.Close()
	out := parley.ModelTestOutput{Models: []string{}}
	listed, err := client.List(ctx)
	if err == nil {
		out.Models = append(out.Models, listed...)
		if in.Model != "" {
			out.FirstWord, out.FirstWordMS, err = firstWord(ctx, client)
		}
	}
	out.ServiceTest = result(err, ai.ReasonOf)
	return out, nil
}

// firstWord asks a model for a word. It returns what came first, be it a thought, and after how many milliseconds.
func firstWord(ctx context.Context, client *openai.Client) (word string, after int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	prompt := &ai.Prompt{Question: "Say hello in one word.", TryUntil: begun}
	err = client.Reply(ctx, prompt, func(chunk ai.Chunk) {
		if text := strings.TrimSpace(chunk.Text + chunk.Thinking); word == "" && text != "" {
			word, after = shorten(text), time.Since(begun).Milliseconds()
			cancel()
		}
	})
	if word != "" {
		return word, after, nil
	}
	return "", 0, err
}

// shorten returns the beginning of a text.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxWord {
		return string(runes[:maxWord])
	}
	return text
}

// TrySearch runs one search.
func (c *Connections) TrySearch(ctx context.Context, in parley.SearchServiceInput) (parley.SearchTestOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	r := record{Provider: in.Provider, Address: in.URL}
	key, err := c.keyFor(searchName, r, in.APIKey)
	if err != nil {
		return parley.SearchTestOutput{}, err
	}
	settings := *c.settings
	if settings.Search, err = (connected{record: r, key: key}).search(c.settings.Search); err != nil {
		return parley.SearchTestOutput{}, err
	}
	engine, err := NewSearch(&settings)
	if err != nil {
		return parley.SearchTestOutput{}, err
	}
	results, err := TrySearch(ctx, engine)
	return parley.SearchTestOutput{ServiceTest: result(err, websearch.ReasonOf), Results: len(results)}, nil
}

// TryEmbeddings makes one vector.
func (c *Connections) TryEmbeddings(
	ctx context.Context, in parley.EmbeddingsInput,
) (parley.EmbeddingsTestOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	r := record{Address: in.BaseURL, Model: in.Model}
	key, err := c.keyFor(embeddingsName, r, in.APIKey)
	if err != nil {
		return parley.EmbeddingsTestOutput{}, err
	}
	settings := *c.settings
	if settings.Embed, err = (connected{record: r, key: key}).embed(); err != nil {
		return parley.EmbeddingsTestOutput{}, err
	}
	client, err := NewEmbeddings(&settings)
	if err != nil {
		return parley.EmbeddingsTestOutput{}, err
	}
	defer client.Close()
	made, err := client.Embed(ctx, []string{"weather"})
	out := parley.EmbeddingsTestOutput{ServiceTest: result(err, embedReason)}
	if err == nil {
		out.Dimension = len(made.Vectors[0])
	}
	return out, nil
}

// embedReason returns the reason of an error of an embeddings server.
func embedReason(err error) string {
	var failure *embed.Failure
	if !errors.As(err, &failure) || failure.Texts {
		return parley.ReasonFailed
	}
	switch failure.Status {
	case 0:
		return parley.ReasonUnreachable
	case http.StatusUnauthorized, http.StatusForbidden:
		return parley.ReasonKey
	case http.StatusNotFound:
		return parley.ReasonUnknownModel
	case http.StatusTooManyRequests:
		return parley.ReasonQuota
	}
	return parley.ReasonFailed
}

// result returns the result of a try.
func result(err error, reason func(error) string) parley.ServiceTest {
	if err == nil {
		return parley.ServiceTest{Reachable: true}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return parley.ServiceTest{Reason: parley.ReasonOverloaded, Detail: fmt.Sprintf(
			"no reply within %v: if the model is being loaded, try again in a while", tryTime)}
	}
	detail := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(detail) > maxDetail {
		cut := maxDetail
		for !utf8.RuneStart(detail[cut]) {
			cut--
		}
		detail = detail[:cut]
	}
	return parley.ServiceTest{Reason: reason(err), Detail: detail}
}
