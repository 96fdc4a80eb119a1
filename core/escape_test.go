package core_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// escapes are what writes names into a format, and who does so: one escaper a format. Another place
// that builds such a format by itself belongs to the list, with package escape or a reason.
var escapes = []struct {
	about string
	by    *regexp.Regexp
	users map[string]string // files, with how names are made data there
}{
	{"quotes a word for a shell", regexp.MustCompile("ReplaceAll\\([^\\n]*, \"'\""), map[string]string{
		"core/escape/escape.go": "is the escaper",
	}},
	{"writes CSV", regexp.MustCompile(`csv\.NewWriter\(`), map[string]string{
		"core/study/write.go":                "escape.CSVRow",
		"tools/parley/cluster/timeline.go":   "escape.CSVRow",
		"tools/parley/artefact/gradelist.go": "escape.CSVRow",
		"tools/parley/joblist/joblist.go":    "escape.CSVRow",
		"tools/parley/compare/pair.go":       "escape.CSVRow",
		"core/trace/packed/parquet.go":       "no file is written: the readers take the rows of a table as it is",
	}},
	{"escapes HTML or SVG", regexp.MustCompile(`html\.EscapeString\(|template\.HTML\(`), map[string]string{
		"core/kube/question/html.go":        "html.EscapeString of all texts",
		"tools/parley/sweeps/picture.go":    "escape.Line within html.EscapeString",
		"tools/parley/sweeps/report.go":     "the pictures of picture.go",
		"tools/links/preview.go":            "html.EscapeString of the link and of what its head says",
		"tools/serve/static/frames.go":      "html.EscapeString of origins that the host's owner gives",
		"tools/build/manual/frame.go":       "html.EscapeString of our own titles",
		"tools/build/bundle/preview.go":     "html.EscapeString of the address that the host's owner gives",
		"tools/parley/reference/systems.go": "html.EscapeString of our own descriptions",
	}},
	{"escapes Markdown", regexp.MustCompile("\"\\\\\\\\\\|\"|`\\\\\\|`|`\\\\`\\+"), map[string]string{
		"core/escape/escape.go":              "is the escaper",
		"tools/parley/reference/main.go":     "our own descriptions",
		"tools/parley/reference/programs.go": "our own descriptions",
	}},
	{"begins a fence of Markdown", regexp.MustCompile("\"[^\"\\n]*```"), map[string]string{
		"core/escape/escape.go":             "is the escaper",
		"tools/parley/describe/protocol.go": "fences our own examples",
		"tools/parley/reference/systems.go": "fences our own examples",
	}},
	{"spells out control characters", regexp.MustCompile(`unicode\.(IsControl|Bidi_Control)`), map[string]string{
		"core/escape/escape.go": "is the escaper",
	}},
	{"escapes LaTeX", regexp.MustCompile(`textbackslash`), map[string]string{
		"core/escape/escape.go": "is the escaper",
	}},
}

// TestOneEscaperAFormat: who writes names into a format is in the list, and who is in the list does.
func TestOneEscaperAFormat(t *testing.T) {
	found := make([]map[string]bool, len(escapes))
	for i := range found {
		found[i] = map[string]bool{}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"site", "testdata", "assets", ".git", "node_modules", "build", "mutate", "check", "gallery"}, d.Name()) && !strings.HasSuffix(path, "tools/build") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly); err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		for i, e := range escapes {
			if !e.by.Match(text) {
				continue
			}
			found[i][name] = true
			how, known := e.users[name]
			if !known {
				t.Errorf("%s %s by itself: use package escape, or add it to the list with how names are made data", name, e.about)
			} else if strings.HasPrefix(how, "escape.") && !strings.Contains(string(text), strings.Fields(how)[0]) {
				t.Errorf("%s %s without %s", name, e.about, how)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range escapes {
		for name := range e.users {
			if !found[i][name] {
				t.Errorf("%s is in the list, and no longer %s", name, e.about)
			}
		}
	}
}
