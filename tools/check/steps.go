package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"parley/tools/check/tally"
)

// The tools of the checks, by exact version.
const (
	gofumpt     = "mvdan.cc/gofumpt@v0.10.0"
	staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.7.0"
)

// moreResources are the packages that loop over resources: there could be others
// than CPU and memory. Of core/run, whose digests are those of two resources, one
// test plays with more.
var moreResources = []string{"./core/cluster", "./core/metric", "./core/system/negotiation/...", "./core/system/yield", "./core/system/central/...", "./core/system/example"}

// house is what the steps need to know of the checkout.
type house struct {
	root      string
	goroot    string
	goVersion string
	plain     []string // packages whose tests run anywhere, but for papers
	papers    []string // the papers' experiments, which take as long as all others
	window    []string // packages whose tests need a display
	core      []string // packages of the core whose tests run under Node
}

// survey looks at the checkout at root.
func survey(root string) (house, error) {
	h := house{root: root}
	env := exec.Command("go", "env", "GOROOT", "GOVERSION")
	env.Dir = root
	told, err := env.Output()
	if err != nil {
		return h, fmt.Errorf("asking go for its root and version: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(told)), "\n")
	h.goroot, h.goVersion = strings.TrimSpace(goroot), strings.TrimSpace(version)
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Deps,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return h, fmt.Errorf("asking go for the packages: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                      string
			Deps, TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return h, nil
		} else if err != nil {
			return h, fmt.Errorf("reading what go tells of the packages: %w", err)
		}
		switch {
		case slices.Contains(p.Deps, "github.com/hajimehoshi/ebiten/v2"):
			if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
				h.window = append(h.window, p.ImportPath)
			}
		default:
			if isPaper(p.ImportPath) {
				h.papers = append(h.papers, p.ImportPath)
			} else {
				h.plain = append(h.plain, p.ImportPath)
			}
			if strings.HasPrefix(p.ImportPath, "parley/core/") { // parley/core reads sources: once is enough
				h.core = append(h.core, p.ImportPath)
			}
		}
	}
}

// isPaper tells whether a package belongs to the papers' experiments.
func isPaper(pkg string) bool {
	return pkg == "parley/core/paper" || strings.HasPrefix(pkg, "parley/core/paper/")
}

