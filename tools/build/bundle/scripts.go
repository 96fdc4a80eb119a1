package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"parley/tools/csp"
)

// scripts bundles the programs of the page, each with the styles that it imports. The page's dynamic
// imports are in later/. The page is an ES module. Worker and view are wrapped in a function, so
// that they run as classic scripts beside Go's glue, which is one. So is the script that must run
// before any part of the page: parts that the page shares with dynamic imports run before its own
// first line.
func scripts(root string) (Files, error) {
	files := Files{}
	for _, s := range []struct {
		name, source string
		format       api.Format
	}{
		{"first", "page/first.ts", api.FormatIIFE},
		{"page", "page/main.ts", api.FormatESModule},
		{"worker", "worker/main.ts", api.FormatIIFE},
		{"view", "view/main.ts", api.FormatIIFE},
		{"offline", "offline/main.ts", api.FormatIIFE},
		{"manual/manual", "manual/main.ts", api.FormatIIFE},
	} {
		result := api.Build(api.BuildOptions{
			AbsWorkingDir: absolute(root),
			EntryPointsAdvanced: []api.EntryPoint{{
				InputPath:  "./site/src/" + s.source,
				OutputPath: s.name,
			}},
			Outdir:            "dist", // names only: nothing is written
			Bundle:            true,
			PreserveSymlinks:  true, // a linked node_modules gives chunks the same names
			Format:            s.format,
			Splitting:         s.format == api.FormatESModule, // the page's dynamic imports
			ChunkNames:        "later/[name]-[hash]",
			Target:            api.ES2022,
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
			Charset:           api.CharsetUTF8,
			LegalComments:     api.LegalCommentsEndOfFile,
		})
		if err := complain("bundling site/src/"+s.source, result.Errors); err != nil {
			return nil, err
		}
		for _, out := range result.OutputFiles {
			name, err := filepath.Rel(filepath.Join(absolute(root), "dist"), out.Path)
			if err != nil {
				return nil, err
			}
			files[filepath.ToSlash(name)] = out.Contents
		}
	}
	return files, nil
}

// glue returns the script of Go's toolchain for running its modules.
func glue(string) (Files, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for its root: %w", err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("reading the toolchain's glue for WebAssembly: %w", err)
	}
	result := api.Transform(string(source), api.TransformOptions{
		Sourcefile: "wasm_exec.js", Target: api.ES2022, LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
	})
	return Files{"wasm_exec.js": result.Code}, complain("minifying wasm_exec.js", result.Errors)
}

var inlineStyle = regexp.MustCompile(`(?is)(<style[^>]*>)(.*?)(</style>)`)

// documents reads the two HTML documents, minifies their inline styles and gives
// each its content-security policy.
func documents(root string) (Files, error) {
	files := Files{}
	for name, source := range map[string]string{"index.html": "index.html", "view.html": "site/view.html"} {
		document, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(source)))
		if err != nil {
			return nil, err
		}
		var failed error
		document = inlineStyle.ReplaceAllFunc(document, func(element []byte) []byte {
			part := inlineStyle.FindSubmatch(element)
			result := api.Transform(string(part[2]), api.TransformOptions{
				Loader: api.LoaderCSS, Sourcefile: source, Target: api.ES2022, Charset: api.CharsetUTF8,
				MinifyWhitespace: true, MinifySyntax: true,
			})
			if err := complain("minifying the inline style of "+source, result.Errors); err != nil {
				failed = err
			}
			return []byte(string(part[1]) + strings.TrimSpace(string(result.Code)) + string(part[3]))
		})
		if failed != nil {
			return nil, failed
		}
		if files[name], err = csp.Insert(document); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	return files, nil
}

// complain turns esbuild's messages into one error, or nil.
func complain(doing string, messages []api.Message) error {
	if len(messages) == 0 {
		return nil
	}
	lines := api.FormatMessages(messages, api.FormatMessagesOptions{Kind: api.ErrorMessage})
	return fmt.Errorf("%s:\n%s", doing, strings.TrimSpace(strings.Join(lines, "")))
}

func absolute(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil { // only without a working directory
		return dir
	}
	return abs
}
