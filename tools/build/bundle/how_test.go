package bundle

import (
	"strings"
	"testing"

	"parley/core/run/full"
)

// TestExplanations: every system says how it works, in a form that the page can draw.
func TestExplanations(t *testing.T) {
	files, err := explanations("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(full.Systems()) {
		t.Errorf("%d systems have %d explanations", len(full.Systems()), len(files))
	}
}

// TestCheckHow: what the page could not draw is refused with what is wrong.
func TestCheckHow(t *testing.T) {
	const good = `{"parties":["A","B"],"steps":[{"from":0,"to":1,"message":"hello","means":"A greets B."}],"after":"They part."}`
	if err := checkHow([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"A","B"`, ``, "there are 0 parties: name 1 to 5"},
		{`"A","B"`, `"A","B","C","D","E","F"`, "there are 6 parties: name 1 to 5"},
		{`"to":1`, `"to":2`, "step 1 goes from 0 to 2: parties are 0 to 1"},
		{`"from":0`, `"from":-1`, "step 1 goes from -1 to 1: parties are 0 to 1"},
		{`hello`, ``, `step 1 says "": write 1 to 44 characters`},
		{`hello`, strings.Repeat("h", 45), "write 1 to 44 characters"},
		{`A greets B.`, ``, "step 1 means nothing: write a sentence"},
		{`They part.`, ``, "after is empty: say what comes of it"},
		{`"after"`, `"afterwards"`, `unknown field "afterwards"`},
		{`{"from":0,"to":1,"message":"hello","means":"A greets B."}`, ``, "there are no steps: write what happens"},
	} {
		err := checkHow([]byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
