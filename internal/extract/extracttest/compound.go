package extracttest

import (
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// Sizes and marks of compound files.
const (
	sectorSize = 512
	miniSize   = 64
	miniCutoff = 4096
	noSector   = 0xFFFFFFFF
	lastSector = 0xFFFFFFFE
	fatSector  = 0xFFFFFFFD
)

// compoundWriter writes compound files of version 3.
type compoundWriter struct {
	sectors []byte
	fat     []uint32
	mini    []byte
	miniFAT []uint32
}

// Compound returns a compound file of streams, by path.
func Compound(streams map[string]string) []byte {
	w := &compoundWriter{}
	entries := folderEntries(streams)
	for i := range entries {
		e := &entries[i]
		switch {
		case !e.stream:
		case len(e.content) < miniCutoff:
			e.start = add(&w.mini, &w.miniFAT, e.content, miniSize)
		default:
			e.start = add(&w.sectors, &w.fat, e.content, sectorSize)
		}
	}
	miniSectors := len(w.miniFAT)
	entries[0].start, entries[0].size = add(&w.sectors, &w.fat, string(w.mini), sectorSize), len(w.mini)
	miniFAT := add(&w.sectors, &w.fat, words(w.miniFAT), sectorSize)
	directory := add(&w.sectors, &w.fat, directoryOf(entries), sectorSize)
	fatSectors := (len(w.fat)*4+sectorSize)/sectorSize + 1
	first := len(w.fat)
	for range fatSectors {
		w.fat = append(w.fat, fatSector)
	}
	fat := padded(words(w.fat), sectorSize*fatSectors, 0xFF)

	header := make([]byte, sectorSize)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	put16(header[24:], 0x3E)
	put16(header[26:], 3)
	put16(header[28:], 0xFFFE)
	put16(header[30:], 9)
	put16(header[32:], 6)
	put32(header[44:], uint32(fatSectors))
	put32(header[48:], directory)
	put32(header[56:], miniCutoff)
	put32(header[60:], miniFAT)
	put32(header[64:], uint32((miniSectors*4+sectorSize-1)/sectorSize))
	put32(header[68:], lastSector)
	for i := range 109 {
		sector := uint32(noSector)
		if i < fatSectors {
			sector = uint32(first + i)
		}
		put32(header[76+4*i:], sector)
	}
	return slices.Concat(header, w.sectors, []byte(fat))
}

// add adds a chain of sectors and returns the first.
func add(sectors *[]byte, fat *[]uint32, content string, size int) uint32 {
	if content == "" {
		return lastSector
	}
	first := len(*fat)
	*sectors = append(*sectors, padded(content, (len(content)+size-1)/size*size, 0)...)
	for len(*fat) < len(*sectors)/size-1 {
		*fat = append(*fat, uint32(len(*fat)+1))
	}
	*fat = append(*fat, lastSector)
	return uint32(first)
}

func padded(content string, size int, by byte) string {
	return content + strings.Repeat(string([]byte{by}), size-len(content))
}

func words(all []uint32) string {
	var b []byte
	for _, word := range all {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return string(b)
}

type compoundEntry struct {
	path    string
	content string
	stream  bool
	size    int
	start   uint32
}

// folderEntries lists the streams and the folders that they are in, the root first.
func folderEntries(streams map[string]string) []compoundEntry {
	folders := map[string]bool{}
	for name := range streams {
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			folders[folder] = true
		}
	}
	entries := []compoundEntry{{path: "."}}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		entries = append(entries, compoundEntry{path: folder})
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		entries = append(entries, compoundEntry{path: name, content: streams[name], stream: true, size: len(streams[name])})
	}
	return entries
}

// directoryOf returns the directory. The entries of a folder are a list, each to the right of the one before.
func directoryOf(entries []compoundEntry) string {
	next, child := map[int]int{}, map[string]int{}
	last := map[string]int{}
	for i, e := range entries[1:] {
		folder := path.Dir(e.path)
		if before, ok := last[folder]; ok {
			next[before] = i + 1
		} else {
			child[folder] = i + 1
		}
		last[folder] = i + 1
	}
	var all strings.Builder
	for i, e := range entries {
		name := "Root Entry"
		kind := byte(5)
		if i > 0 {
			name, kind = path.Base(e.path), 1
		}
		if e.stream {
			kind = 2
		}
		b := make([]byte, 128)
		units := utf16.Encode([]rune(name))
		for j, unit := range units {
			binary.LittleEndian.PutUint16(b[2*j:], unit)
		}
		binary.LittleEndian.PutUint16(b[64:], uint16(2*len(units)+2))
		b[66], b[67] = kind, 1
		for j, link := range []int{0, next[i], child[e.path]} {
			sibling := uint32(noSector)
			if link > 0 {
				sibling = uint32(link)
			}
			binary.LittleEndian.PutUint32(b[68+4*j:], sibling)
		}
		binary.LittleEndian.PutUint32(b[116:], e.start)
		binary.LittleEndian.PutUint32(b[120:], uint32(e.size))
		all.Write(b)
	}
	return all.String()
}

// UTF16 returns a text in the encoding of old documents.
func UTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}
