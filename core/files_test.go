package core_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"
)

// maxFile is the size of the largest file that a checkout may have, in bytes. A program
// built here is larger; the largest record is a third of it.
const maxFile = 3 << 20

// built are folders that git ignores, below the checkout.
var built = []string{".git", "bin", "dist", "release", "release.part", "site/node_modules", "site/test-results", "wasm/edge/build", "wasm/edge/node_modules", "wasm/edge/.wrangler"}

// TestNoLargeFiles finds programs and data that were committed by mistake: each
// clone has them for good.
func TestNoLargeFiles(t *testing.T) {
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains(built, name) {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.Size() > maxFile {
			t.Errorf("%s has %d bytes. The limit is %d: build programs into bin/, and let a script make large data.", name, info.Size(), maxFile)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
