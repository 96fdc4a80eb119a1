// Package figure is parley figure: it draws the jobs of runs and the tables of sweeps for
// print.
package figure

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"

	"parley/core/escape"
	"parley/tools/parley/console"
)

// figureFlags are the flags of a figure.
type figureFlags struct {
	out           string
	metric, x     string
	logX, logY    bool
	title         string
	width, height float64 // cm
	from, to      console.Span
}

// figureKinds are the kinds of figures, each with a description and its function.
var figureKinds = []struct {
	name, about string
	of          func(*figureFlags, []string) (*figure, error)
}{
	{
		"line",
		"a metric of a sweep over a numeric axis, a line for each value of the other axes, or over another metric (--x), a line for each value of the axes of words, with 95 % intervals; SOURCE is a folder of parley sweep --out or its table.json", (*figureFlags).line,
	},
	{"cdf", "the share of jobs at or below a value of --metric, a line for each table", (*figureFlags).cdf},
	{"box", "median, quartiles and outliers of --metric, a box for each table", (*figureFlags).box},
	{"utilisation", "busy processors over time, a line for each table", (*figureFlags).utilisation},
	{"gantt", "which job holds which node, over time, of one table", (*figureFlags).gantt},
}

// Command returns parley figure.
func Command(c *console.Console) *cobra.Command {
	var f figureFlags
	var kinds strings.Builder
	for _, k := range figureKinds {
		fmt.Fprintf(&kinds, "\n  %-12s %s", k.name, k.about)
	}
	cmd := &cobra.Command{
		Use:   "figure KIND SOURCE… --out FILE",
		Short: "Draw stored results as a figure for print",
		Long: `Draws results that are stored: nothing is played. The ending of FILE chooses the form: .svg, .pdf, or .tex for a PGF picture that LaTeX sets in the fonts of the paper. Except for line, a SOURCE is a jobs.csv that parley run --out wrote, or its folder.

The kinds are:` + kinds.String(),
		Example: `  parley run KTH-SP2.swf --set settings.policy=fcfs --out fcfs && parley run KTH-SP2.swf --set settings.policy=easy --out easy && parley figure cdf fcfs easy --metric wait_s --log-x --out wait.pdf`,
		Args:    console.Args(2, -1, "a KIND and one SOURCE or more"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			var names []string
			for _, k := range figureKinds {
				if names = append(names, k.name); k.name != args[0] {
					continue
				}
				drawn, err := k.of(&f, args[1:])
				if err != nil {
					return err
				}
				if err := f.write(drawn); err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.Out, "%s: %s\n", f.out, drawn.summary)
				return err
			}
			return console.NewUsageError(fmt.Errorf("there is no figure of the kind %q: choose one of %s", args[0],
				strings.Join(names, ", ")))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "the file of the figure: .svg, .pdf or .tex")
	flags.StringVar(&f.metric, "metric", "",
		"what is drawn: a metric of the sweep, or a column of jobs.csv (default bounded_slowdown)")
	flags.StringVar(&f.x, "x", "",
		"the axis or the metric of the sweep that goes across (default the last axis of numbers)")
	flags.BoolVar(&f.logX, "log-x", false, "a logarithmic axis across")
	flags.BoolVar(&f.logY, "log-y", false, "a logarithmic axis up")
	flags.StringVar(&f.title, "title", "", "a title above the figure")
	flags.Float64Var(&f.width, "width", 12, "width in cm")
	flags.Float64Var(&f.height, "height", 8, "height in cm")
	flags.Var(&f.from, "from", "start of the time axis of utilisation and gantt, such as 7d")
	flags.Var(&f.to, "to", "end of the time axis")
	return cmd
}

func (f *figureFlags) check() error {
	switch ext := filepath.Ext(f.out); {
	case f.out == "":
		return console.NewUsageError(errors.New("figure needs --out FILE, whose ending .svg, .pdf or .tex chooses the form"))
	case ext != ".svg" && ext != ".pdf" && ext != ".tex":
		return console.NewUsageError(fmt.Errorf("--out is %q: its ending chooses the form, so let it be .svg, .pdf or .tex",
			f.out))
	case !(f.width >= 3 && f.width <= 100) || !(f.height >= 3 && f.height <= 100):
		return console.NewUsageError(fmt.Errorf("--width is %v and --height %v: choose 3 to 100 cm each", f.width, f.height))
	case f.to > 0 && f.to <= f.from:
		return console.NewUsageError(fmt.Errorf("--to is %v: choose a time after --from, %v", &f.to, &f.from))
	}
	return nil
}

// figure is a plot with its heading and legend.
type figure struct {
	*plot.Plot
	entries []entry             // of the legend
	spell   func(string) string // see figureFlags.text
	summary string              // for the terminal
}

// entry is a line of the legend.
type entry struct {
	name  string
	thumb plot.Thumbnailer
}

// The colours of series, which can be distinguished in the common forms of colour blindness (Okabe
// and Ito, 2008), and the dashes that distinguish them in black and white.
var (
	figureColours = []color.RGBA{
		{0, 114, 178, 255},
		{213, 94, 0, 255},
		{0, 158, 115, 255},
		{204, 121, 167, 255},
		{230, 159, 0, 255},
		{86, 180, 233, 255},
		{138, 109, 0, 255},
		{119, 119, 119, 255},
	}
	figureDashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {4, 2}, {1, 3}, {10, 4}, {5, 2, 1, 2}}
)

// seriesStyle returns the colour, width and dashes of the i-th series.
func seriesStyle(i int) draw.LineStyle {
	return draw.LineStyle{
		Color: figureColours[i%len(figureColours)], Width: vg.Points(1.2),
		Dashes: figureDashes[i%len(figureDashes)],
	}
}

