package budget_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/tools/build/budget"
)

// noise returns bytes that do not compress.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// page is a page within every budget.
func page() map[string][]byte {
	return map[string][]byte{
		"index.html": append(noise(10_000), `<link rel="modulepreload" href="later/chunk-A.js">`...), "later/chunk-A.js": noise(5_000), "later/chunk-B.js": noise(30_000), "later/lab-ABC.js": noise(9_000), "page.js": noise(60_000), "page.css": noise(10_000),
		"worker.js": noise(4_000), "worker.wasm": noise(1_000_000), "wasm_exec.js": noise(5_000),
		"whole.wasm": noise(1_500_000), "program.wasm": noise(1_600_000), "questions.wasm": noise(900_000), "later/editor-A.js": noise(90_000), "view.html": noise(1_000), "view.js": noise(3_000), "view.wasm": noise(1_700_000),
		"keyframes.bin": noise(80_000), "choices/one.bin": noise(300_000), "gallery/cards.json": noise(9_000), "papers.json": noise(100_000), "gallery/one-dark.png": noise(200_000), "scenarios/large.json": noise(400_000), "_headers": noise(300_000), "manual/index.html": noise(80_000), "manual/files/a.html": noise(100_000),
	}
}

func TestEachLimitSeesItsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compresses many pages")
	}
	if table, err := budget.Check(page(), budget.Limits(page())); err != nil {
		t.Fatalf("a page within its budgets: %v\n%s", err, table)
	}
	for _, c := range []struct {
		file string
		want string // the budget that a file as large as all of it exceeds
	}{
		{"page.css", "before the core"},
		{"gallery/cards.json", "before the core"},
		{"gallery/one-dark.png", "pictures of the gallery"},
		{"keyframes.bin", "recording of the first seconds"},
		{"choices/one.bin", "recorded choices"},
		{"page.js", "page JavaScript"},
		{"later/chunk-A.js", "page JavaScript"}, // the document preloads it
		{"later/chunk-B.js", "panels loaded later"},
		{"later/lab-ABC.js", "panels loaded later"},
		{"worker.wasm", "core worker"},
		{"whole.wasm", "core with all systems, readers, planners and experiments"},
		{"view.wasm", "programs of all places"},
		{"program.wasm", "core with users' programs"},
		{"questions.wasm", "questions about a cluster"},
		{"later/editor-A.js", "editor of programs"},
		{"worker.js", "core worker"},
		{"view.wasm", "renderer"},
		{"manual/index.html", "manual"},
		{"manual/files/a.html", "sources that the manual includes"},
		{"papers.json", "results of the experiments"},
	} {
		files := page()
		limits := budget.Limits(files)
		i := slices.IndexFunc(limits, func(l budget.Limit) bool { return l.Name == c.want })
		if i < 0 {
			t.Errorf("no budget is named %q", c.want)
			continue
		}
		files[c.file] = noise(limits[i].Bytes)
		_, err := budget.Check(files, limits)
		if err == nil || !strings.Contains(err.Error(), c.want+" needs") {
			t.Errorf("%s of %d bytes: %v; want the budget %q exceeded", c.file, limits[i].Bytes, err, c.want)
		}
	}
}

func TestSizesAreCompressed(t *testing.T) {
	files := page()
	files["page.js"] = make([]byte, 10_000_000)
	table, err := budget.Check(files, budget.Limits(files))
	if err != nil {
		t.Errorf("ten megabytes of zeros need 10 KB: %v\n%s", err, table)
	}
}

func TestLimitWithoutFilesFails(t *testing.T) {
	files := page()
	delete(files, "whole.wasm")
	if _, err := budget.Check(files, budget.Limits(files)); err == nil || !strings.Contains(err.Error(), "counts no file") {
		t.Errorf("a page without its whole program: %v; want an error", err)
	}
}
