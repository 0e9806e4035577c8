package picture

import (
	"encoding/binary"
	"iter"
)

const (
	// riffHeader is the size of what precedes the chunks of a WebP file.
	riffHeader = 12
	// frameHeader is the size of what precedes the chunks of a frame.
	frameHeader = 16
	hasAlpha    = 1 << 4 // flag of an extended WebP file
)

// chunks returns the chunks of a WebP file or of a frame in it.
func chunks(content []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		const header = 8
		for rest := content; len(rest) >= header; {
			size := int64(binary.LittleEndian.Uint32(rest[4:]))
			if header+size > int64(len(rest)) || !yield(string(rest[:4]), rest[header:header+size]) {
				return
			}
			rest = rest[min(int64(len(rest)), header+size+size%2):]
		}
	}
}

// firstFrame returns the first frame of an animated WebP file as a file of its own, and any other file unchanged. The
// decoder knows no animations.
func firstFrame(file []byte) []byte {
	for id, frame := range chunks(file[riffHeader:]) {
		if id != "ANMF" || len(frame) < frameHeader {
			continue
		}
		var made []byte
		for id, content := range chunks(frame[frameHeader:]) {
			switch id {
			case "ALPH":
				// Width and height are at 6 and 9 in the frame's header, in the form of the extended file.
				extended := append([]byte{hasAlpha, 0, 0, 0}, frame[6:12]...)
				made = appendChunk(appendChunk(made, "VP8X", extended), id, content)
			case "VP8 ", "VP8L":
				made = appendChunk(made, id, content)
			}
		}
		whole := append([]byte("RIFF\x00\x00\x00\x00WEBP"), made...)
		binary.LittleEndian.PutUint32(whole[4:], uint32(len(whole)-8))
		return whole
	}
	return file
}

func appendChunk(to []byte, id string, content []byte) []byte {
	to = binary.LittleEndian.AppendUint32(append(to, id...), uint32(len(content)))
	to = append(to, content...)
	if len(content)%2 == 1 {
		to = append(to, 0)
	}
	return to
}