// newFigure returns an empty figure with labels for its axes. For a logarithmic axis it sets the ticks only: the
// caller draws logarithms.
func (f *figureFlags) newFigure(x, y string) *figure {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.text(f.title), f.text(x), f.text(y)
	p.X.Tick.Marker, p.Y.Tick.Marker = evenTicks{}, evenTicks{}
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label,
	} {
		style.Font.Variant = "Sans"
	}
	for _, style := range []*text.Style{&p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Size = 9
	}
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = 10, 10
	p.X.Padding, p.Y.Padding = vg.Points(2), vg.Points(2)
	if f.logX {
		p.X.Tick.Marker = powerTicks{filepath.Ext(f.out)}
	}
	if f.logY {
		p.Y.Tick.Marker = powerTicks{filepath.Ext(f.out)}
	}
	return &figure{Plot: p, spell: f.text}
}

// inTeX reports whether LaTeX sets the figure.
func (f *figureFlags) inTeX() bool { return filepath.Ext(f.out) == ".tex" }

// text escapes a text for the format of the figure: LaTeX gives some characters a meaning.
func (f *figureFlags) text(s string) string {
	if !f.inTeX() {
		return escape.Line(s)
	}
	return escape.TeX(s)
}

// evenTicks puts four to eight ticks at round numbers.
type evenTicks struct{}

// Ticks implements plot.Ticker: four to eight ticks at round numbers; none if low is not below high.
func (evenTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, more := range []float64{2, 2.5, 2} {
		if (high-low)/step > 8 {
			step *= more
		}
	}
	if !(step > 0) {
		return nil
	}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label64(k * step)})
	}
	return ticks
}

// label64 spells the number of a tick; minus zero is zero.
func label64(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// powerTicks labels the powers of ten of a logarithmic axis, on which logarithms are drawn.
type powerTicks struct{ form string } // the ending of the figure's file

// Ticks implements plot.Ticker: a labelled tick for each power of ten, and one without a label for each of its
// multiples up to nine, within the axis.
func (t powerTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for k := int(math.Floor(low)); k <= int(math.Ceil(high)); k++ {
		label := "10" + superscript.Replace(strconv.Itoa(k))
		switch {
		case k >= 0 && k <= 3:
			label = strconv.Itoa(int(math.Pow(10, float64(k))))
		case t.form == ".tex":
			label = fmt.Sprintf("$10^{%d}$", k)
		case t.form == ".pdf": // its fonts have no raised digits
			label = fmt.Sprintf("1e%d", k)
		}
		ticks = append(ticks, plot.Tick{Value: float64(k), Label: label})
		for m := 2.0; m < 10; m++ {
			ticks = append(ticks, plot.Tick{Value: float64(k) + math.Log10(m)})
		}
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < low-1e-9 || t.Value > high+1e-9 })
}

var superscript = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7",
	"⁷", "8", "⁸", "9", "⁹", "-", "⁻")

// write draws a figure into the file of --out. The legend is above the plot, in rows, so that it touches no line.
func (f *figureFlags) write(drawn *figure) error {
	w, h := vg.Length(f.width)*vg.Centimeter, vg.Length(f.height)*vg.Centimeter
	var canvas vg.CanvasWriterTo
	switch filepath.Ext(f.out) {
	case ".svg":
		canvas = vgsvg.New(w, h)
	case ".pdf":
		pdf := vgpdf.New(w, h)
		pdf.EmbedFonts(true)
		canvas = western{pdf}
	default:
		canvas = vgtex.New(w, h)
	}
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	page = draw.Crop(page, vg.Points(4), -vg.Points(8), vg.Points(4), -vg.Points(4))
	drawn.Draw(draw.Crop(page, 0, 0, 0, -drawn.legend(page)))
	out, err := os.Create(f.out)
	if err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(f.out, err))
	}
	_, err = canvas.WriteTo(io.Writer(out))
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(f.out, err))
	}
	return nil
}

// western is a PDF whose texts are in the encoding of its fonts, Windows' code page 1252.
// A letter that this does not have is drawn as a question mark.
type western struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas.
func (w western) FillString(f font.Face, at vg.Point, text string) {
	w.Canvas.FillString(f, at, encoded(text))
}

// encoded returns a text in code page 1252, as far as that agrees with Unicode.
func encoded(text string) string {
	var b []byte
	for _, r := range text {
		if r >= 0x100 || r >= 0x80 && r < 0xa0 {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return string(b)
}

// legend draws the entries at the top of a page, in rows, and returns the height that they take; 0 for fewer
// than two.
func (d *figure) legend(page draw.Canvas) vg.Length {
	if len(d.entries) < 2 {
		return 0
	}
	gap, x, y := vg.Points(18), page.Min.X, page.Max.Y
	row := vg.Length(0)
	for _, e := range d.entries {
		one := plot.NewLegend()
		one.Left, one.Top = true, true
		one.TextStyle.Font.Variant, one.TextStyle.Font.Size = "Sans", 10
		one.Add(" "+d.spell(e.name), e.thumb)
		size := one.Rectangle(page).Size()
		size.X *= 1.15 // another font, if a viewer has not ours, may be wider
		if x > page.Min.X && x+size.X > page.Max.X {
			x, y = page.Min.X, y-row-vg.Points(2)
		}
		row = size.Y
		one.Draw(draw.Canvas{
			Canvas:    page.Canvas,
			Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - size.Y}, Max: vg.Point{X: x + size.X, Y: y}},
		})
		x += size.X + gap
	}
	return page.Max.Y - y + row + vg.Points(6)
}
