// Package core_test holds the house to its plan: who may import whom, what may
// be reached from where, and what code that decides may never contain. It reads
// the checkout with the go command, so it runs natively only.
package core_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the plan. A package imports packages of lower floors only; those of
// one floor are strangers. A name that ends in /... is a family: the package and
// all below it, which may import one another. A new package gets its place here.
const floors = `
-1 core/words core/calendar
0 core/unit core/zone core/rng core/graph core/fifo core/heap core/slab core/snapshot core/strict core/escape core/estimate assets
1 core/choices core/des core/workload/... core/rfql core/formula core/kube/... core/protocol
2 core/batch core/cluster core/mail core/kube/plane core/trace
3 core/kube/question core/kube/dump core/scenario core/score core/batch/multifactor core/batch/gang core/batch/device
4 core/frame core/metric
5 core/trace/... core/message core/system
6 core/system/example core/system/negotiation/... core/system/board/... core/system/market/...
6 core/system/yield/... core/system/rounds/... core/system/central/... core/system/static/... core/system/dispatcher
6 core/system/recorded core/system/program
6 core/feed core/run/events core/run/inspect
7 core/run core/planner core/kube/remote core/heatmap/raster/...
8 core/run/full core/study/... core/play/... core/heatmap tools/csp tools/gallery/cards tools/gallery/keyframes
9 core/paper/... core/testkit/...
10 tools/gallery/papers tools/gallery/recorded tools/links tools/durable/... wasm/bridge wasm/file wasm/memory
11 wasm/host tools/python tools/parley/... tools/messages tools/desktop/... tools/build/... tools/serve/... tools/check/... tools/fuzz tools/install/... tools/mutate/... tools/gallery
12 tools/bench/... tools/soak/... wasm/worker wasm/whole wasm/program wasm/questions wasm/view wasm/edge
`

// home says which packages alone may import something, and why.
var home = []struct {
	imported string // and what is below it
	by       string // entries as in floors
	reason   string
}{
	{"syscall/js", "wasm/...", "the core runs without a browser, and its tests do too"},
	{"github.com/hajimehoshi/ebiten/v2", "core/heatmap wasm/view tools/desktop/...", "it takes over its document and needs a display; raster draws without it"},
	{"github.com/tidwall/gjson", "core/trace/... core/kube/dump", "its lenient reading is for other people's files; ours are decoded strictly"},
	{"sigs.k8s.io/yaml", "core/kube/dump core/trace/accounting", "what kubectl and sacct print is read as they mean it; what is ours is JSON"},
	{"github.com/syumai/workers", "wasm/edge", "it is the adapter of one host"},
	{"github.com/evanw/esbuild", "tools/build/...", "it bundles the page and is no part of it"},
	{"github.com/yuin/goldmark", "tools/build/manual", "it makes the manual from Markdown, and is no part of the page"},
	{"github.com/CycloneDX/cyclonedx-go", "tools/build/release", "it writes what a release is made of"},
	{"github.com/spf13/cobra", "tools/parley/... tools/bench tools/soak", "the page has no command line, and pays for its bytes"},
	{"github.com/parquet-go/parquet-go", "tools/parley/...", "it is an oracle of tests; it brings protobuf and net/http"},
	{"gonum.org/v1/plot", "tools/parley/...", "figures for print; it brings fonts and makes a program 8 MB larger"},
	{"net/http", "tools/serve/... tools/links wasm/edge", "nothing else talks to anyone: a user's file stays where it is"},
	{"os/exec", "tools/...", "the core and the page start no programs"},
	{"testing", "core/testkit/...", "these are parts of tests; nothing else ships one"},
	{"pgregory.net/rapid", "core/testkit/...", "a conformance kit is a test; nothing else ships one"},
	{"go.starlark.net", "core/system/program", "it is 0.4 MB of a program of the page, and nothing else runs what users write"},
}

// unreachable says what may not be linked into a package, even through others.
var unreachable = []struct {
	from, target string
	banned       []string
	reason       string
}{
	{"wasm/worker", "js", []string{"github.com/hajimehoshi/ebiten/v2", "net/http", "os/exec", "parley/core/kube/dump", "parley/core/trace/formats", "parley/core/trace/google2011", "go.starlark.net"}, "the core worker is loaded first and has no readers"},
	{"wasm/whole", "js", []string{"github.com/hajimehoshi/ebiten/v2", "net/http", "os/exec", "go.starlark.net"}, "it is loaded once, when somebody opens a file or a place that computes, or chooses another system"},
	{"wasm/program", "js", []string{"github.com/hajimehoshi/ebiten/v2", "net/http", "os/exec"}, "it is loaded when a scenario has a program"},
	{"wasm/questions", "js", []string{"github.com/hajimehoshi/ebiten/v2", "net/http", "os/exec", "parley/core/run", "go.starlark.net"}, "it answers questions about a dump and plays no simulation"},
	{"wasm/view", "js", []string{"parley/core/system", "parley/core/run", "parley/core/trace", "net/http"}, "the view draws frames and knows no system"},
	{"core/run", runtime.GOOS, []string{"github.com/hajimehoshi/ebiten/v2", "net/http", "os/exec"}, "a simulation needs no display and no network"},
}

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath   string
	Dir          string
	Imports      []string
	Deps         []string
	TestImports  []string // of its tests, in the package and beside it
	XTestImports []string
}

