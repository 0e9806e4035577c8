package openaiapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/responses"
)

const (
	// maxConversation limits a conversation with everything that its request refers to, in bytes.
	maxConversation = MaxBody
	// maxReferences limits the references to items in one request.
	maxReferences = 1000
)

// conversation is assembled from a request and the stored responses that it refers to.
type conversation struct {
	messages []chatMessage
	size     int64 // in bytes, about
	// read returns the output of a stored response, or nil. It is called once for each response.
	read    func(responseID string) ([]outputItem, error)
	outputs map[string][]outputItem
}

// assemble returns the messages of a request and their size in bytes, about: those up to the previous response, that
// response, and the input. hold is called with the size of the conversation, once before loading it and once when it is
// complete. It reports whether there is enough memory.
func (a *API) assemble(
	ctx context.Context, userID int64, req *responseRequest, hold func(bytes int64) bool,
) (messages []chatMessage, size int64, err error) {
	items, err := inputItems(req.input)
	if err != nil {
		return nil, 0, err
	}
	stats, err := a.statReferences(ctx, userID, req.previous, items)
	if err != nil {
		return nil, 0, err
	}
	loaded := int64(len(req.input)) + stats[req.previous].Context
	for _, stat := range stats {
		loaded += stat.Data
	}
	if loaded > maxConversation {
		return nil, 0, errConversationTooLarge
	}
	if !hold(loaded) {
		return nil, 0, parley.ErrOverloaded
	}
	c := conversation{
		size: int64(len(req.input)) + stats[req.previous].Context, outputs: map[string][]outputItem{},
		read: func(responseID string) ([]outputItem, error) { return a.readOutput(ctx, userID, stats[responseID]) },
	}
	if err := a.addPrevious(ctx, userID, req.previous, &c); err != nil {
		return nil, 0, err
	}
	if err := c.addItems(items); err != nil {
		return nil, 0, err
	}
	if !hold(max(loaded, c.size)) {
		return nil, 0, parley.ErrOverloaded
	}
	return c.messages, c.size, nil
}

var errConversationTooLarge = &Error{
	Status: http.StatusBadRequest, Code: "context_length_exceeded", Param: "input",
	Text: "the conversation is larger than 16 MiB with everything that the input refers to",
}

// statReferences returns the sizes of the responses that a request refers to. previous may be empty.
func (a *API) statReferences(
	ctx context.Context, userID int64, previous string, items []inputItem,
) (map[string]responses.Stat, error) {
	var ids []string
	if previous != "" {
		ids = append(ids, previous)
	}
	references := 0
	for _, item := range items {
		if item.Type != typeReference {
			continue
		}
		if references++; references > maxReferences {
			return nil, invalid("input", "can have at most 1,000 references to items")
		}
		responseID, _, ok := splitItemID(item.ID)
		if !ok {
			return nil, unknownItem(item.ID)
		}
		ids = append(ids, responseID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	stats, err := a.responses.Find(ctx, userID, slices.Compact(ids)...)
	if err != nil || previous == "" {
		return stats, err
	}
	switch stat, found := stats[previous]; {
	case !found:
		return nil, errNoPrevious
	case stat.Open:
		return nil, invalid("previous_response_id", "names a response that is still in progress")
	}
	return stats, nil
}

var errNoPrevious = &Error{
	Status: http.StatusBadRequest, Code: "previous_response_not_found", Param: "previous_response_id",
	Text: "there is no stored response with this id; responses are kept for 24 hours if store is true",
}

// addPrevious adds the conversation up to a stored response, and the response itself.
func (a *API) addPrevious(ctx context.Context, userID int64, previous string, c *conversation) error {
	if previous == "" {
		return nil
	}
	data, err := a.responses.Conversation(ctx, userID, previous)
	if errors.Is(err, responses.ErrNotFound) {
		return errNoPrevious
	}
	if err != nil {
		return err
	}
	if c.messages, err = decodeMessages(data); err != nil {
		return fmt.Errorf("read the context of a response: %w", err)
	}
	output, err := c.output(previous)
	if err != nil {
		return err
	}
	for _, item := range output {
		c.addOutput(item)
	}
	return nil
}

// decodeMessages decodes a stored conversation. Contents are left as JSON.
func decodeMessages(data []byte) ([]chatMessage, error) {
	var stored []struct {
		chatMessage
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, err
	}
	messages := make([]chatMessage, len(stored))
	for i, m := range stored {
		messages[i] = m.chatMessage
		messages[i].Content = m.Content
	}
	return messages, nil
}

// readOutput returns the output of a complete response, or nil.
func (a *API) readOutput(ctx context.Context, userID int64, stat responses.Stat) ([]outputItem, error) {
	if stat.ID == "" || stat.Open || !isResponseID(stat.ID) {
		return nil, nil
	}
	data, err := a.responses.Data(ctx, userID, stat.ID)
	if errors.Is(err, responses.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var stored struct {
		Response struct {
			Output []outputItem `json:"output"`
		} `json:"response"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, fmt.Errorf("read a response: %w", err)
	}
	return stored.Response.Output, nil
}

// output returns the output of a stored response, or nil.
func (c *conversation) output(responseID string) ([]outputItem, error) {
	output, known := c.outputs[responseID]
	if known {
		return output, nil
	}
	output, err := c.read(responseID)
	if err == nil {
		c.outputs[responseID] = output
	}
	return output, err
}

// addReference adds an item of a stored response.
func (c *conversation) addReference(itemID string) error {
	responseID, index, _ := splitItemID(itemID)
	output, err := c.output(responseID)
	if err != nil {
		return err
	}
	if index >= len(output) || output[index].ID != itemID {
		return unknownItem(itemID)
	}
	c.addOutput(output[index])
	if c.size > maxConversation {
		return errConversationTooLarge
	}
	return nil
}

// splitItemID returns the id of an item's response and the index of the item. Both are in the id of the item.
func splitItemID(itemID string) (responseID string, index int, ok bool) {
	if len(itemID) > maxID {
		return "", 0, false
	}
	_, rest, _ := strings.Cut(itemID, "_")
	responseID, number, _ := strings.Cut(rest, "_")
	index, err := strconv.Atoi(number)
	return responsePrefix + responseID, index, err == nil && index >= 0
}

func unknownItem(itemID string) error {
	return &Error{
		Status: http.StatusBadRequest, Param: "input",
		Text: "the item " + strconv.Quote(clip(itemID)) + " is not stored; set store to true in the request that makes it, " +
			"or to false to send items themselves",
	}
}
