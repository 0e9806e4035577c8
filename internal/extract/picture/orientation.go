package picture

import (
	"bytes"
	"encoding/binary"
)

// orientation returns the EXIF orientation of a picture, or 1 if it has none.
func orientation(file []byte) int {
	var exif []byte
	switch Type(file) {
	case "image/jpeg":
		exif = jpegEXIF(file)
	case "image/png":
		exif = pngEXIF(file)
	case "image/webp":
		for id, content := range chunks(file[riffHeader:]) {
			if id == "EXIF" {
				exif = bytes.TrimPrefix(content, []byte(exifMark))
			}
		}
	}
	return exifOrientation(exif)
}

// exifMark precedes EXIF data in JPEG.
const exifMark = "Exif\x00\x00"

// jpegEXIF returns the EXIF data of a JPEG. It is in a segment before the picture's data.
func jpegEXIF(file []byte) []byte {
	const (
		appData = 0xe1
		scan    = 0xda
	)
	for rest := file[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != scan; {
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if size < 2 || 2+size > len(rest) {
			return nil
		}
		if content := rest[4 : 2+size]; rest[1] == appData && bytes.HasPrefix(content, []byte(exifMark)) {
			return content[len(exifMark):]
		}
		rest = rest[2+size:]
	}
	return nil
}

// pngEXIF returns the EXIF data of a PNG.
func pngEXIF(file []byte) []byte {
	const signature, frame = 8, 12 // a chunk has its size, type and checksum around its content
	for rest := file[signature:]; len(rest) >= frame; {
		size := int64(binary.BigEndian.Uint32(rest))
		if size+frame > int64(len(rest)) {
			return nil
		}
		if string(rest[4:8]) == "eXIf" {
			return rest[8 : 8+size]
		}
		rest = rest[size+frame:]
	}
	return nil
}

// exifOrientation reads the orientation from EXIF data, which is a TIFF file.
func exifOrientation(exif []byte) int {
	const (
		header, entry  = 8, 12
		orientationTag = 0x0112
		upright        = 1
	)
	if len(exif) < header {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if exif[0] == 'I' {
		order = binary.LittleEndian
	}
	start := int64(order.Uint32(exif[4:]))
	if start+2 > int64(len(exif)) {
		return upright
	}
	entries := exif[start+2:]
	for range order.Uint16(exif[start:]) {
		if len(entries) < entry {
			break
		}
		if order.Uint16(entries) == orientationTag {
			return int(order.Uint16(entries[8:]))
		}
		entries = entries[entry:]
	}
	return upright
}
