package budget_test

import (
	"math/rand/v2"
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
		"whole.wasm": noise(1_500_000), "program.wasm": noise(1_600_000), "later/editor-A.js": noise(90_000), "view.html": noise(1_000), "view.js": noise(3_000), "view.wasm": noise(2_500_000),
		"keyframes.bin": noise(80_000), "gallery/cards.json": noise(9_000), "papers.json": noise(100_000), "gallery/one-dark.png": noise(200_000), "scenarios/large.json": noise(400_000), "_headers": noise(300_000), "manual/index.html": noise(80_000), "manual/files/a.html": noise(100_000),
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
		size int
		want string
	}{
		{"page.css", 200_000, "before the core"},
		{"gallery/cards.json", 200_000, "before the core"},
		{"gallery/one-dark.png", 1_500_000, "pictures of the gallery"},
		{"keyframes.bin", 125_000, "recording of the first seconds"},
		{"page.js", 95_000, "page JavaScript"},
		{"later/chunk-A.js", 40_000, "page JavaScript"}, // the document preloads it
		{"later/chunk-B.js", 109_000, "panels loaded later"},
		{"later/lab-ABC.js", 101_000, "panels loaded later"},
		{"worker.wasm", 1_710_000, "core worker"},
		{"whole.wasm", 3_270_000, "core with all systems, readers, planners and experiments"},
		{"view.wasm", 5_100_000, "programs of all places"},
		{"program.wasm", 3_560_000, "core with users' programs"},
		{"later/editor-A.js", 170_000, "editor of programs"},
		{"worker.js", 700_000, "core worker"},
		{"view.wasm", 2_710_000, "renderer"},
		{"manual/index.html", 130_000, "manual kept for visits without a network"},
		{"manual/files/a.html", 150_000, "sources that the manual includes"},
		{"papers.json", 170_000, "results of the experiments"},
	} {
		files := page()
		files[c.file] = noise(c.size)
		_, err := budget.Check(files, budget.Limits(files))
		if err == nil || !strings.Contains(err.Error(), c.want+" needs") {
			t.Errorf("%s of %d bytes: %v; want the budget %q exceeded", c.file, c.size, err, c.want)
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
