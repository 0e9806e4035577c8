package library

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"parley/internal/embed"
)

const (
	// maxVectors is how many passages of one document have vectors. They are about 10 MB of text.
	maxVectors = 20_000
	// maxVectorsHead limits the size of the head, in bytes.
	maxVectorsHead = 4096
	// scaleSize is the size of a vector's scale, in bytes.
	scaleSize = 4
	// largestByte is the largest number in a stored vector.
	largestByte = 127
)

var errBadVectors = errors.New("the vectors of a file are broken")

// vectorsHead begins the vectors of a document: its length as a varint, then itself as JSON. A vector per passage
// follows, in the order of the index: a scale, and a byte per dimension, which is a quarter of what floats would take.
type vectorsHead struct {
	Model     string `json:"model"`
	Dimension int    `json:"dimension"`
	Passages  int    `json:"passages"`
}

// VectorsBy names the maker of vectors in the database: a model and a dimension. Vectors of different makers can't be
// compared.
func VectorsBy(model string, dimension int) string { return fmt.Sprintf("%s %d", model, dimension) }

func appendVectorsHead(data []byte, head vectorsHead) ([]byte, error) {
	encoded, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode vectors: %w", err)
	}
	return append(binary.AppendUvarint(data, uint64(len(encoded))), encoded...), nil
}

func appendVector(data []byte, vector embed.Vector) []byte {
	largest := 0.0
	for _, x := range vector {
		largest = max(largest, math.Abs(float64(x)))
	}
	scale := largest / largestByte
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(scale)))
	for _, x := range vector {
		data = append(data, byte(int8(math.Round(float64(x)/scale))))
	}
	return data
}

// vectorsReader reads the vectors of a document.
type vectorsReader struct {
	vectorsHead
	r      *bufio.Reader
	vector []byte
}

// openVectors reads the head.
func openVectors(r io.Reader) (*vectorsReader, error) {
	v := &vectorsReader{r: bufio.NewReaderSize(r, blockSize)}
	size, err := binary.ReadUvarint(v.r)
	if err != nil {
		return nil, err
	}
	if size > maxVectorsHead {
		return nil, errBadVectors
	}
	head := make([]byte, size)
	if _, err := io.ReadFull(v.r, head); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(head, &v.vectorsHead); err != nil || v.Dimension <= 0 || v.Passages < 0 {
		return nil, errBadVectors
	}
	return v, nil
}

// size returns the size of all vectors, in bytes.
func (v *vectorsReader) size() int64 { return int64(v.Passages) * int64(scaleSize+v.Dimension) }

// next returns the cosine of the angle between the next vector and another one of the same dimension.
func (v *vectorsReader) next(other embed.Vector) (float64, error) {
	if v.vector == nil {
		v.vector = make([]byte, scaleSize+v.Dimension)
	}
	if _, err := io.ReadFull(v.r, v.vector); err != nil {
		return 0, err
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(v.vector))
	sum := float32(0)
	for i, b := range v.vector[scaleSize:] {
		sum += float32(int8(b)) * other[i]
	}
	return float64(sum * scale), nil
}
