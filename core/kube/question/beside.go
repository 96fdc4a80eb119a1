package question

import "strings"

// Beside puts the answer about a changed world beside that about the dump as it is. It returns both as a value
// for programs, and the documents of the changed world with a table of both sentences. changes are named as they were
// written.
func Beside(before, after any, was, is []Document, changes []string) (any, []Document) {
	rows := [][]string{{"as the dump has it", was[0].Sentence}, {"with " + strings.Join(changes, ", "), is[0].Sentence}}
	both := Grid{Heading: "Beside the world as it is", Columns: []string{"world", "answer"}, Rows: rows}
	is[0].Grids = append([]Grid{both}, is[0].Grids...)
	return struct {
		Changes []string `json:"changes"`
		Before  any      `json:"before"`
		After   any      `json:"after"`
	}{changes, before, after}, is
}
