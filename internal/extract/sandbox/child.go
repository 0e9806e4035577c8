package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"parley"
	"parley/internal/extract"
)

// Indexer makes of a document what is kept beside its text to find passages in it.
type Indexer func(extract.Document) ([]byte, error)

// Serve is the life of a child: it takes one order from in, carries it out within the
// limits that the order sets for the process, and answers on out. Without an order it
// ends when in does, as that of a spare child whose parent is gone.
func Serve(in io.Reader, out io.Writer, index Indexer) error {
	todo, err := readOrder(in)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if err := todo.Limits.apply(); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	file := make([]byte, todo.Size)
	if _, err := io.ReadFull(in, file); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	go endWith(in)
	answer := bufio.NewWriterSize(out, frameSize)
	if err := carryOut(todo, file, answer, index); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return answer.Flush()
}

// endWith ends this process when its parent is gone: in stays open as long as the
// parent waits for the answer.
func endWith(in io.Reader) {
	_, _ = in.Read(make([]byte, 1)) // nothing more is sent
	os.Exit(1)
}

func readOrder(in io.Reader) (order, error) {
	var todo order
	kind, content, err := readFrame(in, nil)
	if err != nil {
		return todo, err
	}
	if kind != frameOrder {
		return todo, errBadFrame
	}
	return todo, json.Unmarshal(content, &todo)
}

// carryOut writes the answer to an order; its error is one of writing.
func carryOut(todo order, file []byte, answer io.Writer, index Indexer) error {
	if todo.Prepare {
		if err := extract.Prepare(todo.Cache); err != nil {
			return writeFrame(answer, frameFault, []byte(err.Error()))
		}
		return writeJSON(answer, frameDone, summary{})
	}
	reader := extract.Reader{MaxText: todo.MaxText, MaxUnpacked: todo.MaxUnpacked, Cache: todo.Cache}
	document, err := reader.Read(context.Background(), file, todo.Name)
	var refusal *parley.Error
	switch {
	case errors.As(err, &refusal):
		return writeFrame(answer, frameRefused, []byte(refusal.Message))
	case err != nil:
		return writeFrame(answer, frameFault, []byte(err.Error()))
	}
	if err := writePieces(answer, frameText, document.Text); err != nil {
		return err
	}
	if index != nil {
		made, err := index(document)
		if err != nil {
			return writeFrame(answer, frameFault, []byte(err.Error()))
		}
		if err := writePieces(answer, frameIndex, string(made)); err != nil {
			return err
		}
	}
	return writeJSON(answer, frameDone, summary{Type: document.Type, Anchors: document.Anchors})
}

// writePieces writes content as frames of a kind, none of which ends within a character.
func writePieces(w io.Writer, kind byte, content string) error {
	for len(content) > 0 {
		size := min(len(content), frameSize)
		for cut := size; kind == frameText && cut < len(content) && cut > size-utf8.UTFMax; cut-- {
			if utf8.RuneStart(content[cut]) {
				size = cut
				break
			}
		}
		if err := writeFrame(w, kind, []byte(content[:size])); err != nil {
			return err
		}
		content = content[size:]
	}
	return nil
}
