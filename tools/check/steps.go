package main

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// The tools of the checks, by exact version.
const (
	gofumpt     = "mvdan.cc/gofumpt@v0.10.0"
	staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.7.0"
)

// moreResources are the packages that loop over resources: there could be others
// than CPU and memory. Of core/run, whose digests are those of two resources, one
// test plays with more.
var moreResources = []string{
	"parley/core/cluster", "parley/core/metric", "parley/core/system/negotiation", "parley/core/system/yield",
	"parley/core/system/central", "parley/core/system/example",
}

// exact are the packages whose results differ first if a platform computes other bits: numbers,
// snapshots, scenarios, and runs with their digests.
var exact = []string{
	"parley/core/message", "parley/core/rng", "parley/core/run", "parley/core/scenario", "parley/core/snapshot",
	"parley/core/system", "parley/core/workload",
}

// concurrent are the packages in which goroutines share data.
var concurrent = []string{
	"parley/core/play", "parley/core/snapshot", "parley/core/study", "parley/tools/parley",
	"parley/tools/serve",
}

// inRooms reports whether a package is core/run or a room of a system: their results affect the
// digests of runs.
func inRooms(name string) bool {
	return name == "parley/core/run" || strings.Count(name, "/") > 3
}

// within returns the packages that are one of those named or below it.
func within(packages, named []string) []string {
	var kept []string
	for _, p := range packages {
		if slices.ContainsFunc(named, func(name string) bool { return p == name || strings.HasPrefix(p, name+"/") }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// steps lists the checks of make verify if all is true and else those of make test,
// the longest first.
func (h house) steps(all bool) []step {
	var steps []step
	if h.page {
		steps = append(steps, step{
			name: "page", about: "the built page and its budgets",
			proves:   "the page builds from its sources and stays within its budgets of bytes",
			commands: []command{{args: []string{"go", "run", "./tools/build", "--out", "dist", "--check-budgets"}}},
		})
	}
	if all {
		steps = append(steps, h.everything()...)
	} else {
		steps = append(steps, h.first()...)
	}
	steps = append(steps, h.analysis()...)
	return slices.DeleteFunc(steps, func(s step) bool { return len(s.commands) == 0 })
}

// repeatable lets random tests draw the same cases each time, so that luck has no part in
// whether a change passes make test. Under make verify they draw new ones.
var repeatable = []string{"PARLEY_SEED=1"}

// first lists the tests of make test.
func (h house) first() []step {
	return []step{
		{
			name: "go", about: "Go tests on this machine, without the long ones",
			commands: h.under(repeatable, h.goTests(slices.Concat(h.plain, h.papers), "-short")),
		},
		{
			name: "go wasm", about: "what computes other bits first, as WebAssembly under Node",
			needs: []string{"node"}, where: "under WebAssembly",
			commands: h.under(append(h.wasm(), repeatable...), h.bits()),
		},
		h.screen(h.goTests(h.window, "-short", "-count=1", "-p=1")),
		{
			name: "smoke", about: "the page in Chromium: what a change breaks first",
			needs: []string{"npm", "chromium"}, after: "page",
			commands: h.npm("smoke", nodeTests),
		},
	}
}

// everything lists the tests of make verify.
func (h house) everything() []step {
	return []step{
		{
			name: "go", about: "all Go tests on this machine, but for papers",
			proves:   "every Go test passes here, with its oracles, emulated arm64 and mutants",
			commands: h.goTests(h.plain),
		},
		{
			name: "papers", about: "the papers' experiments",
			proves:   "the papers' experiments give the recorded figures",
			commands: h.goTests(h.papers),
		},
		{
			// Not the papers: their cells are runs and plans, which are played here, and one
			// experiment of the page is compared with the command line's.
			name: "go wasm", about: "the core's tests as WebAssembly under Node", needs: []string{"node"},
			where:  "under WebAssembly",
			proves: "the core computes the same bits as WebAssembly",
			commands: slices.Concat(
				h.under(h.wasm(), h.goTests(slices.DeleteFunc(slices.Clone(h.core), isPaper), "-short")),
				h.under(h.wasm(), h.bombs()),
			),
		},
		{
			name: "go v3", about: "what computes other bits first, with fused multiply-add", unable: noV3(),
			where:    "with fused multiply-add",
			proves:   "processors with fused multiply-add compute the same bits",
			commands: h.under([]string{"GOAMD64=v3"}, h.bits()),
		},
		{
			name: "go 386", about: "the recorded digests and the readers' bombs, with 32 bits", unable: not32(),
			where:  "with 32 bits",
			proves: "32-bit programs reach the recorded digests and read what is small and deep or wide",
			commands: slices.Concat(
				h.under([]string{"GOARCH=386", "CGO_ENABLED=0"}, h.goTests(within(h.plain, []string{"parley/core/run"}),
					"-short", "-run", "^Test(Graph)?Digests$")),
				h.under([]string{"GOARCH=386", "CGO_ENABLED=0"}, h.bombs()),
			),
		},
		{
			// Tests that measure speed or play the examples of every --help have no goroutines
			// of their own, and take a quarter of an hour here.
			name: "race", about: "what runs concurrently, under the race detector", needs: []string{"gcc"},
			where:  "under the race detector",
			proves: "what runs concurrently has no data race that its tests meet",
			commands: h.under([]string{"CGO_ENABLED=1"}, h.goTests(within(h.plain, concurrent), "-short", "-race",
				"-skip", "^(TestReportsHaveTheirFields|TestExamplesWork|TestBench|TestBombs|TestGradeIsBounded)")),
		},
		{
			name: "resources", about: "systems, metrics and pictures with two resources more",
			where:  "with four resources",
			proves: "systems, metrics and pictures work with more resources than CPU and memory",
			commands: slices.Concat(
				h.goTests(within(h.plain, moreResources), "-short", "-tags", "resources4"),
				h.goTests(within(h.plain, []string{"parley/core/run"}), "-short", "-tags", "resources4", "-run",
					"TestMoreResources"),
			),
		},
		{
			name: "mutants", about: "rules of eleven packages, taken out one by one",
			proves:   "a test of the rule's own package fails when the rule is taken out",
			commands: h.mutants(),
		},
		h.screen(h.goTests(h.window, "-count=1", "-p=1")),
		{
			name: "cross", about: "window and command line compile for other systems",
			proves: "window and command line compile for Linux, Windows and macOS, 32-bit and arm64",
			commands: []command{
				crossBuild("linux", "arm64"), crossBuild("windows", "amd64"),
				crossBuild("darwin", "arm64"), crossBuild("linux", "386"),
			},
		},
		{
			name: "browser", about: "the page in Chromium", needs: []string{"npm", "chromium"}, after: "page",
			alone:    true,
			proves:   "the page does in Chromium what its tests ask, within its times to draw",
			commands: slices.Concat(h.npm("smoke", nodeTests), h.npm("e2e", nodeTests)),
		},
		{ // alone: its drivers use fixed ports
			name: "engines", about: "the page in Firefox and WebKit",
			needs: []string{"npm", "firefox-esr", "WebKitWebDriver", "Xvfb"}, after: "page", alone: true,
			proves:   "Firefox and WebKit show the page and reach the digests of its links",
			commands: h.npm("engines", nodeTests),
		},
	}
}

// mutants returns the command that tries the picked mutants of these packages.
func (h house) mutants() []command {
	if len(h.plain) == 0 {
		return nil
	}
	args := []string{"go", "run", "./tools/mutate", "--picked"}
	for _, p := range h.plain {
		args = append(args, strings.TrimPrefix(p, "parley/"))
	}
	return []command{{args: args}}
}

// bits returns the tests whose results differ first if a platform computes other bits:
// those of the exact packages, and of core/run the digests, in which all systems show.
func (h house) bits() []command {
	return slices.Concat(
		h.goTests(slices.DeleteFunc(within(h.core, exact), inRooms), "-short"),
		h.goTests(within(h.core, []string{"parley/core/run"}), "-short", "-run", "Digests"),
	)
}

// bombs returns the command that feeds each reader small inputs that could cost much time or memory.
func (h house) bombs() []command {
	return h.goTests(slices.DeleteFunc(within(h.plain, []string{"parley/tools/parley"}),
		func(p string) bool { return p != "parley/tools/parley" }), "-short", "-run", "^TestBombs$")
}

// analysis lists the checks that run no program of the project, and the page's unit tests.
func (h house) analysis() []step {
	js := []string{"GOOS=js", "GOARCH=wasm"}
	var steps []step
	if len(h.plain) > 0 {
		steps = []step{
			{
				name: "vet", about: "go vet, for this machine and for the browser",
				commands: []command{
					{args: []string{"go", "vet", "./..."}},
					{args: []string{"go", "vet", "-tags", "cluster", "./tools/parley"}},
					{env: js, args: []string{"go", "vet", "./core/...", "./wasm/..."}},
				},
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
				name: "format", about: "Go files are in the one format",
				proves: "formatters, vet, staticcheck, TypeScript and Biome find nothing",
				commands: append(h.install(gofumpt),
					command{args: append([]string{h.tool(gofumpt), "-l"}, goDirectories...), read: silence}),
			},
		}
	}
	return append(
		steps,
		step{
			name: "types", about: "TypeScript's types; Biome on TypeScript and CSS", needs: []string{"npm"},
			commands: slices.Concat(h.npm("check", status), h.npm("lint", status)),
		},
		step{
			name: "unit", about: "the page's unit tests under Node", needs: []string{"npm"},
			proves: "the page's unit tests pass", commands: h.npm("unit", nodeTests),
		},
	)
}

// screen is the step whose tests need a display.
func (h house) screen(tests []command) step {
	wrapper := []string{"xvfb-run", "-a", "-s", "-screen 0 1400x900x24 +extension GLX +render -noreset"}
	for i := range tests {
		tests[i].args = slices.Concat(wrapper, tests[i].args)
	}
	return step{
		name: "window", about: "heatmap and desktop on a virtual display", needs: []string{"xvfb-run", "xauth"},
		proves: "heatmap and native window draw what they should", commands: tests,
	}
}

// goTests returns the command that runs the tests of packages, or none for none.
func (h house) goTests(packages []string, flags ...string) []command {
	if len(packages) == 0 {
		return nil
	}
	return []command{{args: goTest(packages, flags...), read: goTests}}
}

// under adds variables to the commands' environment.
func (h house) under(env []string, commands []command) []command {
	for i := range commands {
		commands[i].env = env
	}
	return commands
}

// wasm is the environment in which go test runs WebAssembly under Node. Its programs have
// 4 GB at most: with a limit in sight the collector runs before garbage fills them.
func (h house) wasm() []string {
	return []string{
		"PATH=" + filepath.Join(h.goroot, "lib", "wasm") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOOS=js", "GOARCH=wasm", "GOMEMLIMIT=2500MiB",
	}
}

// npm returns the command that runs a script of the site, or none if the page is not
// to be checked.
func (h house) npm(script string, read reading) []command {
	if !h.page {
		return nil
	}
	c := command{dir: "site", args: []string{"npm", "run", "--silent", script}, read: read}
	if read == nodeTests {
		c.env = []string{"NODE_OPTIONS=--test-reporter=tap"}
	}
	return []command{c}
}

// goDirectories hold all Go files, and no npm packages.
var goDirectories = []string{"assets", "core", "tools", "wasm"}

// goTest runs the tests of packages. Some packages take minutes beside all the others, and Go's own
// limit of ten minutes would end them on a slow machine. Without debug information, a test program
// is linked in three quarters of the time.
func goTest(packages []string, flags ...string) []string {
	return slices.Concat([]string{"go", "test", "-json", "-vet=off", "-ldflags=-s -w", "-timeout=30m"}, flags, packages)
}

func crossBuild(goos, goarch string) command {
	return command{
		env:  []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"},
		args: []string{"go", "build", "./tools/desktop", "./tools/parley"},
	}
}

// install returns the commands that install a tool of an exact version: none if it is installed,
// because the toolchain would query the network even so.
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

// noV3 returns the reason why code for GOAMD64=v3 does not run here, or "".
func noV3() string {
	if runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasFMA {
		return ""
	}
	return "this processor does not run GOAMD64=v3"
}
