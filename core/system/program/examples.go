package program

import (
	"embed"
	"strings"
)

//go:embed examples/*.star
var files embed.FS

// Example is a program to read, run and change.
type Example struct {
	ID   string `json:"id"`   // the name of its file
	Name string `json:"name"` // its first line, for people
	Text string `json:"text"`
}

// Examples returns the examples, the simplest first.
func Examples() []Example {
	var all []Example
	for _, id := range []string{
		"best_fit", "power_of_two_choices", "work_stealing", "rack_spread", "smallest_first",
		"rescheduler", "easy_backfilling",
	} {
		text, err := files.ReadFile("examples/" + id + ".star")
		if err != nil {
			panic("program: " + err.Error()) // it is embedded
		}
		name, _, _ := strings.Cut(string(text), "\n")
		all = append(all, Example{id, strings.TrimPrefix(name, "# "), string(text)})
	}
	return all
}
