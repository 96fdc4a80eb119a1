package lean

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// printer prints all that the changed packages answer.
const printer = `package main

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2/internal/builtinshader"
	"github.com/hajimehoshi/ebiten/v2/internal/colormshader"
	"github.com/hajimehoshi/ebiten/v2/internal/debug"
)

func main() {
	for f := range builtinshader.FilterCount {
		for a := range builtinshader.AddressCount {
			fmt.Printf("%d %d %s\n", f, a, builtinshader.ShaderSource(builtinshader.Filter(f), builtinshader.Address(a)))
			fmt.Printf("%d %d %s\n", f, a, colormshader.ShaderSource(colormshader.Filter(f), colormshader.Address(a)))
		}
	}
	fmt.Println(debug.FirstCaller())
}
`

// engineFiles are the files of Ebitengine that the renderer contains.
func engineFiles(t *testing.T) map[string][]byte {
	t.Helper()
	dir, folders, err := find("../../..", "./wasm/view")
	if err != nil {
		t.Fatal(err)
	}
	files, err := copied(dir, folders)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// answers runs printer with the packages in files, if no module can be found, as in a browser.
func answers(t *testing.T, files map[string][]byte) string {
	t.Helper()
	all := map[string][]byte{"ebiten/go.mod": []byte("module " + engine + "\n\ngo 1.26\n"), "ebiten/printer/main.go": []byte(printer)}
	for _, folder := range []string{"builtinshader", "colormshader", "debug"} {
		for name, content := range files {
			if strings.HasPrefix(name, "ebiten/internal/"+folder+"/") {
				all[name] = content
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "copy")
	if err := write(dir, all); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "printer")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./printer")
	build.Dir = filepath.Join(dir, "ebiten")
	if stated, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, stated)
	}
	run := exec.Command(program)
	run.Dir, run.Env = t.TempDir(), []string{"PATH="}
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheCopyAnswersAsEbitengine(t *testing.T) {
	files := engineFiles(t)
	want := answers(t, files)
	if n := strings.Count(want, "package main"); n != 18 {
		t.Fatalf("Ebitengine has %d sources, want 18:\n%s", n, want)
	}
	for name, change := range changes {
		changed, err := change(string(files["ebiten/"+name]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files["ebiten/"+name] = []byte(changed)
	}
	if diff := cmp.Diff(want, answers(t, files)); diff != "" {
		t.Errorf("answers of the copy (-Ebitengine +copy):\n%s", diff)
	}
}

// Parley's own shader needs no conversion, which the copy refuses.
func TestShadersAreWrittenInPixels(t *testing.T) {
	shaders, err := filepath.Glob("../../../core/heatmap/*.kage")
	if err != nil || len(shaders) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	for _, file := range shaders {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(source), "//kage:unit pixels\n") {
			t.Errorf("%s does not begin with //kage:unit pixels", file)
		}
	}
}

// A file in which a change finds no place is an error, not a program with less in it.
func TestChangesNeedTheirPlace(t *testing.T) {
	for name, change := range changes {
		if got, err := change("package other\n\nfunc other() {}\n"); err == nil {
			t.Errorf("%s: another file became\n%s", name, got)
		}
	}
}

func TestModfile(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for program, text := range map[string]string{
		"with":    "package main\n\nimport _ \"github.com/hajimehoshi/ebiten/v2\"\n\nfunc main() {}\n",
		"without": "package main\n\nfunc main() {}\n",
	} {
		if err := os.MkdirAll(filepath.Join(root, program), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, program, "main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Modfile(root, "./without"); got != "" || err != nil {
		t.Errorf("a program without Ebitengine: %q, %v; want none", got, err)
	}
	modfile, err := Modfile(root, "./with")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Modfile(root, "./with"); again != modfile || err != nil {
		t.Errorf("the second time %q, %v; want %q", again, err, modfile)
	}
	if entries, err := os.ReadDir(filepath.Join(root, "bin", "lean")); len(entries) != 1 || err != nil {
		t.Errorf("bin/lean has %v, %v; want one folder", entries, err)
	}
	linked := func(flags ...string) map[string]bool {
		cmd := exec.Command("go", append(append([]string{"list", "-deps"}, flags...), "./with")...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		packages := map[string]bool{}
		for _, p := range strings.Fields(string(out)) {
			packages[p] = true
		}
		return packages
	}
	before, after := linked(), linked("-modfile="+modfile)
	for _, p := range []string{"text/template", "go/build", "go/printer", "go/doc/comment"} {
		if !before[p] || after[p] {
			t.Errorf("%s: in Ebitengine %v, in the copy %v; want it in Ebitengine only", p, before[p], after[p])
		}
	}
	if new := slices.Sorted(maps.Keys(after)); !after[engine] || len(new) >= len(before) {
		t.Errorf("the copy has %d packages of %d:\n%s", len(new), len(before), new)
	}
}
