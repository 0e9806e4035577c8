package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/extract/prose"
)

// maxCellOutput limits the output of a notebook's cell, in bytes. What a program prints is rarely read to
// its end.
const maxCellOutput = 16 << 10

// notebook is what is read of a Jupyter notebook.
type notebook struct {
	Cells      []notebookCell  `json:"cells"`
	Worksheets []notebookSheet `json:"worksheets"` // before version 4
	Metadata   struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

type notebookSheet struct {
	Cells []notebookCell `json:"cells"`
}

type notebookCell struct {
	Kind    string           `json:"cell_type"`
	Source  notebookText     `json:"source"`
	Input   notebookText     `json:"input"` // before version 4
	Outputs []notebookOutput `json:"outputs"`
}

type notebookOutput struct {
	Text notebookText            `json:"text"`
	Data map[string]notebookText `json:"data"`
	// Error and Message are of an error.
	Error   string `json:"ename"`
	Message string `json:"evalue"`
}

// notebookText is a text or a list of lines. Anything else counts as empty.
type notebookText string

// UnmarshalJSON reads either form.
func (t *notebookText) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) == nil {
		*t = notebookText(strings.Join(lines, ""))
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		*t = notebookText(text)
	}
	return nil
}

// isNotebook reports whether a text is a notebook, from its first bytes.
func isNotebook(head []byte, name string) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) &&
		(extension(name) == ".ipynb" || bytes.Contains(head, []byte(`"cell_type"`)))
}

// readNotebook reads the cells of a notebook and the text that they have printed.
func readNotebook(out *prose.Output, file []byte) error {
	var book notebook
	if err := json.Unmarshal(file, &book); err != nil {
		return prose.ErrBroken.WithCause(fmt.Errorf("parse the notebook: %w", err))
	}
	cells := book.Cells
	for _, sheet := range book.Worksheets {
		cells = append(cells, sheet.Cells...)
	}
	language := book.Metadata.Language.Name
	if language == "" {
		language = book.Metadata.Kernel.Language
	}
	for i, cell := range cells {
		out.Page(fmt.Sprintf("cell %d", i+1))
		if cell.Kind == "code" {
			writeFenced(out, language, string(cell.Source+cell.Input))
		} else {
			out.Verbatim(string(cell.Source))
		}
		out.Paragraph()
		for _, output := range cell.Outputs {
			writeFenced(out, "", output.text())
		}
		if out.Full {
			break
		}
	}
	return nil
}

// text returns what an output shows in words. Pictures and pages are left out.
func (o notebookOutput) text() string {
	text := string(o.Text)
	if text == "" {
		text = string(o.Data["text/plain"])
	}
	if o.Error != "" {
		text = o.Error + ": " + o.Message
	}
	if len(text) > maxCellOutput {
		text = strings.ToValidUTF8(text[:maxCellOutput], "") + "\n…"
	}
	return text
}

// writeFenced writes a text as a block of code.
func writeFenced(out *prose.Output, language, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	out.Paragraph()
	out.Verbatim("```" + strings.Join(slices.Collect(strings.FieldsSeq(language)), "-") + "\n" +
		strings.TrimRight(text, "\n") + "\n```")
	out.Paragraph()
}
