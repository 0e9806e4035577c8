package zipxml_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

func TestOverlappingEntriesAreRefused(t *testing.T) {
	if _, err := zipxml.Open(overlapping(t), 1<<30); !extracttest.IsRefusal(err, prose.ErrBomb) {
		t.Errorf("got %v", err)
	}
}

// overlapping is an archive with two entries that share their bytes.
func overlapping(t *testing.T) []byte {
	t.Helper()
	whole := []byte(extracttest.Zip(t, map[string]string{"a": strings.Repeat("The ferry leaves at nine. ", 100)}))
	end := bytes.LastIndex(whole, []byte("PK\x05\x06"))
	directory := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	entry := whole[directory:end]
	twice := append(bytes.Clone(whole[:end]), entry...)
	tail := bytes.Clone(whole[end:])
	binary.LittleEndian.PutUint16(tail[8:], 2)
	binary.LittleEndian.PutUint16(tail[10:], 2)
	binary.LittleEndian.PutUint32(tail[12:], uint32(2*len(entry)))
	return append(twice, tail...)
}

func TestAnEntryThatUnpacksToMoreThanItSaysIsRefused(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	content := []byte(strings.Repeat("a", 1<<20))
	var squeezed bytes.Buffer
	f, err := flate.NewWriter(&squeezed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(content)
	f.Close()
	w, err := z.CreateRaw(&zip.FileHeader{
		Name:               "a",
		Method:             zip.Deflate,
		CRC32:              crc32.ChecksumIEEE(content),
		CompressedSize64:   uint64(squeezed.Len()),
		UncompressedSize64: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(squeezed.Bytes())
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := zipxml.Open(b.Bytes(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read("a"); !extracttest.IsRefusal(err, prose.ErrBroken) {
		t.Errorf("got %v", err)
	}
}
