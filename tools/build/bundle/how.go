package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/core/run/full"
)

// how is the document core/system/ID/how.json: how a system works, as the page draws it.
type how struct {
	Parties []string `json:"parties"` // lifelines, from left to right
	Steps   []step   `json:"steps"`   // in their order
	After   string   `json:"after"`   // the result if a step fails, or the next step; one or two sentences
}

// step is an arrow from one party to another, or an action of one party if both are the same.
type step struct {
	From    int    `json:"from"`
	To      int    `json:"to"`
	Message string `json:"message"` // beside the arrow, some words
	Means   string `json:"means"`   // a sentence
}

// explanations copies how systems work to how/ID.json.
func explanations(root string) (Files, error) {
	files := Files{}
	for _, s := range full.Systems() {
		name := filepath.Join(root, "core", "system", s.ID, "how.json")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the page shows the description instead
		}
		if err != nil {
			return nil, err
		}
		if err := checkHow(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files["how/"+s.ID+".json"] = text
	}
	return files, nil
}

// Limits that let the text fit a drawing of 640 pixels.
const (
	maxParties = 5
	maxWords   = 44 // characters beside an arrow
)

// checkHow returns the first error of an explanation.
func checkHow(text []byte) error {
	var h how
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return err
	}
	switch {
	case len(h.Parties) < 1 || len(h.Parties) > maxParties:
		return fmt.Errorf("there are %d parties: name 1 to %d", len(h.Parties), maxParties)
	case len(h.Steps) == 0:
		return fmt.Errorf("there are no steps: write what happens")
	case h.After == "":
		return fmt.Errorf("after is empty: say what comes of it")
	}
	for i, s := range h.Steps {
		switch {
		case s.From < 0 || s.From >= len(h.Parties) || s.To < 0 || s.To >= len(h.Parties):
			return fmt.Errorf("step %d goes from %d to %d: parties are 0 to %d", i+1, s.From, s.To, len(h.Parties)-1)
		case s.Message == "" || len([]rune(s.Message)) > maxWords:
			return fmt.Errorf("step %d says %q: write 1 to %d characters", i+1, s.Message, maxWords)
		case s.Means == "":
			return fmt.Errorf("step %d means nothing: write a sentence", i+1)
		}
	}
	return nil
}
