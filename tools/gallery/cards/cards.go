// Package cards makes the cards of the gallery. assets/questions.json lists their questions; each
// answer is measured: the question's scenario is played to a moment, the sentence takes its numbers
// from the run's report, and the picture is drawn from its frame. The digest on the card is the
// run's at that moment.
//
//	files, err := cards.Make(".", nil)
package cards

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

// Folder is the folder of the cards in a checkout, with slashes.
const Folder = "assets/gallery"

// Index is the name of the file that holds all cards, in the order of the questions.
const Index = "cards.json"

// Question is one entry of assets/questions.json.
type Question struct {
	ID    string            `json:"id"`              // of the scenario: assets/scenarios/ID.json
	Asks  string            `json:"question"`        // in one line
	At    scenario.Duration `json:"at"`              // the moment of the finding
	Shown scenario.Duration `json:"shown,omitempty"` // the moment of the picture, if an earlier one shows more
	// at which the page plays it from Opens on, in simulated seconds a second; 0: usualSpeed
	Speed   float64 `json:"speed,omitempty"`
	Finding string  `json:"finding"` // a sentence with numbers such as {system.migrations}; see fill
	Against *Rival  `json:"against,omitempty"`
	// Recorded requests a recording of the choices up to Opens, for a large cell, whose start is mostly
	// search.
	Recorded bool `json:"recorded,omitempty"`
}

// usualSpeed is the speed that the page begins with: site/src/model/run.ts, FIRST_SPEED.
const usualSpeed = 60

// watched is the time that the page plays before a finding.
const watched = 10 * unit.Second

// speed returns the speed at which the page plays towards the finding.
func (q *Question) speed() float64 {
	if q.Speed == 0 {
		return usualSpeed
	}
	return q.Speed
}

// Opens returns the moment at which the page opens the question: ten seconds of watching
// before the finding.
func (q *Question) Opens() unit.Time {
	return unit.Time(q.At) - unit.Time(q.speed()*float64(watched))
}

// Rival plays the same workload, machines, faults and seed; the finding reads its
// report as {against.…}.
type Rival struct {
	System   string          `json:"system"`
	Settings json.RawMessage `json:"settings,omitempty"`
}

// Card is the gallery's card of a scenario.
type Card struct {
	ID      string `json:"id"`
	Asks    string `json:"question"`
	Finding string `json:"finding"`
	Name    string `json:"name"`
	About   string `json:"about"`
	System  string `json:"system"`
	Nodes   int    `json:"nodes"`
	At      string `json:"at"`               // the moment of finding and picture
	Digest  string `json:"digest"`           // of the run at that moment
	Lesson  int    `json:"lesson,omitempty"` // steps of the scenario's lesson

	Opens    unit.Time `json:"opens"`              // the moment at which the page opens it
	Moment   unit.Time `json:"moment"`             // At, in µs
	Speed    float64   `json:"speed"`              // at which the page plays from the one to the other
	Recorded bool      `json:"recorded,omitempty"` // its choices up to Opens are recorded
}

