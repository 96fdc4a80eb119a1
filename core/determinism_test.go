package core_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// decides tells whether a package can change the outcome of a run: all of the core
// but the window around the frames.
func decides(name string) bool { return below(name, "core") && name != "core/heatmap" }

// nondeterministic are the imports that code of the core cannot have.
var nondeterministic = map[string]string{
	"os":            "the environment and files differ between machines, and the page has none",
	"math/rand":     "random numbers come from core/rng, from the scenario's seed",
	"math/rand/v2":  "random numbers come from core/rng, from the scenario's seed",
	"crypto/rand":   "random numbers come from core/rng, from the scenario's seed",
	"hash/maphash":  "its seed differs with each process",
	"sync":          "the core is one goroutine; what needs a lock has a second one",
	"sync/atomic":   "the core is one goroutine; what needs an atomic has a second one",
	"log":           "it writes the wall clock; say it with an error or a note",
	"log/slog":      "it writes the wall clock; say it with an error or a note",
	"net":           "the core talks to nobody",
	"runtime/debug": "it changes or tells the state of the process",
	"unsafe":        "addresses differ with each process",
}

// excepted may have one of them: snapshots copy memory, and no address reaches what
// they copy but as that of its copy; tests are told which random cases to draw and read
// the documents of experiments.
var excepted = map[string]bool{
	"core/snapshot unsafe":            true,
	"core/testkit/scripttest/seed os": true,
	"core/testkit/studytest os":       true,
}

// wallClock are the names of package time that read or wait for the real clock.
var wallClock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local"}

// exactMath are the functions of package math whose every result is the same bits
// on each platform. Of the others Exp, Pow and Tanh were measured to differ between
// amd64 and wasm, Exp2, Expm1, Log1p, Sin, Cos, Tan, Atan2 and Erf between processors
// with and without fused multiply-add, and nearly all on arm64.
var exactMath = []string{
	"Abs", "Ceil", "Copysign", "Dim", "FMA", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor",
	"Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf", "NaN", "Nextafter", "Remainder", "Round",
	"RoundToEven", "Signbit", "Sqrt", "Trunc",
}

// inexact are the places that may use the rest of package math.
var inexact = []struct{ in, names, reason string }{
	{"core/system/rounds/plan", "Exp Expm1 Log", "the paper's own way to the number of rounds, beside the scan that decides"},
	{"core/kube/constraint", "Log", "the scheduler's own weight of a topology; sums are rounded to whole numbers, and no multiple of a logarithm is that near to a half"},
}

// TestDecidesWithoutChance reads the core's sources for what differs between two
// runs or two machines.
func TestDecidesWithoutChance(t *testing.T) {
	files := 0
	for _, p := range list(t, runtime.GOOS, runtime.GOARCH) {
		name := strings.TrimPrefix(p.ImportPath, "parley/")
		if !decides(name) {
			continue
		}
		sources, err := filepath.Glob(filepath.Join(p.Dir, "*.go")) // those for other systems too
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			files++
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, sentence := range chances(name, path.Join(name, filepath.Base(source)), text) {
				t.Error(sentence)
			}
		}
	}
	if files == 0 {
		t.Error("there was no source to read")
	}
}

// chances returns a sentence for everything in a source file that would make a run
// depend on more than its scenario.
func chances(name, file string, text []byte) []string {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	report := func(at token.Pos, format string, args ...any) {
		found = append(found, set.Position(at).String()+": "+fmt.Sprintf(format, args...))
	}
	names := map[string]string{} // of imported packages, by the name used in the file
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return []string{err.Error()}
		}
		if reason, banned := nondeterministic[imported]; banned && !excepted[name+" "+imported] {
			report(spec.Pos(), "imports %s: %s", imported, reason)
		}
		used := path.Base(imported)
		if spec.Name != nil {
			used = spec.Name.Name
		}
		if used == "." {
			report(spec.Pos(), "imports %s with a dot, which hides where names come from", imported)
		}
		names[used] = imported
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n.Pos(), "starts a goroutine: the core is one")
		case *ast.SelectStmt:
			report(n.Pos(), "selects: which ready case runs is chance")
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch imported := names[of.Name]; {
			case imported == "time" && slices.Contains(wallClock, n.Sel.Name):
				report(n.Pos(), "time.%s reads the wall clock: simulated time comes from des.Clock", n.Sel.Name)
			case imported == "math" && inexactIn(name, n.Sel.Name):
				report(n.Pos(), "math.%s gives other bits on another platform: do without it, or name the place and the reason in core/determinism_test.go", n.Sel.Name)
			}
		}
		return true
	})
	return found
}

