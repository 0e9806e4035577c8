package cli

// Nearest returns the known name closest to a name, or "" if more than a third of its letters differ. The letters of
// the prefix that all names have don't count.
func Nearest(name string, known []string, prefix int) string {
	best, least := "", len(name)
	for _, candidate := range known {
		if d := Distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	if 3*least > len(name)-prefix {
		return ""
	}
	return best
}

// Distance returns the Levenshtein distance of a and b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a prefix of a to every prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
