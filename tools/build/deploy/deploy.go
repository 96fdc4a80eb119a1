// Package deploy writes the files of the page into a directory for a web server or a static host.
//
//	packed, err := deploy.Pack(files, "bin/packed")
//	maps.Copy(files, packed)
//	err = deploy.Write("dist", files)
//
// Write removes all other files from the directory, so that no compressed neighbour of an earlier
// build is served in the place of a new file.
package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes dir hold exactly files, by slash-separated name. A file that already has its content
// is not touched. A directory with files that no earlier Write can have made is refused.
func Write(dir string, files map[string][]byte) error {
	if err := recognise(dir); err != nil {
		return err
	}
	// index.html first: the next Write recognises the directory by it.
	names := []string{"index.html"}
	for name := range files {
		if name != "index.html" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := write(filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return err
		}
	}
	return tidy(dir, files)
}

// recognise refuses a directory that holds something, but no page.
func recognise(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	_, page := os.Stat(filepath.Join(dir, "index.html"))
	_, source := os.Stat(filepath.Join(dir, "go.mod")) // a checkout has an index.html too
	if page != nil || source == nil {
		return fmt.Errorf(
			"%q holds files that are not a built page, and they would be removed; empty it or choose another --out",
			dir,
		)
	}
	return nil
}

// write replaces a file whose content differs.
func write(file string, content []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// tidy removes files that are not in files, and directories that are empty then.
func tidy(dir string, files map[string][]byte) error {
	var directories []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			directories = append(directories, name)
			return nil
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if _, keep := files[filepath.ToSlash(relative)]; keep {
			return nil
		}
		return os.Remove(name)
	})
	if err != nil {
		return err
	}
	for i := len(directories) - 1; i > 0; i-- { // deepest first, never dir itself
		entries, err := os.ReadDir(directories[i])
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			if err := os.Remove(directories[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
