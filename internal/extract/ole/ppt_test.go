package ole

import (
	"encoding/binary"
	"slices"
	"testing"
)

// pptRecordOf returns a record of a presentation.
func pptRecordOf(kind, version int, content ...byte) []byte {
	record := binary.LittleEndian.AppendUint16(nil, uint16(version))
	record = binary.LittleEndian.AppendUint16(record, uint16(kind))
	return append(binary.LittleEndian.AppendUint32(record, uint32(len(content))), content...)
}

func TestAnEmptyTitleKeepsItsNumberInTheOutline(t *testing.T) {
	header := func(kind byte) []byte { return pptRecordOf(pptTextHeader, 0, kind, 0, 0, 0) }
	slide := pptRecordOf(pptPersist, 0, append([]byte{7}, make([]byte, 19)...)...)
	list := slices.Concat(slide, header(pptTitle), header(1), pptRecordOf(pptTextNarrow, 0, []byte("The body")...),
		header(pptTitle), pptRecordOf(pptTextNarrow, 0, ' '), header(1), pptRecordOf(pptTextNarrow, 0, []byte("The end")...))
	p := &pptReader{outline: make(map[int][]pptText), work: 1 << 20}
	p.readList(pptRecord{kind: pptList, container: true, content: list})
	want := []pptText{{}, {text: "The body"}, {}, {text: "The end"}}
	if got := p.outline[7]; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
