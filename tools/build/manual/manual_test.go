package manual_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/tools/build/manual"
)

// house writes a checkout in small.
func house(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// small is a manual of three pages and what they include.
func small() map[string]string {
	return map[string]string{
		"docs/README.md":           "# The manual\n\n## Start\n\n- [Begin](start.md)\n\n## Reference\n\n- [Fields](reference/fields.md)\n\n[Built](../ARCHITECTURE.md)\n",
		"docs/start.md":            "# Start here\n\n## Two `ratios`, one <script>alert(1)</script>\n\nSee [fields](reference/fields.md#a-field), [samples](samples), [x](samples/x.json) and [code](../main.go).\n\n![A drawing](a.svg)\n",
		"docs/reference/fields.md": "# Fields\n\n## A field\n\n| a | b |\n|:--|--:|\n| `x` | 1 |\n\n[Back](../start.md), [up](../../ARCHITECTURE.md#words), [out](https://example.org/x)\n",
		"docs/a.svg":               "<svg/>",
		"docs/samples/x.json":      "{}",
		"ARCHITECTURE.md":          "# Architecture\n\n## Words\n\n## Words\n",
		"main.go":                  "package main\n",
	}
}

func TestManual(t *testing.T) {
	files, err := manual.Make(house(t, small()))
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"manual/start.html": {
			"<title>Start here · Parley manual</title>", `<h2 id="two-ratios-one-scriptalert1script">`, `href="reference/fields.html#a-field"`, `samples, <a href="samples/x.json">x</a> and code.`, `src="a.svg"`,
			`<a rel="next" href="reference/fields.html">`, `<a href="start.html" aria-current="page">Begin</a>`, `href="../index.html"`, "Content-Security-Policy",
		},
		"manual/reference/fields.html": {
			`<div class="table" role="group" aria-label="Table" tabindex="0"><table>`, `href="../start.html"`, `href="../files/architecture.html#words"`, `href="https://example.org/x"`,
			`<a rel="prev" href="../start.html">`, `href="../manual.css"`, `href="../../index.html"`,
		},
		"manual/files/architecture.html": {`<h2 id="words-1">`, `href="../start.html"`},
		"manual/index.html":              {`href="files/architecture.html"`, "<h2>Reference</h2>"},
	} {
		for _, part := range parts {
			if !strings.Contains(string(files[name]), part) {
				t.Errorf("%s lacks %s:\n%s", name, part, files[name])
			}
		}
		if strings.Contains(string(files[name]), "style=") || strings.Contains(string(files[name]), "alert(1)</script>") {
			t.Errorf("%s has a style attribute or a script of its text", name)
		}
	}
	var index []struct {
		Title, Page string
		Headings    []struct{ Title, ID string }
	}
	if err := json.Unmarshal(files["manual/index.json"], &index); err != nil {
		t.Fatal(err)
	}
	if len(index) != 2 || index[1].Title != "Fields" || index[1].Page != "reference/fields.html" || len(index[1].Headings) != 1 || index[1].Headings[0].ID != "a-field" {
		t.Errorf("the index is %+v", index)
	}
	if !manual.Kept("manual/start.html") || !manual.Kept("manual/a.svg") || manual.Kept("manual/files/architecture.html") || manual.Kept("page.js") {
		t.Error("what is kept for visits without a network is not the pages of docs alone")
	}
}

// What a reader could not follow is refused.
func TestManualRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a link to nothing":    {"docs/start.md", "# S\n\n[x](gone.md)\n", "docs/start.md links to gone.md, which is missing"},
		"a link to no heading": {"docs/start.md", "# S\n\n[x](reference/fields.md#gone)\n", "docs/start.md links to #gone of docs/reference/fields.md"},
		"a page without title": {"docs/start.md", "text\n", "docs/start.md has no heading of the first level"},
		"an unlisted page":     {"docs/more.md", "# More\n", "docs/README.md does not list docs/more.md"},
		"no picture":           {"docs/start.md", "# S\n\n![x](gone.svg)\n", "docs/start.md shows gone.svg"},
		"a page listed twice":  {"docs/README.md", "# M\n\n## A\n\n- [x](start.md)\n- [y](start.md)\n- [z](reference/fields.md)\n", "lists docs/start.md twice"},
	} {
		files := small()
		files[c.file] = c.text
		if _, err := manual.Make(house(t, files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s is answered with %v, want %q", name, err, c.want)
		}
	}
}

var addresses = regexp.MustCompile(`(?:href|src)="([^"#:]+)(#[^"]*)?"`)

// TestOwnManual makes the manual of this checkout and follows each of its addresses.
func TestOwnManual(t *testing.T) {
	files, err := manual.Make(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	outside := map[string]bool{"index.html": true, "icon-192.png": true, "manual/manual.css": true, "manual/manual.js": true}
	followed := 0
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range addresses.FindAllSubmatch(text, -1) {
			followed++
			to := path.Join(path.Dir(name), string(m[1]))
			if files[to] == nil && !outside[to] {
				t.Errorf("%s leads to %s, which is not there", name, to)
			}
			if id := strings.TrimPrefix(string(m[2]), "#"); id != "" && !strings.Contains(string(files[to]), `id="`+id+`"`) {
				t.Errorf("%s leads to %s of %s, which is not there", name, id, to)
			}
		}
	}
	if followed < 500 {
		t.Errorf("only %d addresses were followed", followed)
	}
}
