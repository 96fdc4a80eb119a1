package core_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxColumns limits a line of Go, with a tab as four columns.
const maxColumns = 120

// wide are the files whose lines are still to be broken: a file leaves the list, and none joins it.
var wide = []string{
	"core/kube/dump/change.go", "core/kube/remote/ask.go", "core/kube/remote/dump.go", "core/kube/remote/remote.go",
	"core/message/cluster.go", "tools/links/links.go", "tools/serve/disk/disk.go", "wasm/edge/main.go",
}

// TestLinesAreShort: a line of Go has at most 120 columns, apart from the texts in it: a
// sentence stays whole, so that it can be searched. Examples in comments may be longer.
func TestLinesAreShort(t *testing.T) {
	checkout, read := os.DirFS(".."), 0
	for _, root := range []string{"assets", "core", "wasm", "tools"} {
		err := fs.WalkDir(checkout, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && slices.Contains([]string{"testdata", "node_modules"}, entry.Name()) {
				return fs.SkipDir
			}
			if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || slices.Contains(wide, name) {
				return nil
			}
			text, err := fs.ReadFile(checkout, name)
			for _, l := range longLines(string(text)) {
				t.Errorf("%s:%d has %d columns beside its texts, and %d are the limit", name, l.number, l.columns, maxColumns)
			}
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 500 {
		t.Errorf("only %d sources were read", read)
	}
}

type longLine struct{ number, columns int }

// longLines returns the lines with more than maxColumns columns when the content of texts is
// taken out, but for examples in comments.
func longLines(text string) (found []longLine) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	var kept strings.Builder
	from := 0
	for pos, kind, literal := s.Scan(); kind != token.EOF; pos, kind, literal = s.Scan() {
		if kind == token.STRING {
			at := file.Offset(pos)
			kept.WriteString(text[from:at] + `""` + strings.Repeat("\n", strings.Count(literal, "\n")))
			from = at + len(literal)
		}
	}
	kept.WriteString(text[from:])
	for i, l := range strings.Split(kept.String(), "\n") {
		n := len([]rune(strings.ReplaceAll(l, "\t", "    ")))
		if n > maxColumns && !strings.HasPrefix(strings.TrimLeft(l, "\t"), "//\t") {
			found = append(found, longLine{i + 1, n})
		}
	}
	return found
}

func TestLongLinesAreFound(t *testing.T) {
	long := strings.Repeat("x", 117)
	for text, want := range map[string]int{
		"package a\n\n// " + long + "\n":                               0,
		"package a\n\n// " + long + "y\n":                              1,
		"package a\n\nvar b = \"" + long + long + "\"\n":               0,
		"package a\n\nvar b = `\n" + long + long + "\n` // " + long:    1,
		"package a\n\nfunc b() {\n\t// " + long[:113] + "\n}\n":        0,
		"package a\n\nfunc b() {\n\t// " + long[:114] + "\n}\n":        1,
		"package a\n\nvar b = \"é\" // " + strings.Repeat("é", 105):    0,
		"package a\n\nvar b = \"é\" // " + strings.Repeat("é", 110):    1,
		"package a\n\nvar b = `" + long + "`, `" + long + "`, 1, 2, 3": 0,
	} {
		if got := longLines(text); len(got) != want {
			t.Errorf("%q: found %v, want %d", text, got, want)
		}
	}
}
