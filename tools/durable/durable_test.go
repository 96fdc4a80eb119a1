package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/tools/durable"
	"parley/tools/durable/durabletest"
)

// TestEveryCallFails: whichever call fails, each file is as it was or as it is to be, and no other file stays
// unless the machine went down.
func TestEveryCallFails(t *testing.T) {
	for _, down := range []bool{false, true} {
		failed := true
		for at := 1; failed; at++ {
			dir := t.TempDir()
			old := map[string]string{"a": "old a", "b": "old b", "c": "old c"}
			for name, text := range old {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f := &durabletest.Failing{At: at, Down: down, Err: syscall.EIO}
			s := f.System()
			fresh := map[string]string{"a": "new and longer a", "b": "new and longer b"}
			all := s.ReplaceAll(dir, []string{"a", "b"}, fresh, ".part")
			one := s.Replace(filepath.Join(dir, "c"), filepath.Join(dir, "c.part"), []byte("new c"), 0o600)
			failed = f.Calls >= at
			if failed == (all == nil && one == nil) {
				t.Errorf("call %d: %v, %v", at, all, one)
			}
			if all != nil && (!errors.Is(all, syscall.EIO) || !errors.As(all, new(*durable.Error))) {
				t.Errorf("call %d: %v", at, all)
			}
			fresh["c"] = "new c"
			for name := range old {
				text, err := os.ReadFile(filepath.Join(dir, name))
				told := map[bool]error{true: one, false: all}[name == "c"]
				if err != nil || string(text) != fresh[name] && (string(text) != old[name] || told == nil) {
					t.Errorf("call %d (down: %v): %s is %q, %v", at, down, name, text, err)
				}
			}
			if parts, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(parts) > 0 && !down {
				t.Errorf("call %d: %v stay", at, parts)
			}
		}
	}
}

// TestReplaceKeepsWhatIsNoFile: a symbolic link stays one, and its file is replaced.
func TestReplaceKeepsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Skip(err)
	}
	if err := durable.Disk().Replace(link, link+".part", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if text, _ := os.ReadFile(file); err != nil || info.Mode()&os.ModeSymlink == 0 || string(text) != "new" {
		t.Errorf("%v, %v, %q", info, err, text)
	}
	if err := durable.Disk().Replace(os.DevNull, filepath.Join(dir, "x"), []byte("new"), 0o600); err != nil {
		t.Error(err)
	}
}