// steps lists all checks, the longest first.
func (h house) steps() []step {
	js := []string{"GOOS=js", "GOARCH=wasm"}
	node := append([]string{"PATH=" + filepath.Join(h.goroot, "lib", "wasm") + string(os.PathListSeparator) + os.Getenv("PATH")}, js...)
	screen := []string{"xvfb-run", "-a", "-s", "-screen 0 1400x900x24 +extension GLX +render -noreset"}
	return []step{
		{
			name: "go", about: "Go tests on this machine",
			commands: []command{{args: goTest(h.plain), read: goTests}},
		},
		{
			name: "go wasm", about: "the core's tests as WebAssembly under Node", needs: []string{"node"},
			commands: []command{{env: node, args: append(goTest(h.core), "-short"), read: goTests}},
		},
		{
			name: "papers", about: "the papers' experiments",
			commands: []command{{args: goTest(h.papers), read: goTests}},
		},
		{
			name: "staticcheck", about: "what staticcheck knows to be wrong",
			commands: append(
				h.install(staticcheck),
				command{args: []string{h.tool(staticcheck), "./..."}},
				command{env: js, args: []string{h.tool(staticcheck), "./core/...", "./wasm/..."}},
			),
		},
		{
			name: "go v3", about: "the core's tests with fused multiply-add, as newer processors have it", unable: noV3(),
			commands: []command{{env: []string{"GOAMD64=v3"}, args: append(goTest(h.core), "-short"), read: goTests}},
		},
		{
			name: "page", about: "the built page and its budgets",
			commands: []command{{args: []string{"go", "run", "./tools/build", "--out", "dist", "--check-budgets"}}},
		},
		{
			name: "go resources", about: "systems, metrics and pictures with two resources more",
			commands: []command{
				{args: append(goTest(moreResources), "-short", "-tags", "resources4"), read: goTests},
				{args: append(goTest([]string{"./core/run"}), "-short", "-tags", "resources4", "-run", "TestMoreResources"), read: goTests},
			},
		},
		{
			name: "cross", about: "window and command line compile for other systems",
			commands: []command{crossBuild("linux", "arm64"), crossBuild("windows", "amd64"), crossBuild("darwin", "arm64"), crossBuild("linux", "386")},
		},
		{
			name: "vet", about: "go vet, for this machine and for the browser",
			commands: []command{
				{args: []string{"go", "vet", "./..."}},
				{args: []string{"go", "vet", "-tags", "cluster", "./tools/parley"}},
				{env: js, args: []string{"go", "vet", "./core/...", "./wasm/..."}},
			},
		},
		{
			name: "format", about: "Go files are in the one format",
			commands: append(
				h.install(gofumpt),
				command{args: append([]string{h.tool(gofumpt), "-l"}, goDirectories...), read: silence},
			),
		},
		{
			name: "types", about: "TypeScript's types, and what Biome knows to be wrong in TypeScript and CSS", needs: []string{"npm"},
			commands: []command{
				{dir: "site", args: []string{"npm", "run", "--silent", "check"}},
				{dir: "site", args: []string{"npm", "run", "--silent", "lint"}},
			},
		},
		{
			name: "site", about: "the site's tests under Node", needs: []string{"npm"},
			commands: []command{{dir: "site", args: []string{"npm", "run", "--silent", "unit"}, read: nodeTests}},
		},
		{
			name: "window", about: "heatmap and desktop on a virtual display", needs: []string{"xvfb-run", "xauth"},
			commands: []command{{args: slices.Concat(screen, goTest(h.window), []string{"-count=1", "-p=1"}), read: goTests}},
		},
		{
			name: "browser", about: "the page in Chromium", needs: []string{"npm", "chromium"}, after: "page", alone: true,
			commands: []command{{dir: "site", args: []string{"npm", "run", "--silent", "e2e"}, read: nodeTests, again: browserAgain}},
		},
		{ // alone: it writes and starts what the other tests of the page write and start
			name: "engines", about: "the page in Firefox and WebKit", needs: []string{"npm", "firefox-esr", "WebKitWebDriver", "Xvfb"}, after: "page", alone: true,
			commands: []command{{dir: "site", args: []string{"npm", "run", "--silent", "engines"}, read: nodeTests, again: browserAgain}},
		},
	}
}

// browserAgain tries the files of failed browser tests once more.
func browserAgain(failures string) []string {
	files := tally.Files(failures)
	if len(files) == 0 {
		return nil
	}
	return append([]string{"node", "--test", "--test-concurrency=1"}, files...)
}

// goDirectories hold all Go files, and no npm packages.
var goDirectories = []string{"assets", "core", "tools", "wasm"}

// goTest runs the tests of packages. Some take minutes beside all the others, and Go's
// own limit of ten for a package would end them on a slow machine.
func goTest(packages []string) []string {
	return append([]string{"go", "test", "-json", "-vet=off", "-timeout=30m"}, packages...)
}

func crossBuild(goos, goarch string) command {
	return command{
		env:  []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"},
		args: []string{"go", "build", "./tools/desktop", "./tools/parley"},
	}
}

// install returns the commands that put a tool of an exact version in its place:
// none when it is there, because the toolchain would ask the network even so.
func (h house) install(tool string) []command {
	if _, err := os.Stat(filepath.Join(h.root, h.tool(tool))); err == nil {
		return nil
	}
	place := filepath.Join(h.root, filepath.Dir(h.tool(tool)))
	return []command{{env: []string{"GOBIN=" + place, "GOOS=", "GOARCH="}, args: []string{"go", "install", tool}}}
}

// tool returns the place of a tool, relative to the checkout. Version and
// toolchain are in it: a new one of either is a new tool.
func (h house) tool(tool string) string {
	name, _, _ := strings.Cut(path.Base(tool), "@")
	return filepath.Join("bin", "tools", h.goVersion, path.Base(tool), name)
}

// noV3 says why code for GOAMD64=v3 does not run here, or nothing.
func noV3() string {
	if runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasFMA {
		return ""
	}
	return "this processor does not run GOAMD64=v3"
}
