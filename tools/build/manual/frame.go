package manual

import (
	"bytes"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// frame puts a page's text between the way back to the laboratory, the contents, and the pages
// before and after it. Contents follow the text; on a phone a link leads there.
func (m *manual) frame(p *page, body []byte) []byte {
	up := strings.Repeat("../", strings.Count(p.name, "/"))
	var b bytes.Buffer
	report := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
		b.WriteByte('\n')
	}
	title := p.title
	if p.source != contents {
		title += " · Parley manual"
	}
	report(`<!doctype html>`)
	report(`<html lang="en">`)
	report(`<head>`)
	report(`<meta charset="utf-8">`)
	report(`<meta name="viewport" content="width=device-width, initial-scale=1">`)
	report(`<title>`, html.EscapeString(title), `</title>`)
	report(`<link rel="icon" href="`, up, `../icon-192.png">`)
	report(`<link rel="stylesheet" href="`, up, `manual.css">`)
	report(`<script src="`, up, `manual.js"></script>`)
	report(`</head>`)
	report(`<body>`)
	report(`<header><a class="home" href="`, up, `../index.html">Parley</a><a href="`, up,
		`index.html">Manual</a><a class="jump" href="#contents">Contents</a></header>`)
	report(`<main>`)
	b.Write(body)
	m.around(&b, p)
	report(`</main>`)
	m.navigate(&b, p, up)
	report(`</body>`)
	report(`</html>`)
	return b.Bytes()
}

// around writes the links to the pages before and after.
func (m *manual) around(b *bytes.Buffer, p *page) {
	before, after := m.neighbours(p)
	if before == nil && after == nil {
		return
	}
	b.WriteString(`<nav class="around" aria-label="Previous and next">`)
	for _, step := range []struct {
		to        *page
		rel, word string
	}{{before, "prev", "Previous"}, {after, "next", "Next"}} {
		if step.to != nil {
			b.WriteString(`<a rel="` + step.rel + `" href="` + between(p.name, step.to.name) + `"><span>` + step.word +
				`</span> ` + html.EscapeString(step.to.listed) + `</a>`)
		}
	}
	b.WriteString("</nav>\n")
}

// navigate writes the contents.
func (m *manual) navigate(b *bytes.Buffer, p *page, up string) {
	b.WriteString(`<nav id="contents" aria-label="Contents">` + "\n")
	for _, s := range m.sections {
		b.WriteString(`<h2>` + html.EscapeString(s.title) + "</h2>\n<ul>\n")
		for _, to := range s.pages {
			current := ""
			if to == p {
				current = ` aria-current="page"`
			}
			b.WriteString(`<li><a href="` + up + to.name + `"` + current + `>` + html.EscapeString(to.listed) +
				"</a></li>\n")
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</nav>\n")
}

// tables puts each table into a frame that scrolls sideways by itself, and that the
// keyboard reaches: the page does not scroll on a phone.
type tables struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (tables) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(east.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		text := "</table></div>\n"
		if entering {
			text = `<div class="table" role="group" aria-label="Table" tabindex="0"><table>` + "\n"
		}
		_, err := w.WriteString(text)
		return ast.WalkContinue, err
	})
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
