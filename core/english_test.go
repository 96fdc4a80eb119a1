package core_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// clumsy are patterns of sentences that readers stumble over, and what to write.
var clumsy = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(^|[.!?:] |// |/\*\* |\* )Who [a-z]+[^?]*([.,;]|$)`), `"Who …" as a subject: name the caller, the reader, the node`},
	{regexp.MustCompile(`\b[Ss]o many\b`), `"so many": n, a number of, up to a limit`},
	{regexp.MustCompile(`\b[Nn]obody\b`), `"nobody": no node, no task, none`},
	{regexp.MustCompile(`\btells whether\b`), `"tells whether": reports whether`},
	{regexp.MustCompile(`\b[Ww]hoever\b`), `"whoever": the caller, the reader, a program that`},
	{regexp.MustCompile(`^\s*// \w+ tells\b`), `"X tells" in a doc comment: returns, reports, records, sends`},
	{regexp.MustCompile(`^\s*// [A-Z]\w* (says|hears)\b`), `"X says" in a doc comment: describes, defines, reports, returns, sets`},
	{regexp.MustCompile(`\bhear[sd]? of\b`), `"hear of": learn of, receive, know`},
	{regexp.MustCompile(`: none([.;,)]|$)`), `": none": if there is none`},
}

// kept are the files that keep their words, or one of them, and why.
var kept = []struct{ where, words, reason string }{
	{"core/paper", "", "rows of experiments are named so where they are recorded"},
	{"docs/results.md", "", "likewise"},
	{"assets/papers.json", "", "likewise"},
	{"docs/decisions", "", "decisions are history"},
	{"core/english_test.go", "", "it has the patterns"},
}

// TestEnglish looks for clumsy patterns in the comments and texts of Go and TypeScript,
// in documents, and in what the page reads.
func TestEnglish(t *testing.T) {
	checkout := os.DirFS("..")
	read := 0
	for _, root := range []string{"core", "wasm", "tools", "site/src", "docs", "assets", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "index.html"} {
		err := fs.WalkDir(checkout, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if entry.IsDir() || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := fs.ReadFile(checkout, name)
			if err != nil {
				return err
			}
			lines := sentences(name, text)
			if len(lines) > 0 {
				read++
			}
			for _, l := range lines {
				for _, c := range clumsy {
					if found := c.pattern.FindString(l.text); found != "" && !keeps(name, found) {
						t.Errorf("%s:%d says %q. Write instead of %s", name, l.number, strings.TrimSpace(l.text), c.instead)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 600 {
		t.Errorf("only %d files were read", read)
	}
}

// keeps reports whether a file may say what was found.
func keeps(name, found string) bool {
	for _, k := range kept {
		if below(name, k.where) && (k.words == "" || strings.Contains(found, k.words)) {
			return true
		}
	}
	return false
}

type line struct {
	number int
	text   string
}

// sentences returns the lines of a file that people read: of Go the comments and texts,
// of others all.
func sentences(name string, text []byte) (lines []line) {
	switch path.Ext(name) {
	case ".go":
		set := token.NewFileSet()
		file := set.AddFile(name, set.Base(), len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, scanner.ScanComments)
		for {
			at, kind, literal := s.Scan()
			if kind == token.EOF {
				return lines
			}
			if kind == token.COMMENT || kind == token.STRING {
				for i, each := range strings.Split(literal, "\n") {
					lines = append(lines, line{set.Position(at).Line + i, each})
				}
			}
		}
	case ".md", ".ts", ".json", ".html":
		for i, each := range strings.Split(string(text), "\n") {
			lines = append(lines, line{i + 1, each})
		}
	}
	return lines
}

// ceilings count patterns that have false hits, in comments of Go outside of tests. A count may
// fall: lower its ceiling then.
var ceilings = []struct {
	name            string
	pattern, except *regexp.Regexp // except: found, but right
	limit           int
}{
	{
		`"is no X" for "is not an X"`, regexp.MustCompile(`\b(?:there |There )?(?:is|are|was|were|be) no [a-z]+`),
		regexp.MustCompile(`^[tT]here |(?:er|re|less)$`), 12,
	},
	{`"where" for "if"`, regexp.MustCompile(`(?:[,;:]|\b(?:none|nothing|empty|nil|0|it)) where (?:there|it|that|they|nothing|no|none|one|some|an?|the|this|all|any)\b`), nil, 20},
	{`clauses with "what"`, regexp.MustCompile(`\b[Ww]hat [a-z]+`), nil, 30},
	{`"for" for "because"`, regexp.MustCompile(`[,;:] for (?:it|they|that|this|there|its|their|nothing|no|none|all|one|an?|the) [a-z]+ (?:is|are|was|were|has|have|had|can|could|would|may|does|do|did|will)\b`), nil, 4},
}

// TestEnglishPatterns counts the patterns: go test ./core -run TestEnglishPatterns -v prints
// the counts.
func TestEnglishPatterns(t *testing.T) {
	checkout, counts := os.DirFS(".."), make([]int, len(ceilings))
	for _, root := range []string{"core", "wasm", "tools"} {
		err := fs.WalkDir(checkout, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
				return err
			}
			text, err := fs.ReadFile(checkout, name)
			for _, comment := range comments(name, text) {
				for i, c := range ceilings {
					for _, found := range c.pattern.FindAllString(comment, -1) {
						if c.except == nil || !c.except.MatchString(found) {
							counts[i]++
						}
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range ceilings {
		t.Logf("%5d %s", counts[i], c.name)
		if counts[i] > c.limit {
			t.Errorf("%d comments have %s, and %d is the ceiling: write what the field says", counts[i], c.name, c.limit)
		}
	}
}

// comments returns the lines of the comments in a Go source.
func comments(name string, text []byte) (lines []string) {
	set := token.NewFileSet()
	file := set.AddFile(name, set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.COMMENT && !strings.HasPrefix(literal, "//go:") {
			for _, line := range strings.Split(literal, "\n") {
				lines = append(lines, strings.TrimSpace(strings.TrimLeft(line, "/* ")))
			}
		}
	}
}

func TestClumsySentencesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"package a\n\n// Who waits for it keeps it.\nvar A int\n":                    1,
		"package a\n\n// A is called by so many.\nvar A = \"nobody knows\"\n":        2,
		"package a\n\n// Fits tells whether it fits; nil: none.\nfunc Fits() {}\n":   3,
		"package a\n\n// A says what is left. It says so twice.\nvar A int\n":        1,
		"package a\n\n// Who pays? All pay.\nvar nobody = map[int]int{1: none}\n":    0,
		"package a\n\n// A tells of it to whoever has not heard of it.\nvar A int\n": 3,
	} {
		found := 0
		for _, l := range sentences("a.go", []byte(text)) {
			for _, c := range clumsy {
				if c.pattern.MatchString(l.text) {
					found++
				}
			}
		}
		if found != want {
			t.Errorf("%q: %d found, want %d", text, found, want)
		}
	}
}
