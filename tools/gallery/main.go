// Command gallery plays the scenarios of the gallery, or those that are named, and writes the data
// of their cards: assets/gallery/cards.json, with the findings, and two pictures of each. Of large
// cells it records the choices (package recorded), and with the first scenario the keyframes that
// the page shows before its simulation is loaded.
//
//	go run ./tools/gallery google-cell
//
// With papers before them, the names are those of experiments, and their results are recorded in
// assets/papers.json. Experiments with public files are recorded only if TRACES names a folder of
// them.
//
//	go run ./tools/gallery papers rounds/table2
//
// With judge alone behind papers, the recorded results are judged again and nothing is played.
//
// With challenge alone it plays the known schedulers of the challenge "Beat best fit" and
// records their scores in assets/challenge.json.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/assets"
	"parley/core/run"
	"parley/core/study/challenge"
	"parley/tools/gallery/cards"
	"parley/tools/gallery/keyframes"
	"parley/tools/gallery/papers"
	"parley/tools/gallery/recorded"
)

func main() {
	var err error
	switch names := os.Args[1:]; {
	case len(names) == 2 && names[0] == "papers" && names[1] == "judge":
		err = papers.Judge(".", os.Stderr)
	case len(names) > 0 && names[0] == "papers":
		err = papers.Record(".", names[1:], os.Getenv("TRACES"), os.Stderr)
	case len(names) == 1 && names[0] == "challenge":
		err = recordChallenge()
	default:
		err = write(".", names)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// recordChallenge plays the known schedulers of the challenge.
func recordChallenge() error {
	text, _ := assets.Challenge("beat-best-fit")
	c, err := challenge.Parse(text)
	if err != nil {
		return err
	}
	recorded, err := c.Record(run.Systems())
	if err != nil {
		return err
	}
	out, err := json.MarshalIndent(recorded, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.FromSlash(challenge.File), append(out, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Print(recorded.Markdown()) // for docs/challenge.md, which a test compares
	return nil
}

// record writes the choices of the questions that ask for it, all unless some are named.
func record(root string, only []string) error {
	questions, err := cards.Questions(root)
	if err != nil {
		return err
	}
	for _, q := range questions {
		path := filepath.Join(root, filepath.FromSlash(recorded.Folder), recorded.Name(q.ID))
		switch {
		case !q.Recorded:
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		case len(only) == 0 || slices.Contains(only, q.ID):
			file, err := recorded.Record(root, q)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, file, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// write plays questions of the checkout at root, all unless some are named, and puts
// the cards in place of those that are there.
func write(root string, only []string) error {
	files, err := cards.Make(root, only)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, filepath.FromSlash(cards.Folder))
	old, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range old {
		if _, kept := files[entry.Name()]; !kept {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	if err := record(root, only); err != nil {
		return err
	}
	if len(only) > 0 && !slices.Contains(only, keyframes.Scenario) {
		return nil
	}
	recording, err := keyframes.Record(root)
	if err != nil {
		return fmt.Errorf("keyframes: %w", err)
	}
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(keyframes.File)), recording, 0o644)
}
