package bundle_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/tools/build/bundle"
	"parley/tools/csp"
)

// house copies testdata/house, a checkout in small, to a directory of its own.
func house(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go here to compile with")
	}
	dir := filepath.Join(t.TempDir(), "house")
	if err := os.CopyFS(dir, os.DirFS("testdata/house")); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"worker", "whole", "program", "questions", "view"} { // each stands in for the real one: small, and compiled in a moment
		if err := os.MkdirAll(filepath.Join(dir, "wasm", program), 0o777); err != nil {
			t.Fatal(err)
		}
		change(t, dir, "wasm/"+program+"/main.go", "package main\n\nfunc main() { println(\""+program+"\") }\n")
	}
	return dir
}

func change(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMakesThePage(t *testing.T) {
	files, err := bundle.Make(house(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"_headers", "challenge.json", "first.js", "gallery/best-fit-dark.png", "gallery/best-fit-light.png", "gallery/cards.json", "gallery/clusters.json", "gallery/rack-loss-dark.png", "gallery/rack-loss-light.png", "icon-192.png", "icon-512.png", "index.html", "keyframes.bin", "licences.txt", "manifest.webmanifest", "manual/files/architecture.html", "manual/index.html", "manual/index.json", "manual/manual.css", "manual/manual.js", "manual/start.html", "offline.js", "page.css", "page.js", "palettes/grey.json", "papers.json", "program.wasm", "programs.json", "questions.wasm",
		"scenarios/best-fit.json", "scenarios/rack-loss.json", "systems.json",
		"view.html", "view.js", "view.wasm", "wasm_exec.js", "whole.wasm", "worker.js", "worker.wasm",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, line := range append(csp.Beside(), [2]string{"Content-Security-Policy", csp.Header(nil)}) {
		if want := "\n  " + line[0] + ": " + line[1] + "\n"; !strings.Contains(string(files["_headers"]), want) {
			t.Errorf("_headers lacks %q:\n%s", want, files["_headers"])
		}
	}
	for name, part := range map[string]string{
		// printf 'body{color:red}' | openssl dgst -sha256 -binary | base64
		"index.html":         "style-src 'self' 'sha256-FcQqt3aNlV7AZnGV4zkQRVeCeJOxbMPnQSx258L803E='",
		"view.html":          "style-src 'self';",
		"page.css":           "main{margin:0}",
		"first.js":           "first",
		"page.js":            "hello from ",
		"worker.wasm":        "\x00asm",
		"wasm_exec.js":       "globalThis.Go=class",
		"gallery/cards.json": `[{"id":"rack-loss","question":"What if a rack fails?","finding":"3 tasks wait.","name":"Rack loss","about":"A rack fails.","system":"negotiation","nodes":12500,"at":"2m","digest":"0123456789abcdef","opens":20000000,"moment":120000000,"speed":10},{"id":"best-fit",`,
		"_headers":           "\n/*\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: no-referrer\n  Permissions-Policy: accelerometer=(), ",
		"keyframes.bin":      "frames",
		"challenge.json":     "scores",
		"papers.json":        "results",
		"licences.txt":       "A licence in small.\n\n\nThe Go runtime and standard library\n",
	} {
		if !bytes.Contains(files[name], []byte(part)) {
			t.Errorf("%s lacks %q:\n%.600s", name, part, files[name])
		}
	}
}

// Documents name their build, and offline.js keeps what a first visit needs of it:
// whatever differs between two builds, the documents differ.
func TestBuildsAreTold(t *testing.T) {
	dir := house(t)
	one, err := bundle.Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(t, dir, "wasm/worker/main.go", "package main\n\nfunc main() { println(\"another\") }\n")
	two, err := bundle.Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "view.html", "offline.js"} {
		if bytes.Equal(one[name], two[name]) {
			t.Errorf("%s is the same in two builds with different programs", name)
		}
	}
	if !bytes.Equal(one["page.js"], two["page.js"]) {
		t.Error("page.js differs, though only a program was changed")
	}
	for name, kept := range map[string]bool{"index.html": true, "view.html": true, "worker.wasm": true, "systems.json": true, "whole.wasm": true, "manual/start.html": true, "manual/manual.css": true, "manual/files/architecture.html": false, "offline.js": false, "_headers": false} {
		sum := sha256.Sum256(one[name])
		want := fmt.Sprintf("%q:\"%x\"", name, sum[:8])
		if got := bytes.Contains(one["offline.js"], []byte(want)); got != kept {
			t.Errorf("offline.js keeps %s: %v, want %v", name, got, kept)
		}
	}
	first, later, _ := bytes.Cut(one["offline.js"], []byte("},{"))
	for _, name := range []string{"whole.wasm", "questions.wasm", "manual/start.html", "manual/index.json"} {
		if bytes.Contains(first, []byte(name)) || !bytes.Contains(later, []byte(name)) {
			t.Errorf("%s is fetched at the first visit, not when it is opened", name)
		}
	}
}

func TestSameSourcesSameBytes(t *testing.T) {
	one, err := bundle.Make(house(t))
	if err != nil {
		t.Fatal(err)
	}
	two, err := bundle.Make(house(t)) // in another directory
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range one {
		if !bytes.Equal(content, two[name]) {
			t.Errorf("%s differs between two builds", name)
		}
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for _, c := range []struct{ file, content, want string }{
		{"wasm/worker/main.go", "package main\n\nfunc main() { nothing() }\n", "undefined: nothing"},
		{"site/src/page/main.ts", `import "./missing.ts";`, `Could not resolve "./missing.ts"`},
		{"docs/start.md", "# Start\n\n[gone](gone.md)\n", "docs/start.md links to gone.md, which is missing"},
		{"site/view.html", "<!doctype html><meta charset=\"utf-8\"><script src=\"engine.js\"></script>", `view.html loads "engine.js"`},
		{"site/view.html", "<!doctype html><meta charset=\"utf-8\"><script>go()</script>", "site/view.html: near \"<script>go()</script>\": the document has an inline script"},
		{"assets/scenarios/new.json", `{"v":1,"name":"x","about":"y","system":"central"}`, "assets/scenarios/new.json has no question in"},
		{"assets/questions.json", `[]`, "has no question in"},
		{"assets/questions.json", `[{"id":"gone","question":"Why?","at":"1m","finding":"So."}]`, "there is no assets/scenarios/gone.json"},
		{"assets/questions.json", `[{"id":"rack-loss","question":"Why?","at":"1m"}]`, "rack-loss needs a question, a finding and a moment"},
		{"assets/questions.json", `[{"id":"rack-loss","ask":"Why?"}]`, `unknown field "ask"`},
		{"assets/gallery/cards.json", `[]`, "make gallery writes it anew"},
	} {
		dir := house(t)
		change(t, dir, c.file, c.content)
		if _, err := bundle.Make(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %q: %v; want an error with %q", c.file, c.content, err, c.want)
		}
	}
}
