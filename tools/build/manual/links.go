package manual

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown parses the dialect of docs: CommonMark with tables, and headings that can be linked. Raw
// HTML is left out.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(tables{}, 100))),
)

// parse reads the page's text, its title and its headings.
func (p *page) parse() {
	ids := parser.NewContext(parser.WithIDs(&anchors{}))
	p.document = markdown.Parser().Parse(text.NewReader(p.text), parser.WithContext(ids))
	p.headings = []heading{}
	for node := p.document.FirstChild(); node != nil; node = node.NextSibling() {
		h, is := node.(*ast.Heading)
		if !is {
			continue
		}
		id, _ := h.AttributeString("id")
		name, _ := id.([]byte)
		switch title := plain(h, p.text); {
		case h.Level == 1 && p.title == "":
			p.title = title
		default:
			p.headings = append(p.headings, heading{title, string(name)})
		}
	}
}

// anchors names headings as GitHub does, so that one link serves both.
type anchors struct{ used []string }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := anchor(string(value))
	unique := name
	for i := 1; slices.Contains(a.used, unique); i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	a.used = append(a.used, unique)
	return []byte(unique)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.used = append(a.used, string(value)) }

// anchor returns the name under which a heading is linked.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || isWord(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain returns the text of a node without its marks.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, is := n.(*ast.Text); is && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// linksOf lists the links below a node.
func linksOf(node ast.Node) (links []*ast.Link) {
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, is := n.(*ast.Link); is && entering {
			links = append(links, l)
		}
		return ast.WalkContinue, nil
	})
	return links
}

// rewrite turns the links of a page to files of the checkout into links to pages and to
// files of the manual. Links to folders, and to sources outside docs, become plain text.
func (m *manual) rewrite(p *page) error {
	var wrong []error
	_ = ast.Walk(p.document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			to, err := m.picture(p, string(n.Destination))
			n.Destination = []byte(to)
			wrong = append(wrong, err)
		case *ast.Link:
			to, err := m.target(p, string(n.Destination))
			n.Destination = []byte(to)
			wrong = append(wrong, err)
		}
		return ast.WalkContinue, nil
	})
	m.unlink(p.document)
	return errors.Join(wrong...)
}

// unlink puts the words of links that lead nowhere in their place.
func (m *manual) unlink(document ast.Node) {
	for _, link := range linksOf(document) {
		if len(link.Destination) > 0 {
			continue
		}
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, link, child)
			child = next
		}
		parent.RemoveChild(parent, link)
	}
}

// target returns where a link leads in the manual; empty: to a file that is not in it.
func (m *manual) target(p *page, link string) (string, error) {
	to, fragment, _ := strings.Cut(link, "#")
	if to == "" || strings.Contains(to, "://") {
		return link, nil
	}
	source := path.Join(path.Dir(p.source), to)
	info, err := os.Stat(filepath.Join(m.root, filepath.FromSlash(source)))
	if err != nil {
		return "", fmt.Errorf("%s links to %s, which is missing", p.source, link)
	}
	if name, below := strings.CutPrefix(source, "docs/"); below && !info.IsDir() && path.Ext(source) != ".md" {
		content, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(source)))
		m.files[path.Join(Folder, name)] = content
		return between(p.name, name), err
	}
	if info.IsDir() || path.Ext(source) != ".md" {
		return "", nil
	}
	other, err := m.add(source)
	if err != nil {
		return "", err
	}
	to = between(p.name, other.name)
	if fragment != "" {
		to += "#" + fragment
	}
	return to, nil
}

// picture copies a picture into the manual and returns its address.
func (m *manual) picture(p *page, link string) (string, error) {
	source := path.Join(path.Dir(p.source), link)
	content, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(source)))
	if err != nil {
		return "", fmt.Errorf("%s shows %s: %w", p.source, link, err)
	}
	name := "files/" + strings.ReplaceAll(source, "/", "-")
	if rest, drawn := strings.CutPrefix(source, "docs/"); drawn && path.Ext(source) == ".svg" {
		name = rest // small, and kept for visits without a network
	}
	m.files[path.Join(Folder, name)] = content
	return between(p.name, name), nil
}

// between returns the address of a file below Folder as a page there writes it.
func between(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// checkFragments refuses a link to a heading that its page does not have.
func (m *manual) checkFragments() error {
	var wrong []error
	for _, source := range m.order {
		p := m.pages[source]
		for _, link := range linksOf(p.document) {
			to, fragment, has := strings.Cut(string(link.Destination), "#")
			if !has || fragment == "" || strings.Contains(to, "://") {
				continue
			}
			other := p
			for _, q := range m.pages {
				if to != "" && q.name == path.Join(path.Dir(p.name), to) {
					other = q
				}
			}
			if !slices.ContainsFunc(other.headings, func(h heading) bool { return h.ID == fragment }) {
				wrong = append(wrong, fmt.Errorf("%s links to #%s of %s, and no heading there has this name",
					p.source, fragment, other.source))
			}
		}
	}
	return errors.Join(wrong...)
}
