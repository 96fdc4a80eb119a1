package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// toolchain is the part of every WebAssembly program of Go that no module names.
const toolchain = "The Go runtime and standard library"

var errNoLicence = errors.New("there is no LICENSE")

// part is something that the page carries and others wrote, or the page itself.
type part struct {
	name, dir string
}

// licences gathers the licence of the page and of everything that is compiled
// or bundled into it, each in its own words: most ask to go with every copy.
func licences(root string) (Files, error) {
	parts := []part{{"Parley", root}}
	modules, packages, err := carried(root)
	if err != nil {
		return nil, err
	}
	text, err := inWords(slices.Concat(parts, modules, packages))
	return Files{"licences.txt": text}, err
}

// carried lists the modules and the npm packages that the page carries.
func carried(root string) (modules, packages []part, err error) {
	modules, err = linked(root, []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}, "./wasm/worker", "./wasm/whole",
		"./wasm/program", "./wasm/questions", "./wasm/view")
	if err == nil {
		packages, err = bundled(root)
	}
	return modules, packages, err
}

// Parts lists the modules and the npm packages that the page carries beside Go's own
// library, each as its name, a space and its version.
func Parts(root string) (modules, packages []string, err error) {
	m, p, err := carried(root)
	for _, one := range m {
		if one.name != toolchain {
			modules = append(modules, one.name)
		}
	}
	for _, one := range p {
		packages = append(packages, one.name)
	}
	return modules, packages, err
}

// Licences gathers the licences of programs of the checkout and of all modules that are
// compiled into them, as Go builds them with these variables.
func Licences(root string, environment []string, programs ...string) ([]byte, error) {
	modules, err := linked(root, environment, programs...)
	if err != nil {
		return nil, err
	}
	return inWords(append([]part{{"Parley", root}}, modules...))
}

// inWords returns the licences of parts.
func inWords(parts []part) ([]byte, error) {
	var text bytes.Buffer
	for _, p := range parts {
		words, err := licenceIn(p.dir)
		if errors.Is(err, errNoLicence) && p.name == toolchain {
			words, err = "https://go.dev/LICENSE", nil // some distributions keep it elsewhere
		}
		if err != nil {
			return nil, fmt.Errorf("the licence of %s, which goes with every copy: %w", p.name, err)
		}
		fmt.Fprintf(&text, "%s\n%s\n\n%s\n\n\n", p.name, strings.Repeat("=", len(p.name)), strings.TrimSpace(words))
	}
	return append(bytes.TrimRight(text.Bytes(), "\n"), '\n'), nil
}

// linked lists Go itself and the modules that programs contain.
func linked(root string, environment []string, programs ...string) ([]part, error) {
	cmd := exec.Command("go", append([]string{
		"list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}",
	}, programs...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for the modules: %w", err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for its root: %w", err)
	}
	parts := []part{{toolchain, strings.TrimSpace(string(goroot))}}
	lines := slices.Sorted(strings.Lines(string(out)))
	for _, line := range slices.Compact(lines) {
		if name, dir, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
			parts = append(parts, part{name, dir})
		}
	}
	return parts, nil
}

// bundled lists the npm packages that the scripts contain: those of the lock file that are not
// development tools, with their dependencies.
func bundled(root string) ([]part, error) {
	file := filepath.Join(root, "site", "package-lock.json")
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version       string
			Dev, Optional bool
		}
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var parts []part
	for folder, one := range lock.Packages {
		if name, is := strings.CutPrefix(folder, "node_modules/"); is && !one.Dev && !one.Optional {
			dir := filepath.Join(root, "site", filepath.FromSlash(folder))
			if _, err := os.Stat(dir); err != nil {
				return nil, fmt.Errorf("%w; install what site/package-lock.json names: npm --prefix site ci", err)
			}
			parts = append(parts, part{name + " " + one.Version, dir})
		}
	}
	slices.SortFunc(parts, func(x, y part) int { return strings.Compare(x.name, y.name) })
	return parts, nil
}

// licenceIn reads the licence file of a directory; if that has a NOTICE, both.
func licenceIn(dir string) (string, error) {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING"} {
		words, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return "", err
		}
		notice, err := os.ReadFile(filepath.Join(dir, "NOTICE"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return string(words) + string(notice), nil
	}
	return "", fmt.Errorf("%w in %s", errNoLicence, dir)
}
