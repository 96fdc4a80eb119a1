// Package bundle makes every file of the page from the sources of a checkout:
//
//	index.html view.html       site's documents, their policy inserted, inline styles minified
//	first.js                   site/src/page/first.ts, which runs before the page's script
//	page.js page.css           site/src/page/main.ts and its imports
//	later/*.js                 its dynamic imports
//	worker.js view.js          site/src/worker/main.ts, site/src/view/main.ts
//	{worker,whole,program,questions,view}.wasm  ./wasm/worker and its like, for js/wasm
//	offline.js                 site/src/offline/main.ts: keeps the build for visits without a network
//	manifest.webmanifest icon-*.png  to install the page as a program
//	wasm_exec.js               the Go toolchain's own glue, minified
//	scenarios/                 assets/scenarios
//	gallery/                   assets/gallery: the cards that ask about them
//	choices/               assets/choices: the choices of large cells' first moments
//	keyframes.bin              assets/keyframes.bin: the first scenario's first seconds
//	papers.json                assets/papers.json: the results of the papers' experiments
//	systems.json               the systems' descriptions
//	how/                       core/system/ID/how.json: how each of them works
//	palettes/                  assets/palettes
//	_headers                   the policy for static hosts that read such a file
//	manual/                    docs: see package manual
//	licences.txt               the licences of all that the page carries
//
// Names are plain: a link to the page stays valid, and the ETag of the content lets a browser notice
// changes. The same sources give the same bytes, on every machine and in every directory.
//
//	files, err := bundle.Make(".")
package bundle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"parley/tools/build/lean"
	"parley/tools/build/manual"
	"parley/tools/build/slim"
	"parley/tools/csp"
)

// Files are contents by slash-separated name, relative to the page's root.
type Files map[string][]byte

// Make builds all files from the checkout at root. Go's intermediate output goes
// to root/bin/wasm, so that unchanged parts cost nothing the next time.
func Make(root string) (Files, error) { return MakeFor(root, "") }

// MakeFor is Make for a page with a known address, such as https://example.org/parley/: previews of it have
// a picture then. "" is an unknown one.
func MakeFor(root, address string) (Files, error) {
	parts := []func(string) (Files, error){
		func(root string) (Files, error) { return module(root, "worker") },
		func(root string) (Files, error) { return module(root, "whole") },
		func(root string) (Files, error) { return module(root, "program") },
		func(root string) (Files, error) { return module(root, "questions") },
		func(root string) (Files, error) { return module(root, "view") },
		glue,
		scripts,
		documents,
		scenarios,
		recordings,
		recordedChoices,
		systems,
		explanations,
		programs,
		palettes,
		headers,
		licences,
		installed,
		func(root string) (Files, error) { return manual.Make(root) },
	}
	made := make([]Files, len(parts))
	failed := make([]error, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() { made[i], failed[i] = part(root) })
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	all := Files{}
	for _, files := range made {
		for name, content := range files {
			if _, twice := all[name]; twice {
				return nil, fmt.Errorf("two parts of the build make %s", name)
			}
			all[name] = content
		}
	}
	all.preload()
	if err := all.preview(address); err != nil {
		return nil, err
	}
	if err := all.resolve(); err != nil {
		return nil, err
	}
	return all, all.offline()
}

// documentReaders are the libraries that only read and write small documents.
// They are compiled without inlining: the worker is 53 KB smaller with gzip, and
// nothing that a run does every event passes through them. See
// docs/decisions/2026-11-21-worker-size.md.
var documentReaders = []string{
	"encoding/json", "fmt", "reflect", "strconv", "syscall/js", "time", "parley/core/scenario", "parley/core/message",
	"parley/core/play/...", "parley/core/paper/remote", "parley/core/planner", "parley/core/study/...",
	"parley/core/rfql", "parley/core/strict", "parley/core/system", "parley/core/workload/graphs", "parley/wasm/...",
	// The renderer compiles its shaders with these once, and writes debug output in other builds.
	"archive/zip", "encoding/gob", "go/...", "log/...", "math/big", "regexp/...",
	"github.com/hajimehoshi/ebiten/v2/internal/shader", "github.com/hajimehoshi/ebiten/v2/internal/shaderir/...",
}

// module compiles ./wasm/name to name.wasm.
func module(root, name string) (Files, error) {
	out := filepath.Join("bin", "wasm", name+".wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}
	for _, library := range documentReaders {
		args = append(args, "-gcflags="+library+"=-l")
	}
	modfile, err := lean.Modfile(root, "./wasm/"+name)
	if err != nil {
		return nil, err
	}
	if modfile != "" {
		args = append(args, "-modfile="+modfile)
	}
	cmd := exec.Command("go", append(args, "./wasm/"+name)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling ./wasm/%s to WebAssembly: %w\n%s", name, err, output)
	}
	content, err := os.ReadFile(filepath.Join(root, out))
	if err != nil {
		return nil, err
	}
	if content, err = slim.Module(content); err != nil {
		return nil, fmt.Errorf("./wasm/%s: %w", name, err)
	}
	return Files{name + ".wasm": content}, nil
}

// headers writes the file from which Netlify, Cloudflare Pages and their like take
// the headers of a site. Documents carry their policy themselves; a worker takes
// its policy from the headers of its script, so it gets one here.
func headers(string) (Files, error) {
	text := "/*.js\n  Content-Security-Policy: " + csp.Header(nil) + "\n/*\n"
	for _, line := range csp.Beside() {
		text += "  " + line[0] + ": " + line[1] + "\n"
	}
	return Files{"_headers": []byte(text)}, nil
}

var reference = regexp.MustCompile(`(?i)<(?:script|link|img|iframe)[^>]*\s(?:src|href)=["']?([^"'\s>#?]+)`)

// resolve checks that every file that the documents load exists.
func (f Files) resolve() error {
	for name, content := range f {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, found := range reference.FindAllSubmatch(content, -1) {
			target := string(found[1])
			if strings.HasPrefix(target, "data:") {
				continue
			}
			if _, there := f[path.Join(path.Dir(name), target)]; !there {
				return fmt.Errorf("%s loads %q, which the build does not make; name one of its files", name, target)
			}
		}
	}
	return nil
}
