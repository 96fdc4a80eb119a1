// Package assets holds what the project ships as content: the scenarios of the
// gallery, each in one file named after its id, and the challenges.
//
//	doc, ok := assets.Scenario("google-cell")
package assets

import (
	"embed"
	"strings"
)

//go:embed scenarios/*.json
var scenarios embed.FS

//go:embed challenges/*.json
var challenges embed.FS

// Scenario returns a scenario's document, if the gallery has it.
func Scenario(id string) ([]byte, bool) {
	doc, err := scenarios.ReadFile("scenarios/" + id + ".json")
	return doc, err == nil
}

// Challenge returns a challenge's document, and false if there is none of that name.
func Challenge(id string) ([]byte, bool) {
	doc, err := challenges.ReadFile("challenges/" + id + ".json")
	return doc, err == nil
}

// Scenarios returns the ids of the gallery's scenarios in alphabetical order.
func Scenarios() []string {
	entries, err := scenarios.ReadDir("scenarios")
	if err != nil {
		panic("assets: " + err.Error()) // the folder is compiled in
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return ids
}
