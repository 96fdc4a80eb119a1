// Package lean copies Ebitengine without the parts that no page uses. The renderer's
// program is a quarter smaller with the copy, and draws the same.
//
//	modfile, err := lean.Modfile(".", "./wasm/view")
//	exec.Command("go", "build", "-modfile="+modfile, "./wasm/view")
//
// The copy is made from the version that go.mod names. An Ebitengine in which a change
// finds no place is an error: look at the new source, and adapt or delete the change.
package lean

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const engine = "github.com/hajimehoshi/ebiten/v2"

// notice begins each file that is changed, as Ebitengine's licence demands.
const notice = "// Changed by Parley: see its tools/build/lean.\n\n"

// changes are the files that are changed, by name in the module.
var changes = map[string]func(string) (string, error){
	"internal/builtinshader/shader.go": writeOut,
	"internal/colormshader/shader.go":  writeOut,
	"internal/debug/caller.go":         dropCaller,
	"internal/legacyshader/convert.go": refuseTexels,
}

// Modfile writes the copy below bin/lean of the checkout at root, and returns the file
// for -modfile that takes it in Ebitengine's place. It returns "" if the program does
// not contain Ebitengine.
func Modfile(root, program string) (string, error) {
	dir, folders, err := find(root, program)
	if err != nil || len(folders) == 0 {
		return "", err
	}
	files, err := copied(dir, folders)
	if err != nil {
		return "", err
	}
	for name, change := range changes {
		text, there := files["ebiten/"+name]
		if !there {
			return "", fmt.Errorf("%s has no %s; adapt tools/build/lean to this version", dir, name)
		}
		changed, err := change(string(text))
		if err != nil {
			return "", fmt.Errorf("%s/%s: %w; adapt tools/build/lean to this version", dir, name, err)
		}
		files["ebiten/"+name] = []byte(notice + changed)
	}
	for from, to := range map[string]string{"go.mod": "page.mod", "go.sum": "page.sum"} {
		if files[to], err = os.ReadFile(filepath.Join(root, from)); err != nil {
			return "", err
		}
	}
	into := filepath.Join("bin", "lean", nameOf(files))
	files["page.mod"] = fmt.Appendf(files["page.mod"], "\nreplace %s => ./%s/ebiten\n", engine, filepath.ToSlash(into))
	return filepath.Join(into, "page.mod"), write(filepath.Join(root, into), files)
}

// find returns the directory of Ebitengine's module and the folders in it whose packages
// the program contains.
func find(root, program string) (dir string, folders []string, err error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Module", program)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return "", nil, fmt.Errorf("asking go for the packages of %s: %w", program, err)
	}
	for list := json.NewDecoder(bytes.NewReader(out)); list.More(); {
		var p struct {
			ImportPath string
			Module     *struct{ Path, Dir string }
		}
		if err := list.Decode(&p); err != nil {
			return "", nil, fmt.Errorf("the packages of %s: %w", program, err)
		}
		if p.Module != nil && p.Module.Path == engine {
			dir = p.Module.Dir
			folders = append(folders, strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, engine), "/"))
		}
	}
	return dir, folders, nil
}

// copied returns the files of some folders of a module without their tests.
func copied(dir string, folders []string) (map[string][]byte, error) {
	module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"ebiten/go.mod": module}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(folder), e.Name()))
			if err != nil {
				return nil, err
			}
			files[path.Join("ebiten", folder, e.Name())] = content
		}
	}
	return files, nil
}

// nameOf returns a hash of the names and contents of files.
func nameOf(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n", name, len(files[name]))
		sum.Write(files[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// write makes the directory at once, unless it exists: builds may run side by side.
func write(dir string, files map[string][]byte) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "_part-*") // go passes over _ in patterns such as ./...
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	for name, content := range files {
		file := filepath.Join(part, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil {
			return err
		}
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return err
		}
	}
	return nil
}
