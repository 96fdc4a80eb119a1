package question

import (
	"html"
	"strconv"
	"strings"

	"parley/core/kube/constraint"
)

// HTML returns documents as one HTML page that loads nothing.
func HTML(documents []Document) string {
	var b strings.Builder
	put := func(format string, texts ...string) {
		for i, piece := range strings.Split(format, "%s") {
			if i > 0 {
				b.WriteString(html.EscapeString(texts[i-1]))
			}
			b.WriteString(piece)
		}
	}
	put(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}
pre{overflow-x:auto;padding:1rem;background:#8881}.answer{font-size:1.15rem;font-weight:600}</style></head><body>
`, documents[0].Title)
	for _, d := range documents {
		put("<section><h1>%s</h1><p class=\"answer\">%s</p>\n", d.Title, d.Sentence)
		for _, g := range d.Grids {
			if len(g.Rows) == 0 {
				continue
			}
			put("<h2>%s</h2><table><thead><tr>", g.Heading)
			for _, c := range g.Columns {
				put(`<th scope="col">%s</th>`, c)
			}
			b.WriteString("</tr></thead><tbody>\n")
			for _, row := range g.Rows {
				b.WriteString("<tr>")
				for _, cell := range row {
					put("<td>%s</td>", cell)
				}
				b.WriteString("</tr>\n")
			}
			b.WriteString("</tbody></table>\n")
			if g.More > 0 {
				put("<p>and %s more</p>\n", strconv.Itoa(g.More))
			}
		}
		if d.Script != "" {
			put("<h2>Script</h2><pre>%s</pre>", d.Script)
		}
		b.WriteString("<details><summary>Method</summary><ul>")
		for _, line := range d.Method.Lines() {
			put("<li>%s</li>", line)
		}
		b.WriteString("</ul></details></section>\n")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// Builtin returns a profile of the scheduler that needs no file: default, or most-allocated, the
// default one with the scoring strategy MostAllocated. It is nil for another name.
func Builtin(name string) *constraint.Profile {
	switch name {
	case "default":
		return constraint.Default()
	case "most-allocated":
		p := constraint.Default()
		p.Strategy.Type = constraint.MostAllocated
		return p
	}
	return nil
}
