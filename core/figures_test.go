package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFigures prints figures of the sources: go test ./core -run TestFigures -v. Counts of English
// are those of TestEnglishPatterns; circles of imports in the page are those of site/test/unit/page.test.ts.
func TestFigures(t *testing.T) {
	rooms, longest, exported, h := map[string][3]int{}, "", 0, house{}
	count := func(name string, entry fs.DirEntry, err error) error {
		kind := 2 * slices.Index([]string{".go", ".ts"}, path.Ext(name))
		if err != nil || entry.IsDir() || kind < 0 || strings.Contains(name, "/node_modules/") {
			return err
		}
		if kind == 0 && (strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/")) {
			kind = 1
		}
		text, err := fs.ReadFile(os.DirFS(".."), name)
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, room := range []string{strings.Join(strings.Split(path.Dir(name)+"/", "/")[:2], "/"), "all"} {
			counts := rooms[room]
			counts[kind] += len(lines)
			rooms[room] = counts
		}
		if kind == 0 {
			exported += h.read(t, name, string(text))
			longest = slices.MaxFunc(append(lines, longest), func(a, b string) int { return len([]rune(a)) - len([]rune(b)) })
		}
		return err
	}
	for _, root := range []string{"assets", "core", "site/src", "site/test", "tools", "wasm"} {
		if err := fs.WalkDir(os.DirFS(".."), root, count); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("lines of Go beside tests, of tests, and of TypeScript")
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		t.Logf("%7d %7d %7d  %s", rooms[room][0], rooms[room][1], rooms[room][2], room)
	}
	way, climbs := h.way("core/run .Open")
	t.Logf("run.Open passes %d rooms and climbs %d times: %s", len(way), climbs, strings.Join(way, " "))
	if len(way) < 5 || rooms["all"][0] < 50_000 {
		t.Errorf("%d rooms and %d lines: the sources were not found", len(way), rooms["all"][0])
	}
	t.Logf("%d exported names; the longest line of Go beside tests has %d characters: %.40s…", exported,
		len([]rune(longest)), strings.TrimSpace(longest))
}

// house has the calls of each function, in their order: "core/feed Open". A method stands there as
// "core/run .Open", and without calls if two types of its package have it.
type house map[string][]string

// read adds a source, and returns the number of names that it exports, methods included.
func (h house) read(t *testing.T, name, text string) (exported int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]string{}
	for _, i := range file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if at, ours := strings.CutPrefix(p, "parley/"); ours {
			imported[path.Base(at)] = at
			if i.Name != nil {
				imported[i.Name.Name] = at
			}
		}
	}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is {
			continue
		}
		here := path.Dir(name)
		key := here + " " + f.Name.Name
		if f.Recv != nil {
			key = here + " ." + f.Name.Name
			exported += btoi(f.Name.IsExported())
		}
		_, twice := h[key]
		if h[key] = []string{}; twice {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			switch to := call.Fun.(type) {
			case *ast.Ident:
				h[key] = append(h[key], here+" "+to.Name)
			case *ast.SelectorExpr:
				called := here + " ." + to.Sel.Name
				if x, is := to.X.(*ast.Ident); is && imported[x.Name] != "" {
					called = imported[x.Name] + " " + to.Sel.Name
				}
				h[key] = append(h[key], called)
			}
			return true
		})
	}
	for name := range file.Scope.Objects {
		exported += btoi(ast.IsExported(name))
	}
	return exported
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// way returns the rooms that a function passes, in the order in which their functions are first
// called, and how often the next one lies on a higher floor.
func (h house) way(from string) (rooms []string, climbs int) {
	seen := map[string]bool{}
	var visit func(f string)
	visit = func(f string) {
		calls, known := h[f]
		if !known || seen[f] {
			return
		}
		seen[f] = true
		if room, _, _ := strings.Cut(f, " "); !slices.Contains(rooms, room) {
			rooms = append(rooms, room)
		}
		for _, c := range calls {
			visit(c)
		}
	}
	visit(from)
	for i := range len(rooms) - 1 {
		here, _ := find(floors, rooms[i])
		next, _ := find(floors, rooms[i+1])
		climbs += btoi(next.floor > here.floor)
	}
	return rooms, climbs
}