// inexactIn tells whether a name of package math is a function that is neither
// exact nor allowed in a package.
func inexactIn(pkg, name string) bool {
	if slices.Contains(exactMath, name) || strings.HasPrefix(name, "Max") || strings.HasPrefix(name, "Smallest") || strings.HasPrefix(name, "Min") {
		return false // also the constants MaxInt64, SmallestNonzeroFloat64 and so on
	}
	if slices.Contains([]string{"E", "Pi", "Phi", "Sqrt2", "SqrtE", "SqrtPi", "SqrtPhi", "Ln2", "Log2E", "Ln10", "Log10E"}, name) {
		return false
	}
	for _, i := range inexact {
		if covers(i.in, pkg) && slices.Contains(strings.Fields(i.names), name) {
			return false
		}
	}
	return true
}

func TestChancesSeesEachKind(t *testing.T) {
	got := chances("core/x", "x.go", []byte(`package x

import (
	"math"
	"os"
	clock "time"
)

func f(c chan int) float64 {
	go f(c)
	select {
	case <-c:
	default:
	}
	_ = clock.Now()
	_ = clock.Second
	_ = os.Args
	return math.Exp(math.Sqrt(math.Pi)) + math.MaxFloat64
}
`))
	var places []string
	for _, sentence := range got {
		words := strings.SplitN(sentence, " ", 3)
		places = append(places, words[0]+" "+words[1])
	}
	want := []string{"x.go:5:2: imports", "x.go:10:2: starts", "x.go:11:2: selects:", "x.go:15:6: time.Now", "x.go:18:9: math.Exp"}
	if !slices.Equal(places, want) {
		t.Errorf("got  %q\nwant %q", places, want)
	}
}

// fused matches the instructions of arm64 that multiply and add with one rounding,
// in the compiler's listing, with their place in the source.
var fused = regexp.MustCompile(`\(([^()]+\.go:\d+)\)\s+FN?M(?:ADD|SUB)[DS]\s`)

// complaint matches an error of the compiler, as against its listing.
var complaint = regexp.MustCompile(`^\S+\.go:\d+:`)

// TestNoProductIsFused asks the compiler itself: on arm64 it may turn x*y+z into
// one instruction with one rounding, which wasm and amd64 do not have, so that a
// score could fall the other way there. A conversion keeps them apart:
// float64(x*y) + z.
func TestNoProductIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles everything for another processor")
	}
	var packages []string
	for _, p := range list(t, "linux", "arm64") {
		if name := strings.TrimPrefix(p.ImportPath, "parley/"); decides(name) && name != "core" {
			packages = append(packages, p.ImportPath)
		}
	}
	cmd := exec.Command("go", append([]string{"build", "-gcflags=parley/core/...=-S"}, packages...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	lines := 0
	var complaints []string
	scanner := bufio.NewScanner(listing)
	scanner.Buffer(nil, 1<<24)
	for ; scanner.Scan(); lines++ {
		if at := fused.FindStringSubmatch(scanner.Text()); at != nil {
			places[strings.TrimPrefix(at[1], root+string(filepath.Separator))] = true
		}
		if complaint.MatchString(scanner.Text()) {
			complaints = append(complaints, scanner.Text())
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("compiling the core for arm64: %v\n%s", err, strings.Join(complaints, "\n"))
	}
	if lines == 0 {
		t.Error("the compiler listed nothing to look at")
	}
	for _, at := range slices.Sorted(maps.Keys(places)) {
		t.Errorf("%s: a product and a sum become one instruction on arm64; write float64(x*y) + z", at)
	}
}
