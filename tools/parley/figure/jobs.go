package figure

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/core/system"
	"parley/tools/parley/console"
	"parley/tools/parley/joblist"
)

// drawnColumns are the columns of jobs.csv that can be drawn, with their axes.
var drawnColumns = []struct {
	name, axis string
	of         func(*joblist.Record) *float64
}{
	{"bounded_slowdown", "bounded slowdown", func(r *joblist.Record) *float64 { return r.Slowdown }},
	{"wait_s", "wait [s]", func(r *joblist.Record) *float64 { return r.Wait }},
	{"run_s", "run time [s]", func(r *joblist.Record) *float64 { return r.Run }},
	{"response_s", "response [s]", func(r *joblist.Record) *float64 { return r.Response }},
	{"processors", "processors", func(r *joblist.Record) *float64 { n := float64(r.Processors); return &n }},
	{"requested_s", "requested time [s]", func(r *joblist.Record) *float64 { return &r.Requested }},
}

// readTables reads the tables of jobs of a figure, with a name for each.
func readTables(sources []string) (names []string, tables [][]joblist.Record, err error) {
	for _, name := range sources {
		path := name
		if info, failed := os.Stat(name); failed == nil && info.IsDir() {
			path = filepath.Join(name, joblist.CSV)
		}
		rows, err := joblist.Read(path)
		if err != nil {
			return nil, nil, err
		}
		label := strings.TrimSuffix(filepath.Base(name), ".csv")
		if label == "jobs" {
			label = filepath.Base(filepath.Dir(path))
		}
		names, tables = append(names, label), append(tables, rows)
	}
	return names, tables, nil
}

// values returns the numbers of the column --metric of each table, sorted, with the names of the tables and of
// the axis. A job without a value is left out; a table without values is an error.
func (f *figureFlags) values(sources []string) (names []string, values []plotter.Values, axis string, err error) {
	if f.metric == "" {
		f.metric = drawnColumns[0].name
	}
	var known []string
	for _, c := range drawnColumns {
		if known = append(known, c.name); c.name != f.metric {
			continue
		}
		var tables [][]joblist.Record
		if names, tables, err = readTables(sources); err != nil {
			return nil, nil, "", err
		}
		for i, rows := range tables {
			var all plotter.Values
			for k := range rows {
				if x := c.of(&rows[k]); x != nil {
					all = append(all, *x)
				}
			}
			if len(all) == 0 {
				return nil, nil, "", fmt.Errorf("%s: no job has a value in column %s", sources[i], f.metric)
			}
			slices.Sort(all)
			values = append(values, all)
		}
		return names, values, c.axis, nil
	}
	return nil, nil, "", console.NewUsageError(fmt.Errorf("--metric is %q: of jobs one of %s is drawn",
		f.metric, strings.Join(known, ", ")))
}

// placed returns where a value is on an axis. A logarithmic one begins at 1: a wait of 0 has
// no place there.
func placed(x float64, logarithmic bool) float64 {
	if logarithmic {
		return math.Log10(max(x, 1))
	}
	return x
}

// below returns a note for an axis: the values that have no place on it, and where they are drawn.
func below(all []plotter.Values) string {
	for _, values := range all {
		if values[0] < 1 {
			return ", below 1 as 1"
		}
	}
	return ""
}

// maxPoints limits the points of a line: more cannot be distinguished, and make large files.
const maxPoints = 2000

