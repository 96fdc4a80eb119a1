package main

import (
	"bytes"
	_ "embed"
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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is the test program of a package with all mutants in it.
type program struct {
	folder  string // of the package, from the root of the module
	binary  string
	rapid   bool // it takes the flags of rapid
	mutants []mutant
	broken  []string // lines whose mutants do not compile
}

//go:embed switch.go.txt
var switches string

// listed has the fields of `go list` that are used.
type listed struct {
	ImportPath, Dir, Name, Export string
	GoFiles                       []string
}

// mostCompilations limits how often build compiles a package. It only ends a build that goes on finding lines: one
// that drops no line fails at once.
const mostCompilations = 20

// build makes the test program of a package in a folder of its own. The
// checkout is not touched: the compiler gets the changed files by -overlay.
// Lines whose mutants do not compile are dropped, and it tries again.
func build(folder, work string) (*program, error) {
	packages, err := list("-export", "-deps", "./"+folder)
	if err != nil {
		return nil, err
	}
	this := packages[len(packages)-1]
	for _, p := range packages {
		if filepath.Clean(p.Dir) == absolute(folder) {
			this = p
		}
	}
	p := &program{folder: folder, binary: filepath.Join(work, "mutated.test")}
	if p.rapid, err = usesRapid(folder); err != nil {
		return nil, err
	}
	dropped := map[string]bool{}
	for range mostCompilations {
		complaint, err := p.compile(this, packages, work, dropped)
		if err != nil {
			return nil, err
		}
		if complaint == "" {
			return p, nil
		}
		before := len(dropped)
		for _, match := range place.FindAllStringSubmatch(complaint, -1) {
			dropped[match[1]] = true
		}
		if len(dropped) == before {
			return nil, fmt.Errorf("%s does not compile with its mutants:\n%s", folder, complaint)
		}
		p.broken = keys(dropped)
	}
	return nil, fmt.Errorf("%s does not compile with its mutants, whichever are left out", folder)
}

// place is where the compiler complains: file and line.
var place = regexp.MustCompile(`(?m)([^/\s:]+\.go:\d+):\d+: `)

// compile writes the files with their mutants to work, without those on the lines of dropped, and builds the
// tests with them into p.binary, "" if there are no tests. complaint has the compiler's errors; "" if it
// compiled.
func (p *program) compile(this listed, packages []listed, work string, dropped map[string]bool) (complaint string,
	err error,
) {
	files := token.NewFileSet()
	trees, sources := []*ast.File{}, [][]byte{}
	for _, name := range this.GoFiles {
		source, err := os.ReadFile(filepath.Join(this.Dir, name))
		if err != nil {
			return "", err
		}
		tree, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		trees, sources = append(trees, tree), append(sources, source)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{},
	}
	check := types.Config{Importer: exported(files, packages)}
	if _, err := check.Check(this.ImportPath, files, trees, info); err != nil {
		return "", fmt.Errorf("reading %s: %w", p.folder, err)
	}
	p.mutants = nil
	replaced := map[string]string{}
	for i, tree := range trees {
		in := instrument(path.Join(p.folder, this.GoFiles[i]), files, tree, info, sources[i], len(p.mutants)+1, dropped)
		p.mutants = append(p.mutants, in.mutants...)
		file := filepath.Join(work, this.GoFiles[i])
		if err := os.WriteFile(file, in.source, 0o644); err != nil {
			return "", err
		}
		replaced[filepath.Join(this.Dir, this.GoFiles[i])] = file
	}
	file := filepath.Join(work, "mutant_switch.go")
	source := strings.Replace(switches, "package mutated", "package "+this.Name, 1)
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		return "", err
	}
	replaced[filepath.Join(this.Dir, "mutant_switch.go")] = file
	if complaint, err = p.link(work, replaced, "-gcflags=-e"); err != nil || complaint != "" {
		return complaint, err
	}
	if _, err := os.Stat(p.binary); errors.Is(err, os.ErrNotExist) {
		p.binary = "" // no test files
	}
	return "", nil
}

// link builds the tests into p.binary with replaced, files by the path that they replace, in place of the
// checkout's. complaint has the compiler's errors; "" if it compiled.
func (p *program) link(work string, replaced map[string]string, flags ...string) (complaint string, err error) {
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		return "", err
	}
	args := append([]string{"test", "-c", "-vet=off", "-overlay", overlayFile, "-o", p.binary}, flags...)
	output, err := exec.Command("go", append(args, "./"+p.folder)...).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s(%v)", output, err), nil
	}
	return "", nil
}

// usesRapid reports whether the tests of a package take the flags of rapid.
func usesRapid(folder string) (bool, error) {
	tests, err := list("-deps", "-test", "./"+folder)
	return slices.ContainsFunc(tests,
		func(l listed) bool { return strings.HasPrefix(l.ImportPath, "pgregory.net/rapid") }), err
}

// exported returns an importer that reads the types of packages from the compiler's export files.
func exported(files *token.FileSet, packages []listed) types.Importer {
	made := map[string]string{}
	for _, p := range packages {
		made[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(files, "gc", func(name string) (io.ReadCloser, error) {
		if made[name] == "" {
			return nil, fmt.Errorf("no package %s", name)
		}
		return os.Open(made[name])
	})
}

// list returns the packages of go list with these arguments; none is an error.
func list(args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,Export,GoFiles"}, args...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.String())
	}
	packages := []listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("reading what go list wrote: %w", err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, errors.New("go list found no package")
	}
	return packages, nil
}

func absolute(folder string) string {
	a, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	return a
}
