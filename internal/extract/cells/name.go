package cells

import "strconv"

// MaxColumns is the number of columns of the largest sheets.
const MaxColumns = 16_384

// Name returns the name of a cell such as "B2". Columns and rows are counted from 1.
func Name(column, row int) string {
	letters := ""
	for ; column > 0; column = (column - 1) / 26 {
		letters = string(rune('A'+(column-1)%26)) + letters
	}
	return letters + strconv.Itoa(row)
}

// Column returns the column of a cell's name such as "B2", counted from 1, or 0 if it is none.
func Column(name string) int {
	column := 0
	for i := 0; i < len(name) && 'A' <= name[i] && name[i] <= 'Z'; i++ {
		if column = 26*column + int(name[i]-'A') + 1; column > MaxColumns {
			return 0
		}
	}
	return column
}
