package sweeps

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/study"
	"parley/core/words"
)

// The size of a panel in pixels, and the number of panels in a row and on a page.
const (
	panelWidth, panelHeight = 300, 210
	panelsInRow, maxPanels  = 3, 24
)

// colours of series: eight that stay apart in the common forms of colour blindness
// (Okabe and Ito, 2008, without black and with grey).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#777777"}

// grid is the layout of a table: the axis of x, the axis of series or rows, and the axes with panels
// of their own.
type grid struct {
	table  *study.Table
	across string
	down   string // empty: there is one axis or none
	rest   []string
}

// layout takes the last axis of numbers across, or the last one.
func layout(t *study.Table) grid {
	g := grid{table: t}
	for _, axis := range t.Axes {
		if g.across == "" || numeric(t, axis) || !numeric(t, g.across) {
			g.across = axis
		}
	}
	for _, axis := range t.Axes {
		switch {
		case axis == g.across:
		case g.down == "":
			g.down = axis
		default:
			g.rest = append(g.rest, axis)
		}
	}
	return g
}

func numeric(t *study.Table, axis string) bool {
	for _, r := range t.Rows {
		var x float64
		if json.Unmarshal(value(r, axis).Value, &x) != nil {
			return false
		}
	}
	return true
}

func value(r study.Row, axis string) study.Value {
	i := slices.IndexFunc(r.At, func(v study.Value) bool { return v.Path == axis })
	if i < 0 {
		return study.Value{}
	}
	return r.At[i]
}

// text returns the value of an axis in a row; "" if there is no such axis.
func text(r study.Row, axis string) string {
	if axis == "" {
		return ""
	}
	return value(r, axis).Text()
}

// distinct lists the values of several axes together, in the order of the rows.
func distinct(rows []study.Row, axes ...string) (list []string) {
	for _, r := range rows {
		if label := label(r, axes); !slices.Contains(list, label) {
			list = append(list, label)
		}
	}
	return list
}

func label(r study.Row, axes []string) string {
	words := make([]string, 0, len(axes))
	for _, a := range axes {
		if a != "" {
			words = append(words, text(r, a))
		}
	}
	return strings.Join(words, ", ")
}

// panel is a figure for the rows with the same values of the rest axes.
type panel struct {
	figure, title string
	rows          []study.Row
}

func (g grid) panels() (list []panel) {
	for _, m := range g.table.Metrics {
		for _, where := range distinct(g.table.Rows, g.rest...) {
			p := panel{figure: m, title: m}
			if where != "" {
				p.title += ", " + where
			}
			for _, r := range g.table.Rows {
				if _, has := study.Find(r.Figures, m); has && label(r, g.rest) == where {
					p.rows = append(p.rows, r)
				}
			}
			if len(p.rows) > 0 && len(list) < maxPanels {
				list = append(list, p)
			}
		}
	}
	return list
}

// footHeight is the room under the panels for a line of text, in pixels.
const footHeight = 24

