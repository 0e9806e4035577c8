package store

// MaxBatch is how many bytes of text a list reads at once. Lists of longer texts are read in batches, with one batch in
// memory at a time.
const MaxBatch = 256 << 10

// batch counts the texts of a batch.
type batch struct {
	rows, bytes int
}

// add adds a row and reports whether it fits. The first always does.
func (b *batch) add(bytes int) bool {
	b.rows++
	b.bytes += bytes
	return b.rows == 1 || b.bytes <= MaxBatch
}
