package parley

// MaxPageSize is the largest page size. Larger requested sizes are reduced to it.
const MaxPageSize = 200

// Page selects a part of a list: page Number (from 1) of Size entries.
type Page struct {
	Number int64
	Size   int64
}

// Clamp returns the page with its size limited to the range from 1 to MaxPageSize.
func (p Page) Clamp() Page {
	p.Size = min(max(p.Size, 1), MaxPageSize)
	return p
}

// Skip returns the number of entries before the page, and false if no list can be that long.
func (p Page) Skip() (int64, bool) {
	const maxSkip = 1 << 62
	if p.Number-1 > maxSkip/p.Size {
		return 0, false
	}
	return (p.Number - 1) * p.Size, true
}

// More reports whether entries follow the page in a list of total entries.
func (p Page) More(total int64) bool {
	skip, ok := p.Skip()
	return ok && total-skip > p.Size
}
