package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// compiled is what go list tells of a package that it has compiled.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// TestNoGlobalChanges reads the core with its types: a variable of a package may
// be set where it is declared and in init, and nowhere else, so that two runs in
// one process cannot know of each other.
func TestNoGlobalChanges(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the go command does not run under js; the native tests check this")
	}
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "parley/core/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	var ours []compiled
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var c compiled
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[c.ImportPath] = c.Export
		if name := strings.TrimPrefix(c.ImportPath, "parley/"); decides(name) && len(c.GoFiles) > 0 {
			ours = append(ours, c)
		}
	}
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, c := range ours {
		texts := map[string]string{}
		for _, file := range c.GoFiles {
			text, err := os.ReadFile(filepath.Join(c.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(c.ImportPath, "parley/")+"/"+file] = string(text)
		}
		wrong, err := changes(set, from, c.ImportPath, texts)
		if err != nil {
			t.Errorf("%s cannot be read with its types: %v", c.ImportPath, err)
		}
		for _, sentence := range wrong {
			t.Error(sentence)
		}
	}
	if len(ours) == 0 {
		t.Error("there was no package to read")
	}
}

// changes returns a sentence for each change of a package's variable outside of
// its declaration and of init.
func changes(set *token.FileSet, from types.Importer, pkg string, texts map[string]string) (found []string, err error) {
	var files []*ast.File
	for name, text := range texts {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: from}).Check(pkg, set, files, info); err != nil {
		return nil, err
	}
	blame := func(target ast.Expr) {
		if v, global := root(target, info).(*types.Var); global && v.Parent() == v.Pkg().Scope() {
			found = append(found, fmt.Sprintf("%s: changes the package's variable %s: state belongs to a run", set.Position(target.Pos()), v.Name()))
		}
	}
	for _, file := range files {
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || function.Recv == nil && function.Name.Name == "init" {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, target := range n.Lhs {
						blame(target)
					}
				case *ast.IncDecStmt:
					blame(n.X)
				case *ast.RangeStmt:
					if n.Tok == token.ASSIGN {
						blame(n.Key)
						blame(n.Value)
					}
				case *ast.CallExpr:
					if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "delete" || name.Name == "clear" || name.Name == "copy") {
						blame(n.Args[0])
					}
				}
				return true
			})
		}
	}
	slices.Sort(found)
	return found, nil
}

// root returns the variable at the bottom of what is assigned to, as table in
// table.rows[3] = x.
func root(target ast.Expr, info *types.Info) types.Object {
	for {
		switch e := target.(type) {
		case *ast.Ident:
			return info.Uses[e]
		case *ast.SelectorExpr:
			if v, ok := info.Uses[e.Sel].(*types.Var); ok && !v.IsField() {
				return v // of another package
			}
			target = e.X
		case *ast.IndexExpr:
			target = e.X
		case *ast.SliceExpr:
			target = e.X
		case *ast.StarExpr:
			target = e.X
		case *ast.ParenExpr:
			target = e.X
		default:
			return nil
		}
	}
}

func TestChangesSeesEachKind(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no compiled packages to import under js")
	}
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", "errors").Output()
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(string) (io.ReadCloser, error) { return os.Open(strings.TrimSpace(string(out))) })
	got, err := changes(set, from, "x", map[string]string{"x.go": `package x

import "errors"

var (
	ErrFull = errors.New("full")
	count   int
	table   = map[string]int{}
	state   struct{ rows [3]int }
)

func init() { table["set"] = 1 }

func f(rows []int) {
	count++
	table["a"] = 1
	delete(table, "a")
	state.rows[0] = 2
	count := 1
	count++
	rows[0] = count
	local := table
	_ = local
}
`})
	want := []string{
		"x.go:15:2: changes the package's variable count",
		"x.go:16:2: changes the package's variable table",
		"x.go:17:9: changes the package's variable table",
		"x.go:18:2: changes the package's variable state",
	}
	for i := range got {
		got[i], _, _ = strings.Cut(got[i], ": state belongs")
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}
