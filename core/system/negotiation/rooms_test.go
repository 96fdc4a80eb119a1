package negotiation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxFiles is in how many files a type may have methods: one that stands in more
// is several ideas.
const maxFiles = 3

// TestNoTypeIsEverywhere: no type of negotiation has methods in more than three
// files, so that no type comes to hold every agent again.
func TestNoTypeIsEverywhere(t *testing.T) {
	types := map[string]map[string]bool{} // directory and type, files
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				name := filepath.Join(filepath.Dir(path), receiver(f.Recv.List[0].Type))
				if types[name] == nil {
					types[name] = map[string]bool{}
				}
				types[name][path] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(types["balancer"]) == 0 || len(types["broker/Broker"]) == 0 {
		t.Fatalf("the types that everything hangs on were not found among %v", slices.Sorted(maps.Keys(types)))
	}
	for name, files := range types {
		if len(files) > maxFiles {
			t.Errorf("%s has methods in %v: split it", name, slices.Sorted(maps.Keys(files)))
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
