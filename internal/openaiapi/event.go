package openaiapi

// event is an event of the Responses API.
type event struct {
	name string
	data []byte
}

// eventData has the fields of all events.
type eventData struct {
	Type           string      `json:"type"`
	SequenceNumber int         `json:"sequence_number"`
	Response       *response   `json:"response,omitempty"`
	ItemID         string      `json:"item_id,omitempty"`
	OutputIndex    *int        `json:"output_index,omitempty"`
	ContentIndex   *int        `json:"content_index,omitempty"`
	Item           *outputItem `json:"item,omitempty"`
	Part           *textPart   `json:"part,omitempty"`
	Delta          *string     `json:"delta,omitempty"`
	Text           *string     `json:"text,omitempty"`
	Name           string      `json:"name,omitempty"`
	Arguments      *string     `json:"arguments,omitempty"`
	Logprobs       *[]struct{} `json:"logprobs,omitempty"`
}

// render returns the event with a sequence number. The caller must hold the lock.
func (t *timeline) render(number int) event {
	m := t.marks[number]
	data := eventData{SequenceNumber: number}
	switch m.kind {
	case eventCreated, eventInProgress:
		data.Type = "response.created"
		if m.kind == eventInProgress {
			data.Type = "response.in_progress"
		}
		begun := t.response
		begun.Status, begun.Output, begun.Usage = inProgress, []outputItem{}, nil
		begun.Error, begun.IncompleteDetails = nil, nil
		data.Response = &begun
	case eventEnd:
		data.Type = "response." + t.response.Status
		data.Response = &t.response
	default:
		t.renderItem(&data, number)
	}
	encoded, _ := encode(data) // it has only texts, numbers and what was JSON before
	return event{name: data.Type, data: encoded}
}

// renderItem fills in an event about an output item.
func (t *timeline) renderItem(data *eventData, number int) {
	m := t.marks[number]
	item := t.response.Output[m.item]
	data.OutputIndex = &m.item
	switch m.kind {
	case eventItemAdded:
		data.Type = "response.output_item.added"
		added := item.withText("", inProgress)
		data.Item = &added
		return
	case eventItemDone:
		data.Type = "response.output_item.done"
		data.Item = &item
		return
	}
	data.ItemID = item.ID
	if item.Type == typeCall {
		t.renderArguments(data, number)
		return
	}
	zero, none := 0, []struct{}{}
	data.ContentIndex = &zero
	text := item.text() // empty while it is in progress
	switch m.kind {
	case eventPartAdded, eventPartDone:
		part := newTextPart("")
		data.Type = "response.content_part.added"
		if m.kind == eventPartDone {
			part = newTextPart(text)
			data.Type = "response.content_part.done"
		}
		data.Part = &part
	case eventDelta:
		data.Type, data.Delta, data.Logprobs = "response.output_text.delta", t.delta(number), &none
	case eventTextDone:
		data.Type, data.Text, data.Logprobs = "response.output_text.done", &text, &none
	}
}

// renderArguments fills in an event about the arguments of a function.
func (t *timeline) renderArguments(data *eventData, number int) {
	m := t.marks[number]
	if m.kind == eventDelta {
		data.Type, data.Delta = "response.function_call_arguments.delta", t.delta(number)
		return
	}
	item := t.response.Output[m.item]
	data.Type, data.Name, data.Arguments = "response.function_call_arguments.done", item.Name, item.Arguments
}

// delta returns the piece of text of the event with a sequence number.
func (t *timeline) delta(number int) *string {
	item, start := t.marks[number].item, 0
	for i := number - 1; i >= 0; i-- {
		m := t.marks[i]
		if m.item == item && m.kind == eventDelta {
			start = m.end
			break
		}
		if m.item == item && m.kind == eventItemAdded {
			break
		}
	}
	piece := string(t.texts[item][start:t.marks[number].end])
	return &piece
}
