package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/core/run"
)

// keeper keeps what runs of an experiment showed in a folder, a file each. A file is named
// by the run and by the program that played it: another build plays anew.
type keeper struct {
	folder  string
	program [sha256.Size]byte
}

// newKeeper makes the folder, where it is not there yet.
func newKeeper(folder string) (*keeper, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("--keep cannot tell which program this is: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--keep cannot read this program: %w", err)
	}
	defer f.Close()
	k, sum := &keeper{folder: folder}, sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, fmt.Errorf("--keep cannot read this program: %w", err)
	}
	sum.Sum(k.program[:0])
	return k, nil
}

// engine names the program, so that results of another build count for nothing.
func (k *keeper) engine() string { return fmt.Sprintf("%s+%x", run.Engine, k.program[:6]) }

// once implements paper.Options.Once. A file is whole or not there: its first line is the
// sum of the rest, and a file that breaks it is played anew.
func (k *keeper) once(name string, play func() ([]byte, error)) ([]byte, error) {
	path := filepath.Join(k.folder, fmt.Sprintf("%x", sha256.Sum256(append(k.program[:], name...))))
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	if sum, rest, found := bytes.Cut(text, []byte("\n")); found && string(sum) == fmt.Sprintf("%x", sha256.Sum256(rest)) {
		return rest, nil
	}
	played, err := play()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(k.folder, "playing")
	if err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	defer os.Remove(f.Name()) // nothing, once it has its name
	_, err = fmt.Fprintf(f, "%x\n%s", sha256.Sum256(played), played)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	return played, nil
}
