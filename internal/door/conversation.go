package door

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// conversation returns the messages of a request: those up to the previous response, that response, and the input.
func (d *Door) conversation(
	ctx context.Context, userID int64, body fields, previous *string,
) (messages []chatMessage, err error) {
	input, given := body["input"]
	if !given && previous == nil {
		return nil, invalid("input", "is required")
	}
	if previous != nil {
		if messages, err = d.messagesUpTo(ctx, userID, *previous); err != nil {
			return nil, err
		}
	}
	if !given {
		return messages, nil
	}
	more, err := inputMessages(input, func(itemID string) (outputItem, error) { return d.findItem(ctx, userID, itemID) })
	return append(messages, more...), err
}

// messagesUpTo returns the conversation up to a stored response and the response itself.
func (d *Door) messagesUpTo(ctx context.Context, userID int64, responseID string) ([]chatMessage, error) {
	const param = "previous_response_id"
	stored, found, err := d.store.FindResponse(ctx, userID, responseID, d.now())
	if err != nil {
		return nil, err
	}
	if !found || !strings.HasPrefix(responseID, responsePrefix) {
		return nil, &Error{
			Status: http.StatusBadRequest, Code: "previous_response_not_found", Param: param,
			Text: "there is no stored response with this id; responses are kept for 24 hours if store is true",
		}
	}
	if stored.Open {
		return nil, invalid(param, "names a response that is still in progress")
	}
	var messages []chatMessage
	if err := json.Unmarshal(stored.Context, &messages); err != nil {
		return nil, fmt.Errorf("read the context of a response: %w", err)
	}
	earlier, err := decodeTimeline(stored.Data)
	if err != nil {
		return nil, fmt.Errorf("read a response: %w", err)
	}
	for _, item := range earlier.response.Output {
		messages = appendItem(messages, item)
	}
	return messages, nil
}

// findItem returns an item of a stored response. The id of an item has the id of its response in it.
func (d *Door) findItem(ctx context.Context, userID int64, itemID string) (item outputItem, err error) {
	unknown := &Error{
		Status: http.StatusBadRequest, Param: "input",
		Text: "the item " + strconv.Quote(itemID) + " is not stored; set store to true in the request that makes it, " +
			"or to false to send items themselves",
	}
	_, rest, _ := strings.Cut(itemID, "_")
	responseID, number, _ := strings.Cut(rest, "_")
	index, err := strconv.Atoi(number)
	if err != nil {
		return item, unknown
	}
	stored, found, err := d.store.FindResponse(ctx, userID, responsePrefix+responseID, d.now())
	if err != nil {
		return item, err
	}
	if !found || stored.Open {
		return item, unknown
	}
	earlier, err := decodeTimeline(stored.Data)
	if err != nil {
		return item, fmt.Errorf("read a response: %w", err)
	}
	if index < 0 || index >= len(earlier.response.Output) || earlier.response.Output[index].ID != itemID {
		return item, unknown
	}
	return earlier.response.Output[index], nil
}
