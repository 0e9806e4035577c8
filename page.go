package parley

// MaxPageSize is the largest page given out; a larger size asked for is taken as this.
const MaxPageSize = 200

// Page is a part of a list: page Number (from 1) of Size entries.
type Page struct {
	Number int64
	Size   int64
}

// Clamp bounds the size to MaxPageSize, and makes a page of nothing one of the least.
func (p Page) Clamp() Page {
	p.Size = min(max(p.Size, 1), MaxPageSize)
	return p
}

// Skip is how many entries come before the page. It is 0, false where no list
// can be that long.
func (p Page) Skip() (int64, bool) {
	const most = 1 << 62
	if p.Number-1 > most/p.Size {
		return 0, false
	}
	return (p.Number - 1) * p.Size, true
}

// More reports whether entries follow the page in a list of total entries.
func (p Page) More(total int64) bool {
	skip, ok := p.Skip()
	return ok && total-skip > p.Size
}
