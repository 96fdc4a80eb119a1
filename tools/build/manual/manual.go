// Package manual makes the HTML manual of the page from the Markdown in docs.
//
// docs/README.md is the contents: its headings of the second level are the sections, and
// each item of their lists links to a page. Files of the checkout that a page links to
// become pages too, outside the sections, so that no link leaves the manual's own host.
//
//	files, err := manual.Make(".")
//	// files["manual/start.html"], files["manual/index.json"], …
package manual

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"parley/tools/csp"
)

// Folder is where the manual is in the built page.
const Folder = "manual"

// contents is the page that lists all others.
const contents = "docs/README.md"

// Section is a heading of the contents with its pages.
type section struct {
	title string
	pages []*page
}

// page is one file of the checkout as a page of the manual.
type page struct {
	source   string // "docs/start.md"
	name     string // "start.html", below Folder
	title    string
	listed   string // its title in the contents; empty: it is in no section
	document ast.Node
	text     []byte
	headings []heading
}

// heading is a place of a page that is found by search.
type heading struct {
	Title string `json:"title"`
	ID    string `json:"id"`
}

// entry is a page in the index that the palette of the page reads.
type entry struct {
	Title    string    `json:"title"`
	Page     string    `json:"page"`
	Headings []heading `json:"headings"`
}

// manual has all pages during the build.
type manual struct {
	root     string
	pages    map[string]*page // by source
	order    []string         // sources as they were found
	sections []section
	files    map[string][]byte
}

// Make returns the files of the manual of the checkout at root: pages, pictures and
// index.json, by their names in the built page.
func Make(root string) (map[string][]byte, error) {
	m := &manual{root: root, pages: map[string]*page{}, files: map[string][]byte{}}
	home, err := m.add(contents)
	if err != nil {
		return nil, err
	}
	if err := m.readSections(home); err != nil {
		return nil, err
	}
	for i := 0; i < len(m.order); i++ { // pages that it links to are added behind
		if err := m.rewrite(m.pages[m.order[i]]); err != nil {
			return nil, err
		}
	}
	if err := m.checkFragments(); err != nil {
		return nil, err
	}
	for _, source := range m.order {
		if err := m.write(m.pages[source]); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	return m.files, m.writeIndex()
}

// Kept reports whether a file of the built page is one of the manual that is kept for visits without
// a network: the pages of docs, without the files of the checkout that they include.
func Kept(name string) bool {
	rest, is := strings.CutPrefix(name, Folder+"/")
	return is && !strings.HasPrefix(rest, "files/")
}

// add reads a Markdown file once.
func (m *manual) add(source string) (*page, error) {
	if p := m.pages[source]; p != nil {
		return p, nil
	}
	text, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(source)))
	if err != nil {
		return nil, err
	}
	p := &page{source: source, name: nameOf(source), text: text}
	p.parse()
	if p.title == "" {
		return nil, fmt.Errorf("%s has no heading of the first level, which is a page's title", source)
	}
	m.pages[source] = p
	m.order = append(m.order, source)
	return p, nil
}

// nameOf returns the name of a page below Folder: a file of docs keeps its place, others
// are in files.
func nameOf(source string) string {
	name := strings.TrimSuffix(source, ".md")
	name, inside := strings.CutPrefix(name, "docs/")
	if name == "README" && inside {
		return "index.html"
	}
	if !inside || strings.HasPrefix(name, "decisions/") {
		name = "files/" + strings.ReplaceAll(name, "/", "-")
	}
	return strings.ToLower(name) + ".html"
}

// readSections reads the contents.
func (m *manual) readSections(home *page) error {
	seen := map[string]bool{}
	for node := home.document.FirstChild(); node != nil; node = node.NextSibling() {
		switch node := node.(type) {
		case *ast.Heading:
			if node.Level == 2 {
				m.sections = append(m.sections, section{title: plain(node, home.text)})
			}
		case *ast.List:
			if len(m.sections) == 0 {
				return fmt.Errorf("%s: a list of pages stands before the first section", contents)
			}
			at := &m.sections[len(m.sections)-1]
			for _, link := range linksOf(node) {
				target := path.Join(path.Dir(contents), string(link.Destination))
				p, err := m.add(target)
				if err != nil {
					return fmt.Errorf("%s: %w", contents, err)
				}
				if seen[target] {
					return fmt.Errorf("%s lists %s twice", contents, target)
				}
				seen[target] = true
				p.listed = plain(link, home.text)
				at.pages = append(at.pages, p)
			}
		}
	}
	return m.checkListed(seen)
}

// checkListed refuses a page of docs that the contents leave out: readers would not find it.
func (m *manual) checkListed(listed map[string]bool) error {
	var missing []error
	err := fs.WalkDir(os.DirFS(m.root), "docs", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == "docs/decisions" {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" && name != contents && name != "docs/mutation.md" && !listed[name] {
			missing = append(missing, fmt.Errorf("%s does not list %s: add it to a section", contents, name))
		}
		return nil
	})
	return errors.Join(append(missing, err)...)
}

// neighbours returns the pages before and after one in the order of the contents.
func (m *manual) neighbours(p *page) (before, after *page) {
	var all []*page
	for _, s := range m.sections {
		all = append(all, s.pages...)
	}
	i := slices.Index(all, p)
	if i > 0 {
		before = all[i-1]
	}
	if i >= 0 && i+1 < len(all) {
		after = all[i+1]
	}
	return before, after
}

// write renders a page into its document, with its policy.
func (m *manual) write(p *page) error {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.text, p.document); err != nil {
		return err
	}
	document, err := csp.Insert(m.frame(p, body.Bytes()))
	m.files[path.Join(Folder, p.name)] = document
	return err
}

// writeIndex writes the index that the palette of the page searches: pages of the sections.
func (m *manual) writeIndex() error {
	var index []entry
	for _, s := range m.sections {
		for _, p := range s.pages {
			index = append(index, entry{p.listed, p.name, p.headings})
		}
	}
	text, err := json.Marshal(index)
	m.files[path.Join(Folder, "index.json")] = text
	return err
}
