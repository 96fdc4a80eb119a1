package strict

// Nearest returns the name that differs from a word in the fewest letters, the first of
// several; "" if there are none.
func Nearest(word string, names []string) string {
	nearest, lowest := "", -1
	for _, name := range names {
		if d := Distance(name, word); lowest < 0 || d < lowest {
			nearest, lowest = name, d
		}
	}
	return nearest
}

// Distance returns how many letters are to be changed, added or left out to make a word
// of another (Levenshtein).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