// list asks go for the packages of this module on a target system.
func list(t *testing.T, goos, goarch string) []pkg {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("the go command does not run under js; the native tests check the plan")
	}
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Imports,Deps,TestImports,XTestImports", "parley/...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s/%s: %v", goos, goarch, err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// imports returns who imports what directly on any target, tests apart: a test may
// look at its package from above.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	for _, p := range append(list(t, runtime.GOOS, runtime.GOARCH), list(t, "js", "wasm")...) {
		name := strings.TrimPrefix(p.ImportPath, "parley/")
		graph[name] = append(graph[name], p.Imports...)
	}
	return graph
}

// place is where the plan puts a package.
type place struct {
	floor int
	entry string
}

// find returns the place of a package: its own entry, or the longest family that it is in.
func find(plan, name string) (best place, found bool) {
	for line := range strings.Lines(plan) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		floor, err := strconv.Atoi(words[0])
		if err != nil {
			panic(fmt.Sprintf("a line of the plan starts with %q, not with a floor", words[0]))
		}
		for _, entry := range words[1:] {
			if covers(entry, name) && (entry == name || best.entry != name && len(entry) > len(best.entry)) {
				best, found = place{floor, entry}, true
			}
		}
	}
	return best, found
}

func covers(entry, name string) bool {
	if family, ok := strings.CutSuffix(entry, "/..."); ok {
		return below(name, family)
	}
	return entry == name
}

// below tells whether a path is root or lies below it.
func below(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// climbs returns a sentence for each import that the plan does not allow.
func climbs(plan string, graph map[string][]string) []string {
	var wrong []string
	for name, imported := range graph {
		here, known := find(plan, name)
		if !known && name != "core" {
			wrong = append(wrong, fmt.Sprintf("%s has no floor; give it one in the plan of core/floors_test.go", name))
			continue
		}
		for _, i := range imported {
			other, ours := strings.CutPrefix(i, "parley/")
			if !ours {
				continue
			}
			there, known := find(plan, other)
			if known && here.entry != there.entry && there.floor >= here.floor {
				wrong = append(wrong, fmt.Sprintf("%s (floor %d) imports %s (floor %d); a package imports lower floors only",
					name, here.floor, other, there.floor))
			}
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

func TestNoImportClimbs(t *testing.T) {
	for _, sentence := range climbs(floors, imports(t)) {
		t.Error(sentence)
	}
}

func TestClimbsSeesWhatThePlanForbids(t *testing.T) {
	const plan = `
0 core/unit
1 core/system core/frame
2 core/system/market/... core/system/board/...
`
	got := climbs(plan, map[string][]string{
		"core/unit":                 {"fmt", "parley/core/frame"},
		"core/frame":                {"parley/core/unit", "parley/core/system"},
		"core/system/market":        {"parley/core/system/market/auction", "parley/core/system/board/post"},
		"core/system/market/prices": {"parley/core/system", "parley/core/system/market"},
		"core/tariff":               nil,
	})
	want := []string{
		"core/frame (floor 1) imports core/system (floor 1); a package imports lower floors only",
		"core/system/market (floor 2) imports core/system/board/post (floor 2); a package imports lower floors only",
		"core/tariff has no floor; give it one in the plan of core/floors_test.go",
		"core/unit (floor 0) imports core/frame (floor 1); a package imports lower floors only",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLibrariesStayAtHome(t *testing.T) {
	for name, imported := range imports(t) {
		for _, h := range home {
			allowed := slices.ContainsFunc(strings.Fields(h.by), func(entry string) bool { return covers(entry, name) })
			if !allowed && slices.ContainsFunc(imported, func(i string) bool { return below(i, h.imported) }) {
				t.Errorf("%s imports %s, which only %s may: %s", name, h.imported, h.by, h.reason)
			}
		}
	}
}

// TestRandomTestsRepeat: tests of rapid import the package that fixes its seed, or make
// test would draw other cases each time.
func TestRandomTestsRepeat(t *testing.T) {
	for _, p := range list(t, runtime.GOOS, runtime.GOARCH) {
		imported := slices.Concat(p.TestImports, p.XTestImports)
		if slices.Contains(imported, "pgregory.net/rapid") && !slices.Contains(imported, "parley/core/testkit/scripttest/seed") {
			t.Errorf(`tests of %s draw random cases: import _ "parley/core/testkit/scripttest/seed" in one of them`, p.ImportPath)
		}
	}
}

func TestNothingReachesTooFar(t *testing.T) {
	here, page := list(t, runtime.GOOS, runtime.GOARCH), list(t, "js", "wasm")
	for _, u := range unreachable {
		packages := here
		if u.target == "js" {
			packages = page
		}
		at := slices.IndexFunc(packages, func(p pkg) bool { return p.ImportPath == "parley/"+u.from })
		if at < 0 {
			t.Errorf("the table names %s, which does not exist for %s", u.from, u.target)
			continue
		}
		for _, dep := range packages[at].Deps {
			for _, banned := range u.banned {
				if below(dep, banned) {
					t.Errorf("%s reaches %s: %s; \"go list -deps ./%s\" shows the way", u.from, dep, u.reason, u.from)
				}
			}
		}
	}
}
