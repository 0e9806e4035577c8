package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"parley"
)

// spool holds a session as JSON and as Markdown.
type spool struct {
	json, markdown *spoolFile
	document       Document
	tail           string // the end of the JSON, after the messages
	messages       *jsonArray
}

func newSpool(dir string) (*spool, error) {
	jsonFile, err := newSpoolFile(dir)
	if err != nil {
		return nil, err
	}
	markdownFile, err := newSpoolFile(dir)
	if err != nil {
		jsonFile.close()
		return nil, err
	}
	return &spool{json: jsonFile, markdown: markdownFile}, nil
}

func (s *spool) close() {
	s.json.close()
	s.markdown.close()
}

// begin starts the documents, from the beginning if they have been started before.
func (s *spool) begin(export parley.Export) error {
	if err := errors.Join(s.json.rewind(), s.markdown.rewind()); err != nil {
		return err
	}
	text, err := json.Marshal(export)
	if err != nil {
		return err
	}
	head, tail, _ := strings.Cut(string(text), `"messages":[]`) // a quote within a string is escaped
	s.tail, s.document = tail, Markdown(export)
	s.messages = &jsonArray{out: s.json.buffer}
	_, err = s.json.buffer.WriteString(head + `"messages":`)
	if err == nil {
		_, err = s.markdown.buffer.WriteString(s.document.Begin)
	}
	return err
}

// add adds a message. An empty reply is in progress.
func (s *spool) add(m parley.Message) error {
	if m.Role == parley.RoleAssistant && m.Content == "" {
		m.Status = parley.StatusPending
	}
	if err := s.messages.add(m); err != nil {
		return err
	}
	_, err := s.markdown.buffer.WriteString(s.document.Message(m))
	return err
}

func (s *spool) end() error {
	if err := s.messages.end(); err != nil {
		return err
	}
	_, err := s.json.buffer.WriteString(s.tail + "\n")
	return err
}

// spoolFile is a temporary file without a name. Nothing of it is left if the process is killed.
type spoolFile struct {
	file   *os.File
	buffer *bufio.Writer
}

func newSpoolFile(dir string) (*spoolFile, error) {
	file, err := os.CreateTemp(dir, ".export-*")
	if err != nil {
		return nil, err
	}
	f := &spoolFile{file: file, buffer: bufio.NewWriter(file)}
	if err := os.Remove(file.Name()); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *spoolFile) close() { _ = f.file.Close() } // what was written is not needed any more

func (f *spoolFile) rewind() error {
	f.buffer.Reset(f.file)
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return f.file.Truncate(0)
}

// copy writes the content of the file.
func (f *spoolFile) copy(w io.Writer) error {
	if err := f.buffer.Flush(); err != nil {
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(f.file, 0, math.MaxInt64))
	return err
}

// jsonArray writes a list in JSON, one entry on a line.
type jsonArray struct {
	out   io.Writer
	begun bool
}

func (a *jsonArray) add(entry any) error {
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	before := ",\n"
	if !a.begun {
		before = "[\n"
	}
	a.begun = true
	_, err = io.WriteString(a.out, before+string(text))
	return err
}

func (a *jsonArray) end() error {
	text := "\n]"
	if !a.begun {
		text = "[]"
	}
	_, err := io.WriteString(a.out, text)
	return err
}

func encodeIndented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
