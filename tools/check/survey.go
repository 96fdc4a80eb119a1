package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// house has the facts about the checkout that the steps need.
type house struct {
	root      string
	goroot    string
	goVersion string
	plain     []string // packages whose tests run anywhere, but for papers
	papers    []string // the papers' experiments
	window    []string // packages whose tests need a display
	core      []string // packages of the core whose tests run under Node
	page      bool     // whether the page, or a source of it, is to be checked
}

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir           string
	Deps                      []string
	TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports []string
}

// survey looks at the checkout at root. If since names a revision, the house has only
// the packages that a change since then reaches.
func survey(root, since string) (house, error) {
	h := house{root: root, page: true}
	env := exec.Command("go", "env", "GOROOT", "GOVERSION")
	env.Dir = root
	answer, err := env.Output()
	if err != nil {
		return h, fmt.Errorf("asking go for its root and version: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	h.goroot, h.goVersion = strings.TrimSpace(goroot), strings.TrimSpace(version)
	packages, err := list(root)
	if err != nil {
		return h, err
	}
	reached := maps.Keys(packages)
	if since != "" {
		changed, err := changes(root, since)
		if err != nil {
			return h, err
		}
		r := reach(changed, packages, root)
		reached = maps.Keys(r.packages)
		h.page = r.page
	}
	for _, name := range slices.Sorted(reached) {
		h.assign(packages[name])
	}
	return h, nil
}

// assign adds a package to the lists of those whose tests run together.
func (h *house) assign(p pkg) {
	switch {
	case slices.Contains(p.Deps, "github.com/hajimehoshi/ebiten/v2"):
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			h.window = append(h.window, p.ImportPath)
		}
		return
	case isPaper(p.ImportPath):
		h.papers = append(h.papers, p.ImportPath)
	default:
		h.plain = append(h.plain, p.ImportPath)
	}
	if strings.HasPrefix(p.ImportPath, "parley/core/") { // parley/core reads sources: once is enough
		h.core = append(h.core, p.ImportPath)
	}
}

// list returns the packages of the checkout by their import paths.
func list(root string) (map[string]pkg, error) {
	cmd := exec.Command("go", "list", "-e",
		"-json=ImportPath,Dir,Deps,TestGoFiles,XTestGoFiles,TestImports,XTestImports", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for the packages: %w", err)
	}
	packages := map[string]pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of packages: %w", err)
		}
		packages[p.ImportPath] = p
	}
}

// changes lists the files that differ from a revision, and untracked ones, as slash-separated paths
// from the root.
func changes(root, since string) ([]string, error) {
	var files []string
	for _, args := range [][]string{
		{"diff", "--name-only", since, "--"},
		{"ls-files", "--others", "--exclude-standard"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return nil, fmt.Errorf("git %s: %s", strings.Join(args, " "), strings.TrimSpace(string(exit.Stderr)))
			}
			return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
		}
		files = append(files, strings.Fields(string(out))...)
	}
	return files, nil
}

// reached is the set of packages that changed files can affect.
type reached struct {
	packages map[string]bool
	page     bool
}

// ofPage are the places that the page is made of or served by.
var ofPage = []string{"site/", "wasm/", "core/", "assets/", "index.html", "tools/build/", "tools/serve/"}

// reach returns the packages that the changed files can affect. A file belongs to the package of its folder or
// of the nearest one above it. A file of no package, such as go.mod or the Makefile, affects everything, except
// text and the page's own sources. Any change affects parley/core, which reads the sources of all.
func reach(changed []string, packages map[string]pkg, root string) reached {
	r := reached{packages: map[string]bool{}}
	byFolder := map[string]string{}
	for name, p := range packages {
		if folder, err := filepath.Rel(root, p.Dir); err == nil {
			byFolder[filepath.ToSlash(folder)] = name
		}
	}
	touched := map[string]bool{}
	for _, file := range changed {
		r.page = r.page || slices.ContainsFunc(ofPage,
			func(place string) bool { return strings.HasPrefix(file, place) })
		folder := path.Dir(file)
		for byFolder[folder] == "" && folder != "." {
			folder = path.Dir(folder)
		}
		switch {
		case byFolder[folder] != "":
			touched[byFolder[folder]] = true
		case strings.HasPrefix(file, "site/") || path.Ext(file) == ".md":
		default:
			for name := range packages {
				r.packages[name] = true
			}
			r.page = true
			return r
		}
	}
	if len(changed) > 0 {
		touched["parley/core"] = true
		if slices.ContainsFunc(changed, func(file string) bool { return path.Ext(file) == ".md" }) {
			touched["parley/tools/parley"] = true // its tests read README and manual
		}
	}
	for name, p := range packages {
		if uses(p, touched, packages) {
			r.packages[name] = true
		}
	}
	return r
}

// uses reports whether a package, or a test of it, is touched or depends on a touched package.
func uses(p pkg, touched map[string]bool, packages map[string]pkg) bool {
	if touched[p.ImportPath] || slices.ContainsFunc(p.Deps, func(d string) bool { return touched[d] }) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports), func(name string) bool {
		return touched[name] || slices.ContainsFunc(packages[name].Deps, func(d string) bool { return touched[d] })
	})
}

// isPaper reports whether a package belongs to the papers' experiments.
func isPaper(name string) bool {
	return name == "parley/core/paper" || strings.HasPrefix(name, "parley/core/paper/")
}