// page returns an SVG picture with the panels in rows of panelsInRow, each drawn by draw below its title, and the foot.
func page(panels []panel, foot string, draw func(b *strings.Builder, p panel)) []byte {
	rows := (len(panels) + panelsInRow - 1) / panelsInRow
	width, height := panelWidth*min(max(len(panels), 1), panelsInRow), panelHeight*rows+footHeight
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="10">`, width, height, width, height)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n")
	for i, p := range panels {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,%d)\">\n", i%panelsInRow*panelWidth, i/panelsInRow*panelHeight)
		write(&b, 44, 14, "start", "#000000", "bold", p.title)
		draw(&b, p)
		b.WriteString("</g>\n")
	}
	write(&b, 8, float64(height-8), "start", "#444444", "normal", foot)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func write(b *strings.Builder, x, y float64, anchor, colour, weight, words string) {
	fmt.Fprintf(b, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" fill=\"%s\" font-weight=\"%s\">%s</text>\n", short(x),
		short(y), anchor, colour, weight, html.EscapeString(escape.Line(words)))
}

// short writes a number with up to four digits.
func short(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// span is a range of values with some room; equal ends are moved apart.
type span struct{ low, high float64 }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

func (s span) at(x, from, to float64) float64 {
	if s.high <= s.low {
		return (from + to) / 2
	}
	return from + (x-s.low)/(s.high-s.low)*(to-from)
}

// The plot's place in a panel.
const left, right, top, bottom = 44.0, panelWidth - 14.0, 24.0, panelHeight - 44.0

// Multiples draws a panel a figure: means over the axis of x, a line for each value of another axis,
// bars for the 95 % intervals.
func Multiples(t *study.Table) []byte {
	g := layout(t)
	foot := "mean and 95 % interval over the seeds"
	if g.down != "" {
		foot += "; colours: " + g.down
	}
	return page(g.panels(), foot, g.lines)
}

// places returns the labels and positions of the values on the axis across: their values if all are numbers,
// else 0, 1, 2.
func (g grid) places(rows []study.Row) (labels []string, at []float64, numbers bool) {
	numbers = g.across != "" && numeric(g.table, g.across)
	for _, text := range distinct(rows, g.across) {
		x := float64(len(labels))
		if numbers {
			x, _ = strconv.ParseFloat(text, 64)
		}
		labels, at = append(labels, text), append(at, x)
	}
	return labels, at, numbers
}

// lines writes a panel as SVG: a figure by the axis across, one colour for each value of the axis down, with
// intervals.
func (g grid) lines(b *strings.Builder, p panel) {
	labels, at, numbers := g.places(p.rows)
	xs, ys := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, x := range at {
		xs.add(x)
	}
	for _, r := range p.rows {
		f, _ := study.Find(r.Figures, p.figure)
		ys.add(f.Mean)
		if f.Interval != nil {
			ys.add(f.Low)
			ys.add(f.High)
		}
	}
	fmt.Fprintf(b, "<path d=\"M%s,%sV%sH%s\" fill=\"none\" stroke=\"#888888\"/>\n", short(left), short(top),
		short(bottom), short(right))
	write(b, left-4, bottom, "end", "#444444", "normal", short(ys.low))
	write(b, left-4, top+8, "end", "#444444", "normal", short(ys.high))
	for i, text := range labels {
		if numbers && i != 0 && i != len(labels)-1 {
			continue
		}
		write(b, xs.at(at[i], left+8, right-8), bottom+14+float64(i%2*btoi(!numbers))*10, "middle", "#444444", "normal",
			cut(text))
	}
	for k, series := range distinct(p.rows, g.down) {
		colour := colours[k%len(colours)]
		var path strings.Builder
		for _, r := range p.rows {
			if label(r, []string{g.down}) != series {
				continue
			}
			f, _ := study.Find(r.Figures, p.figure)
			x := xs.at(at[slices.Index(labels, label(r, []string{g.across}))], left+8, right-8)
			y := ys.at(f.Mean, bottom, top)
			fmt.Fprintf(&path, "%s%s,%s", map[bool]string{true: "M", false: "L"}[path.Len() == 0], short(x), short(y))
			if f.Interval != nil {
				fmt.Fprintf(b, "<path d=\"M%s,%sV%s\" stroke=\"%s\" stroke-opacity=\"0.5\"/>\n",
					short(x), short(ys.at(f.Low, bottom, top)), short(ys.at(f.High, bottom, top)), colour)
			}
			fmt.Fprintf(b, "<circle cx=\"%s\" cy=\"%s\" r=\"2.2\" fill=\"%s\"/>\n", short(x), short(y), colour)
		}
		if numbers {
			fmt.Fprintf(b, "<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", path.String(), colour)
		}
		if series != "" && k < 8 {
			write(b, left+float64(k%4)*64, bottom+28+float64(k/4)*11, "start", colour, "normal", cut(series))
		}
	}
	if g.across != "" {
		write(b, right, bottom-4, "end", "#444444", "normal", g.across)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func cut(label string) string { return words.Cut(label, 13) }

// HeatMap draws a map a figure, one axis across and another down; nil if the sweep
// has fewer than two axes.
func HeatMap(t *study.Table) []byte {
	g := layout(t)
	if g.down == "" {
		return nil
	}
	return page(g.panels(), fmt.Sprintf("means over the seeds; across: %s, down: %s", g.across, g.down), g.cells)
}

// cells writes a panel as SVG: a rectangle for each pair of values of the two axes, darker for a larger figure.
func (g grid) cells(b *strings.Builder, p panel) {
	across, down := distinct(p.rows, g.across), distinct(p.rows, g.down)
	scale := span{math.Inf(1), math.Inf(-1)}
	for _, r := range p.rows {
		f, _ := study.Find(r.Figures, p.figure)
		scale.add(f.Mean)
	}
	const edge = left + 40
	width, height := (right-edge)/float64(len(across)), (bottom-top)/float64(len(down))
	for _, r := range p.rows {
		f, _ := study.Find(r.Figures, p.figure)
		x := edge + float64(slices.Index(across, label(r, []string{g.across})))*width
		y := top + float64(slices.Index(down, label(r, []string{g.down})))*height
		shade := scale.at(f.Mean, 0, 1)
		fmt.Fprintf(b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"><title>%s</title></rect>\n",
			short(x), short(y), short(width), short(height), heat(shade),
			html.EscapeString(escape.Line(fmt.Sprintf("%s = %s, %s = %s: %s", g.across, text(r, g.across), g.down,
				text(r, g.down), short(f.Mean)))))
		if width >= 30 && height >= 11 {
			write(b, x+width/2, y+height/2+4, "middle",
				map[bool]string{true: "#ffffff", false: "#000000"}[shade > 0.55], "normal", short(f.Mean))
		}
	}
	for i, words := range across {
		if len(across) <= 8 || i == 0 || i == len(across)-1 {
			write(b, edge+(float64(i)+0.5)*width, bottom+12, "middle", "#444444", "normal", cut(words))
		}
	}
	for i, words := range down {
		if len(down) <= 16 || i == 0 || i == len(down)-1 {
			write(b, edge-4, top+(float64(i)+0.5)*height+3, "end", "#444444", "normal", cut(words))
		}
	}
}

// heat returns a colour for x from 0, pale yellow, to 1, dark blue. The lightness falls evenly, so that all can
// read it.
func heat(x float64) string {
	from, to := [3]float64{255, 247, 208}, [3]float64{8, 48, 107}
	var c [3]int
	for i := range c {
		c[i] = int(math.Round(from[i] + x*(to[i]-from[i])))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}
