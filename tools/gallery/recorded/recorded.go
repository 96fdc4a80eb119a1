// Package recorded records the choices of the gallery's large cells up to the moments at which
// the page opens them, so that it need not search for them again: see package choices.
//
//	file, err := recorded.Record(".", question)
//
// A file is raw deflate over the bytes of a tape. The page unpacks it.
package recorded

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/core/choices"
	"parley/core/run"
	"parley/core/scenario"
	"parley/tools/gallery/cards"
)

// Folder is where the files are in a checkout, with slashes.
const Folder = "assets/choices"

// Name returns the name of a question's file in Folder.
func Name(id string) string { return id + ".bin" }

// Scenario reads the scenario of a question of the checkout at root.
func Scenario(root, id string) (*scenario.Scenario, error) {
	text, err := os.ReadFile(filepath.Join(root, "assets", "scenarios", id+".json"))
	if err != nil {
		return nil, err
	}
	return scenario.Parse(text)
}

// Record plays a question's scenario of the checkout at root and returns the file.
func Record(root string, q cards.Question) ([]byte, error) {
	s, err := Scenario(root, q.ID)
	if err != nil {
		return nil, err
	}
	tape, err := run.Systems().Record(s, q.Opens(), 1) // time 0 is checked before the page shows the run
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.ID, err)
	}
	plain, err := tape.Bytes()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// maxBytes limits the unpacked size of a file.
const maxBytes = 16 << 20

// Read reads the file of a question of the checkout at root.
func Read(root, id string) (*choices.Tape, error) {
	packed, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Folder), Name(id)))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name(id), err)
	}
	return choices.Read(plain)
}