// Questions reads assets/questions.json of the checkout at root. Each scenario of the gallery has
// exactly one question.
func Questions(root string) ([]Question, error) {
	path := filepath.Join(root, "assets", "questions.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Question
	if err := strict.Decode(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found, err := filepath.Glob(filepath.Join(root, "assets", "scenarios", "*.json"))
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, file := range found {
		open[strings.TrimSuffix(filepath.Base(file), ".json")] = true
	}
	for _, q := range list {
		switch {
		case !open[q.ID]:
			return nil, fmt.Errorf("%s: there is no assets/scenarios/%s.json, or it is asked about twice", path, q.ID)
		case q.Asks == "" || q.Finding == "" || q.At <= 0:
			return nil, fmt.Errorf("%s: %s needs a question, a finding and a moment", path, q.ID)
		case q.Opens() <= 0:
			return nil,
				fmt.Errorf(
					"%s: %s is asked about %v, which is less than ten seconds at %v× from the start: choose a lower speed", path, q.ID, q.At, q.speed(),
				)
		}
		delete(open, q.ID)
	}
	for id := range open {
		return nil, fmt.Errorf("assets/scenarios/%s.json has no question in %s", id, path)
	}
	return list, nil
}

// Make plays questions of the checkout at root, those named or all, and returns the files of Folder
// by name. The cards of other questions stay as they are.
func Make(root string, only []string) (map[string][]byte, error) {
	questions, err := Questions(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var index []Card
	var failed []error
	for _, id := range only {
		if !slices.ContainsFunc(questions, func(q Question) bool { return q.ID == id }) {
			return nil, fmt.Errorf("no question is about %q", id)
		}
	}
	for i, q := range questions {
		again := len(only) == 0 || slices.Contains(only, q.ID)
		card, pictures, err := answer(root, q, sizeOf(i), again)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", q.ID, err))
			continue
		}
		card.Opens, card.Moment, card.Speed, card.Recorded = q.Opens(), unit.Time(q.At), q.speed(), q.Recorded
		for theme, png := range pictures {
			files[q.ID+"-"+theme+".png"] = png
		}
		index = append(index, card)
	}
	if len(failed) > 0 {
		return nil, errors.Join(failed...)
	}
	if files[Index], err = json.MarshalIndent(index, "", "  "); err != nil {
		return nil, err
	}
	files[Index] = append(files[Index], '\n')
	clusters, err := AnswerClusters(root)
	if err != nil {
		return nil, err
	}
	files[Clusters], err = indexOf(clusters)
	return files, err
}

// answer plays a question again, or reads the recorded card.
func answer(root string, q Question, size room, again bool) (Card, map[string][]byte, error) {
	if again {
		return Answer(root, q, size)
	}
	dir := filepath.Join(root, filepath.FromSlash(Folder))
	text, err := os.ReadFile(filepath.Join(dir, Index))
	if err != nil {
		return Card{}, nil, err
	}
	var there []Card
	if err := json.Unmarshal(text, &there); err != nil {
		return Card{}, nil, err
	}
	for _, card := range there {
		if card.ID != q.ID {
			continue
		}
		pictures := map[string][]byte{}
		for _, theme := range themes {
			if pictures[theme], err = os.ReadFile(filepath.Join(dir, q.ID+"-"+theme+".png")); err != nil {
				return Card{}, nil, err
			}
		}
		return card, pictures, nil
	}
	return Card{}, nil, errors.New("it has no card yet; play it as well")
}

// Answer plays one question and returns its card, and its picture of a size for each theme.
func Answer(root string, q Question, size room) (Card, map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, "assets", "scenarios", q.ID+".json"))
	if err != nil {
		return Card{}, nil, err
	}
	s, err := scenario.Parse(text)
	if err != nil {
		return Card{}, nil, err
	}
	if s.Name == "" || s.About == "" {
		return Card{}, nil, errors.New("a scenario of the gallery needs a name and a line about it")
	}
	if len(s.Workload.Trace) > 0 {
		return Card{}, nil, errors.New("a scenario of the gallery brings no files")
	}
	r, pictures, err := play(s, q, size)
	if err != nil {
		return Card{}, nil, err
	}
	report, err := figures(r)
	if err != nil {
		return Card{}, nil, err
	}
	if q.Against != nil {
		other := *s
		other.SetSystem(q.Against.System)
		other.Settings = q.Against.Settings
		against, _, err := play(&other, q, room{})
		if err != nil {
			return Card{}, nil, fmt.Errorf("against %s: %w", q.Against.System, err)
		}
		if report["against"], err = figures(against); err != nil {
			return Card{}, nil, err
		}
	}
	finding, err := fill(q.Finding, report)
	if err != nil {
		return Card{}, nil, err
	}
	return Card{
		ID: q.ID, Asks: q.Asks, Finding: finding, Name: s.Name, About: s.About, System: s.System,
		Nodes: r.View().Nodes(),
		At:    q.At.String(), Digest: r.Digest().String(), Lesson: len(s.Notes),
		Opens: q.Opens(), Moment: unit.Time(q.At), Speed: q.speed(), Recorded: q.Recorded,
	}, pictures, nil
}

// play runs a scenario to the question's moment, and draws it on the way unless there is no room.
// Tasks that moved shortly before are part of the picture.
func play(s *scenario.Scenario, q Question, size room) (*run.Run, map[string][]byte, error) {
	r, err := run.Open(s, nil, run.KeepIncidents())
	if err != nil {
		return nil, nil, err
	}
	at, shown := unit.Time(q.At), unit.Time(q.Shown)
	if shown == 0 {
		shown = at
	}
	if at > r.Until() || shown > at {
		return nil, nil,
			fmt.Errorf(
				"it is shown at %v and asked about %v: the one is not after the other, and both not after the end, %v",
				scenario.Duration(shown), q.At, scenario.Duration(r.Until()),
			)
	}
	if err := r.Advance(max(0, shown-moves)); err != nil {
		return nil, nil, err
	}
	r.Frame(nil) // discards earlier movements
	if err := r.Advance(shown); err != nil {
		return nil, nil, err
	}
	var pictures map[string][]byte
	if size.width > 0 {
		if pictures, err = drawn(r, fillOf(s), size); err != nil {
			return nil, nil, err
		}
	}
	return r, pictures, r.Advance(at)
}

// figures returns the values that a finding can name: the report's fields, and incidents.
func figures(r *run.Run) (map[string]any, error) {
	report, err := json.Marshal(struct {
		run.Report
		Incidents []inspect.Incident `json:"incidents"`
	}{r.Report(), r.Incidents()})
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	return fields, json.Unmarshal(report, &fields)
}

// Pictures returns the names of the card's files in Folder.
func (c Card) Pictures() []string {
	names := make([]string, len(themes))
	for i, theme := range themes {
		names[i] = c.ID + "-" + theme + ".png"
	}
	return names
}

// Read returns the cards of the checkout at root: one for each question, in their order.
func Read(root string, questions []Question) ([]Card, error) {
	path := filepath.Join(root, filepath.FromSlash(Folder), Index)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there; make gallery writes it", path)
	}
	if err != nil {
		return nil, err
	}
	var index []Card
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !slices.EqualFunc(index, questions, func(c Card, q Question) bool { return c.ID == q.ID && c.Asks == q.Asks }) {
		return nil,
			fmt.Errorf("%s answers other questions than assets/questions.json asks; make gallery writes it anew", path)
	}
	return index, nil
}
