package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/core/estimate"
	"parley/core/strict"
	"parley/core/system"
	"parley/tools/parley/console"
)

// storedTable is the table.json of a sweep.
type storedTable struct {
	Axes    []string                     `json:"axes"`
	Metrics []string                     `json:"metrics"`
	Rows    []map[string]json.RawMessage `json:"rows"`
}

func readTable(name string) (*storedTable, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "table.json")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, console.Unreadable(name, err)
	}
	var t storedTable
	if err := strict.Unmarshal(text, &t); err != nil || len(t.Axes) == 0 || len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s is no table of a sweep: give the folder of parley sweep --out, or its table.json",
			name)
	}
	return &t, nil
}

// point is a figure of a cell of a sweep.
type point struct {
	x float64
	estimate.Estimate
}

// line draws a metric of a sweep over one of its axes, or over another metric: then the axes of
// numbers vary along a line.
func (f *figureFlags) line(sources []string) (*figure, error) {
	if len(sources) != 1 {
		return nil, console.NewUsageError(fmt.Errorf("line draws one sweep, and %d are given: give one", len(sources)))
	}
	t, err := readTable(sources[0])
	if err != nil {
		return nil, err
	}
	if f.metric == "" {
		f.metric = t.Metrics[0]
	}
	if !slices.Contains(t.Metrics, f.metric) {
		return nil, console.NewUsageError(fmt.Errorf("--metric is %q: the sweep has %s", f.metric,
			strings.Join(t.Metrics, ", ")))
	}
	if f.x == "" {
		for _, axis := range t.Axes {
			if _, numeric := number64(t.Rows[0][axis]); numeric {
				f.x = axis
			}
		}
	}
	over := slices.Contains(t.Metrics, f.x)
	if !over && !slices.Contains(t.Axes, f.x) {
		return nil,
			console.NewUsageError(
				fmt.Errorf(
					"--x is %q: the sweep has the axes %s and the metrics %s; the one that goes across must be of numbers", f.x, strings.Join(t.Axes, ", "), strings.Join(t.Metrics, ", "),
				),
			)
	}
	var order []string
	series := map[string][]point{}
	for _, row := range t.Rows {
		x, numeric := number64(row[f.x])
		if over {
			var across estimate.Estimate
			if json.Unmarshal(row[f.x], &across) != nil {
				continue // the cell has no such figure
			}
			x = across.Mean
		} else if !numeric {
			return nil, console.NewUsageError(fmt.Errorf("--x is %q: its value %s is no number", f.x, row[f.x]))
		}
		var name []string
		for _, axis := range t.Axes {
			if _, varies := number64(row[axis]); axis != f.x && !(over && varies) {
				name = append(name, strings.Trim(string(row[axis]), `"`))
			}
		}
		p := point{x: x}
		if json.Unmarshal(row[f.metric], &p.Estimate) != nil {
			continue // the cell has no such figure
		}
		label := strings.Join(name, ", ")
		if series[label] == nil {
			order = append(order, label)
		}
		series[label] = append(series[label], p)
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("%s has no value of %s", sources[0], f.metric)
	}
	return f.drawLines(order, series)
}

// drawLines draws series, in this order of their labels, with their intervals. It sorts the points by x.
func (f *figureFlags) drawLines(order []string, series map[string][]point) (*figure, error) {
	d := f.newFigure(axisName(f.x), axisName(f.metric))
	intervals := 0
	for i, label := range order {
		points := series[label]
		slices.SortFunc(points, func(a, b point) int { return int(max(-1, min(1, (a.x-b.x)*1e9))) })
		data := &withErrors{}
		for _, p := range points {
			if f.logX && p.x <= 0 || f.logY && p.Mean <= 0 {
				return nil,
					console.NewUsageError(
						fmt.Errorf(
							"the point %v, %v of %s has no place on a logarithmic axis: leave --log-x or --log-y out",
							p.x, p.Mean, label,
						),
					)
			}
			x, y := scaled(p.x, f.logX), scaled(p.Mean, f.logY)
			low, high := 0.0, 0.0
			if p.Interval != nil {
				low, high = y-scaled(max(p.Low, p.Mean/10), f.logY), scaled(p.High, f.logY)-y
				if !f.logY { // on a logarithmic axis an interval that reaches 0 is cut at a tenth of the mean
					low = p.Mean - p.Low
				}
				intervals++
			}
			data.XYs = append(data.XYs, plotter.XY{X: x, Y: y})
			data.YErrors = append(data.YErrors, struct{ Low, High float64 }{low, high})
		}
		line, err := plotter.NewLine(data.XYs)
		if err != nil {
			return nil, err
		}
		dots, err := plotter.NewScatter(data.XYs)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(data)
		if err != nil {
			return nil, err
		}
		line.LineStyle = seriesStyle(i)
		dots.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}
		bars.LineStyle = draw.LineStyle{Color: line.Color, Width: vg.Points(0.8)}
		d.Add(bars, line, dots)
		d.entries = append(d.entries, entry{label, line})
	}
	d.summary = system.Count(float64(len(order)), "line") + ", " + system.Count(float64(intervals), "point") +
		" with a 95 % interval"
	return d, nil
}

// scaled returns a number, or its logarithm on a logarithmic axis.
func scaled(x float64, logarithmic bool) float64 {
	if logarithmic {
		return math.Log10(x)
	}
	return x
}

// withErrors are points with the lengths of their intervals.
type withErrors struct {
	plotter.XYs
	plotter.YErrors
}

// number64 reads a number of a table.
func number64(raw json.RawMessage) (float64, bool) {
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil
}

// axisName spells the path of a field for people, with the unit that it ends in: jobs.wait_s becomes "wait [s]".
func axisName(path string) string {
	var words []string
	unit := ""
	for part := range strings.SplitSeq(path, ".") {
		if part == "jobs" || part == "settings" || part == "workload" {
			continue
		}
		for suffix, name := range map[string]string{"_s": "s", "_pct": "%", "_min": "min"} {
			if rest, is := strings.CutSuffix(part, suffix); is {
				part, unit = rest, " ["+name+"]"
			}
		}
		words = append(words, strings.ReplaceAll(part, "_", " "))
	}
	return strings.Join(words, ", ") + unit
}
