package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewSystem: in a copy of the sources a new system is green at once, in its own tests, the
// plan of the house and a run.
func TestNewSystem(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a copy of the sources")
	}
	dir := t.TempDir()
	for _, name := range []string{"core", "assets", "go.mod", "go.sum"} {
		from := filepath.Join(checkout, name)
		if info, err := os.Stat(from); err != nil {
			t.Fatal(err)
		} else if !info.IsDir() {
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, name), string(text))
			continue
		}
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	run := shell(t, dir)
	out, complaints, code := run("cd core/system && parley new system zigzag --title 'Zig and zag'")
	if code != 0 || !strings.Contains(out, "core/system/zigzag/zigzag.go\n") {
		t.Fatalf("exit %d: %s%s", code, out, complaints)
	}
	for _, c := range []struct{ name, want string }{
		{"zigzag", "exists: choose another name"}, {"Zag", "the name is \"Zag\": choose 2 to 31"}, {"x", "choose 2 to 31"},
	} {
		if _, complaints, code := run("parley new system " + c.name); code == 0 || !strings.Contains(complaints, c.want) {
			t.Errorf("%s: exit %d, %s, want %q", c.name, code, complaints, c.want)
		}
	}
	for _, args := range [][]string{
		{"vet", "./core/system/zigzag", "./core/run"},
		{"test", "-short", "./core/system/zigzag"},
		{"test", "./core", "-run", "^(TestNoImportClimbs|TestNoGlobalChanges)$"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "assets", "questions.json"))
	var questions []struct{ ID string }
	if err == nil {
		err = json.Unmarshal(text, &questions)
	}
	if n := len(questions); err != nil || n < 2 || questions[n-1].ID != "zigzag" {
		t.Errorf("the questions of the gallery: %v, %d of them", err, n)
	}
	list := exec.Command("gofmt", "-l", "core/run", "core/system/zigzag")
	list.Dir = dir
	if out, err := list.CombinedOutput(); err == nil && len(out) > 0 {
		t.Errorf("not formatted: %s", out)
	}
	if out, complaints, code := shell(t, t.TempDir())("parley new system zigzag"); code == 0 || !strings.Contains(complaints, "is in no checkout of Parley") {
		t.Errorf("elsewhere: exit %d, %s%s", code, out, complaints)
	}
}