// cdf draws for each table the share of jobs at or below a value, thinned to about maxPoints points.
func (f *figureFlags) cdf(sources []string) (*figure, error) {
	names, all, axis, err := f.values(sources)
	if err != nil {
		return nil, err
	}
	if f.logX {
		axis += below(all)
	}
	d := f.newFigure(axis, "share of jobs [%]")
	d.Y.Min, d.Y.Max = 0, 100
	jobs := 0
	for i, values := range all {
		n, points := len(values), plotter.XYs{}
		step := max(1, n/maxPoints)
		for k := 0; k < n; k++ {
			if k%step == 0 || k == n-1 {
				points = append(points, plotter.XY{X: placed(values[k], f.logX), Y: 100 * float64(k+1) / float64(n)})
			}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.LineStyle, line.StepStyle = seriesStyle(i), plotter.PostStep
		d.Add(line)
		d.entries = append(d.entries, entry{names[i], line})
		jobs += n
	}
	d.summary = fmt.Sprintf("%s in %s", system.Count(float64(jobs), "job"), system.Count(float64(len(all)), "line"))
	return d, nil
}

// box draws a box from the first to the third quartile for each table. On a logarithmic axis the quartiles are
// those of the logarithms.
func (f *figureFlags) box(sources []string) (*figure, error) {
	names, all, axis, err := f.values(sources)
	if err != nil {
		return nil, err
	}
	if f.logY {
		axis += below(all)
	}
	f.logX = false
	d := f.newFigure("", axis)
	jobs := 0
	for i, values := range all {
		for k := range values {
			values[k] = placed(values[k], f.logY)
		}
		b, err := plotter.NewBoxPlot(vg.Points(min(60, 240/float64(len(all)))), float64(i), values)
		if err != nil {
			return nil, err
		}
		b.FillColor = color.RGBA{220, 230, 240, 255}
		b.Outside = thinned(b.Outside)
		b.GlyphStyle.Radius = vg.Points(1)
		d.Add(b)
		jobs += len(values)
	}
	for i := range names {
		names[i] = f.text(names[i])
	}
	d.NominalX(names...)
	d.summary = fmt.Sprintf("%s in %s; whiskers reach up to 1.5 times the height of the box",
		system.Count(float64(jobs), "job"), strings.Replace(system.Count(float64(len(all)), "box"), "boxs", "boxes", 1))
	return d, nil
}

// thinned keeps some 500 of the outliers, in their order, the last included.
func thinned(outside []int) []int {
	step := max(1, len(outside)/500)
	var kept []int
	for i, k := range outside {
		if i%step == 0 || i == len(outside)-1 {
			kept = append(kept, k)
		}
	}
	return kept
}

// clock is the axis of time of a figure: from where to where, and in which unit.
type clock struct {
	from, to, unit float64 // seconds
	name           string
}

// clockOf returns the axis of time of tables, from the first submission to the last end, or from --from to --to.
func (f *figureFlags) clockOf(tables [][]joblist.Record) (clock, error) {
	c := clock{from: math.Inf(1)}
	for _, rows := range tables {
		for i := range rows {
			c.from = min(c.from, rows[i].Submit)
			if rows[i].End != nil {
				c.to = max(c.to, *rows[i].End)
			}
		}
	}
	if f.from > 0 {
		c.from = float64(f.from) / 1e6
	}
	if f.to > 0 {
		c.to = float64(f.to) / 1e6
	}
	if c.to <= c.from {
		return c, fmt.Errorf("no job ends after %s: choose an earlier --from", console.Duration(c.from))
	}
	switch span := c.to - c.from; {
	case span > 3*24*3600:
		c.unit, c.name = 24*3600, "time [days]"
	case span > 3*3600:
		c.unit, c.name = 3600, "time [hours]"
	default:
		c.unit, c.name = 60, "time [minutes]"
	}
	return c, nil
}

// utilisation draws for each table the mean number of busy processors in each of 300 equal pieces of time.
func (f *figureFlags) utilisation(sources []string) (*figure, error) {
	names, tables, err := readTables(sources)
	if err != nil {
		return nil, err
	}
	c, err := f.clockOf(tables)
	if err != nil {
		return nil, err
	}
	const pieces = 300
	d := f.newFigure(c.name, "busy processors")
	d.Y.Min = 0
	width := (c.to - c.from) / pieces
	for i, rows := range tables {
		var busy [pieces]float64
		for k := range rows {
			r := &rows[k]
			if r.Start == nil || r.End == nil || *r.End <= c.from || *r.Start >= c.to {
				continue
			}
			a, b := max(*r.Start, c.from)-c.from, min(*r.End, c.to)-c.from
			for p := int(a / width); p < pieces && float64(p)*width < b; p++ {
				overlap := min(b, float64(p+1)*width) - max(a, float64(p)*width)
				busy[p] += max(0, overlap) / width * float64(r.Processors)
			}
		}
		points := make(plotter.XYs, pieces)
		for p := range points {
			points[p] = plotter.XY{X: (c.from + float64(p)*width) / c.unit, Y: busy[p]}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.LineStyle, line.StepStyle = seriesStyle(i), plotter.PostStep
		d.Add(line)
		d.entries = append(d.entries, entry{names[i], line})
	}
	d.summary = fmt.Sprintf("%s, each point the mean of %s", system.Count(float64(len(tables)), "line"),
		console.Duration(width))
	return d, nil
}

// maxBars limits the bars of a Gantt chart.
const maxBars = 20_000

// bars are the jobs of a Gantt chart: rectangles in the plot's coordinates.
type bars struct {
	boxes   [][4]float64 // from, to, lowest node, highest node
	colours []color.Color
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, r := range b.boxes {
		box := vg.Rectangle{Min: vg.Point{X: x(r[0]), Y: y(r[2])}, Max: vg.Point{X: x(r[1]), Y: y(r[3])}}
		c.SetColor(b.colours[i])
		c.Fill(box.Path())
		c.SetColor(color.White)
		c.SetLineWidth(vg.Points(0.2))
		c.Stroke(box.Path())
	}
}

// gantt draws the jobs of one table as bars on the nodes that they hold, from start to end within the axis of time.
func (f *figureFlags) gantt(sources []string) (*figure, error) {
	if len(sources) != 1 {
		return nil, console.NewUsageError(fmt.Errorf("gantt draws one table, and %d are given: give one", len(sources)))
	}
	_, tables, err := readTables(sources)
	if err != nil {
		return nil, err
	}
	c, err := f.clockOf(tables)
	if err != nil {
		return nil, err
	}
	b, top, jobs := &bars{}, 0.0, 0
	for i := range tables[0] {
		r := &tables[0][i]
		if r.Start == nil || r.End == nil || *r.End <= c.from || *r.Start >= c.to {
			continue
		}
		jobs++
		for part := range strings.FieldsSeq(r.NodeList) {
			first, last, _ := strings.Cut(part, "-")
			if last == "" {
				last = first
			}
			low, bad := strconv.ParseFloat(first, 64)
			high, worse := strconv.ParseFloat(last, 64)
			if bad != nil || worse != nil {
				return nil, fmt.Errorf("%s: job %s has the node_list %q, which is no list such as 0-3 5", sources[0],
					r.ID, r.NodeList)
			}
			b.boxes = append(b.boxes, [4]float64{
				max(*r.Start, c.from) / c.unit, min(*r.End, c.to) / c.unit,
				low - 0.5, high + 0.5,
			})
			b.colours = append(b.colours, figureColours[jobs%len(figureColours)])
			top = max(top, high)
		}
	}
	switch {
	case len(b.boxes) == 0:
		return nil, fmt.Errorf("%s has no job with a node_list in this time: choose another --from and --to",
			sources[0])
	case len(b.boxes) > maxBars:
		return nil,
			fmt.Errorf(
				"%s has %s bars in this time, and a chart of more than %s cannot be read: choose less with --from and --to", sources[0], console.Grouped(int64(len(b.boxes))), console.Grouped(maxBars),
			)
	}
	f.logX, f.logY = false, false
	d := f.newFigure(c.name, "node")
	d.Add(b)
	d.X.Min, d.X.Max, d.Y.Min, d.Y.Max = c.from/c.unit, c.to/c.unit, -0.5, top+0.5
	d.summary = fmt.Sprintf("%s in %s", system.Count(float64(jobs), "job"), system.Count(float64(len(b.boxes)), "bar"))
	return d, nil
}
