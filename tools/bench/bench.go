package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"parley/tools/bench/measure"
	"parley/tools/parley/console"
	"parley/tools/parley/memory"
)

// benched is the document of bench --json.
type benched struct {
	Name    string     `json:"name"`
	Machine string     `json:"machine"`
	Rows    []benchRow `json:"rows"`
	Aims    []aimRow   `json:"aims"`
	Notes   []string   `json:"notes"` // figures that could not be measured here, and the reason
}

// benchRow is a figure: the median of several runs, and their range.
type benchRow struct {
	Figure string  `json:"figure"`
	Host   string  `json:"host"` // native, Node, Chromium, or a peer
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Runs   int     `json:"runs"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func command(c *console.Console) *cobra.Command {
	runs, native, asJSON, keep := 5, false, false, false
	names := make([]string, len(benchmarks))
	for i, b := range benchmarks {
		names[i] = b.name
	}
	cmd := &cobra.Command{
		Use:   "bench [NAME]",
		Short: "Measure the figures of docs/speed.md on this machine",
		Long: "Measures one of the figures, or all of them: " + strings.Join(names, ", ") +
			".\n\nEach value is the median of several runs on one core; of board, a figure that takes long is measured less often, and its row says how often. What runs as WebAssembly is built from the checkout and needs the go command, Node and Chromium; without them those rows are left out with a note.",
		Example: "  go run ./tools/bench kernel --native --runs 1",
		Args:    console.Args(0, 1, "one NAME at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			if runs < 1 {
				return console.NewUsageError(fmt.Errorf("--runs is %d: choose at least 1", runs))
			}
			chosen := benchmarks
			if len(args) == 1 {
				i := slices.Index(names, args[0])
				if i < 0 {
					return console.NewUsageError(fmt.Errorf("there is no benchmark %q: choose one of %s",
						args[0], strings.Join(names, ", ")))
				}
				chosen = benchmarks[i : i+1]
			}
			m := &measurer{console: c, runs: runs, native: native}
			defer m.close()
			documents, err := m.all(chosen, asJSON)
			if err == nil && keep {
				err = record(".", documents)
			}
			switch {
			case err != nil || !asJSON:
				return err
			case len(args) == 1:
				return console.PrintJSON(c.Out, documents[0])
			}
			return console.PrintJSON(c.Out, documents)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&runs, "runs", runs, "how often each figure is measured")
	flags.BoolVar(&native, "native", false, "leave out what runs as WebAssembly")
	flags.BoolVar(&keep, "record", false, "write the tables of docs/speed.md from these figures, and docs/speed.json")
	flags.BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return cmd
}

// measurer runs benchmarks. It builds for WebAssembly once.
type measurer struct {
	console *console.Console
	runs    int
	native  bool
	dir     string // of the WebAssembly build; "" before it
	failed  error  // why there is none
}

// all measures benchmarks. It prints each figure at once, unless the caller will print a document.
func (m *measurer) all(chosen []benchmark, quiet bool) (documents []benched, err error) {
	for _, b := range chosen {
		line := console.NewBar(m.console)
		show := func(benchRow) {}
		if !quiet {
			fmt.Fprintf(m.console.Out, "%s: %s (%s)\n", b.name, b.about, machine())
			width := m.width(b)
			show = func(r benchRow) {
				line.Clear()
				printRow(m.console.Out, width, r)
			}
		}
		d, err := m.measure(b, line, show)
		line.Clear()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
		documents = append(documents, d)
		if quiet {
			continue
		}
		for i := range d.Aims {
			fmt.Fprintf(m.console.Out, "  %s\n", &d.Aims[i])
		}
		for _, note := range d.Notes {
			fmt.Fprintf(m.console.Out, "  %s\n", note)
		}
		fmt.Fprintln(m.console.Out)
	}
	return documents, nil
}

// measure measures a benchmark. Each row is shown as soon as it is known.
func (m *measurer) measure(b benchmark, line *console.Bar, show func(benchRow)) (d benched, err error) {
	defer func() { d.Aims = b.aimed(d.Rows) }()
	d = benched{Name: b.name, Machine: machine(), Rows: []benchRow{}, Notes: []string{}}
	add := func(rows []benchRow) {
		d.Rows = append(d.Rows, rows...)
		for _, r := range rows {
			show(r)
		}
	}
	groups := [][]string{b.of}
	if b.apart {
		groups = nil
		for _, name := range b.of {
			groups = append(groups, []string{name})
		}
	}
	for _, names := range groups {
		here, err := m.inTurn(b, names, line)
		if err != nil {
			return d, err
		}
		for i, name := range names {
			add(b.rows(name, nativeHost, here[i]))
			for _, h := range m.web(b, name) {
				line.Show("%s: %s %s", b.name, name, h.name)
				all, err := h.measure(name, len(here[i]))
				if err != nil {
					d.Notes = append(d.Notes, fmt.Sprintf("%s %s was not measured: %v", name, h.name, err))
					continue
				}
				add(b.rows(name, h.name, all))
			}
		}
	}
	if b.simgrid {
		line.Show("%s: the same plan in SimGrid", b.name)
		rows, err := m.simgrid()
		if err != nil {
			d.Notes = append(d.Notes, fmt.Sprintf("the ratio to SimGrid was not measured: %v", err))
		}
		add(rows)
	}
	if b.trips {
		for _, p := range idleProcesses {
			line.Show("%s: moments, %s", b.name, p.name)
			row, err := m.trips(p)
			if err != nil {
				d.Notes = append(d.Notes, fmt.Sprintf("moments, %s, were not measured: %v", p.name, err))
				continue
			}
			add([]benchRow{row})
		}
	}
	if b.glpk {
		line.Show("%s: the small set with GLPK", b.name)
		rows, err := m.glpk()
		if err != nil {
			d.Notes = append(d.Notes, fmt.Sprintf("the ratio to GLPK was not measured: %v", err))
		}
		add(rows)
	}
	return d, nil
}

// web returns where a measurement is also taken as WebAssembly.
func (m *measurer) web(b benchmark, name string) []host {
	switch {
	case m.native, b.here == name:
		return nil
	case b.wasm:
		return []host{{"Node", m.node}, {"Chromium", m.chromium}}
	case b.tab == name:
		return []host{{"Chromium", m.chromium}}
	}
	return nil
}

// sample is the result of one run of a measurement.
type sample struct {
	Value  float64 `json:"value"`
	Memory float64 `json:"memory_mb"`
	Beside float64 `json:"beside,omitempty"` // see Measurement.Beside
}

// host is a place outside this process that can take measurements.
type host struct {
	name    string
	measure func(name string, runs int) ([]sample, error)
}

// inTurn takes one sample of each measurement in turn, several times, so that other load on the
// machine affects all of them equally. It returns the samples of each.
func (m *measurer) inTurn(b benchmark, names []string, line *console.Bar) ([][]sample, error) {
	all := make([][]sample, len(names))
	began := m.console.Now()
	for done := 0; done < m.runs && (done == 0 || !b.apart || m.console.Now().Sub(began) < enough); done++ {
		for i, name := range names {
			line.Show("%s: %s native", b.name, name)
			one, err := m.here(name)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], one)
		}
	}
	return all, nil
}

// here measures in this process, on one core.
func (m *measurer) here(name string) (sample, error) {
	measurement, ok := measure.Find(name)
	if !ok {
		return sample{}, fmt.Errorf("there is no measurement %q", name)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	memory.ForgetPeak()
	one := sample{}
	var err error
	one.Value, one.Beside, err = measurement.Take(m.console.Now)
	one.Memory = memory.PeakMB()
	return one, err
}

// rows sums up the runs of one measurement.
func (b benchmark) rows(name, host string, all []sample) []benchRow {
	measurement, _ := measure.Find(name)
	value := func(of func(sample) float64, suffix, unit string) benchRow {
		values := make([]sample, len(all))
		for i, s := range all {
			values[i].Value = of(s)
		}
		return summed(name+suffix, host, unit, values)
	}
	rows := []benchRow{value(func(s sample) float64 { return s.Value }, "", measurement.Unit)}
	if measurement.Beside != "" {
		rows = append(rows, value(func(s sample) float64 { return s.Beside }, ", "+measurement.Beside, ""))
	}
	var nodes float64
	if _, err := fmt.Sscanf(name, "%f nodes", &nodes); b.perNode && err == nil {
		rows = append(rows, value(func(s sample) float64 { return 60 / s.Value / nodes * 1e9 }, ", a node and minute",
			"ns"))
	}
	if b.memory {
		rows = append(rows, value(func(s sample) float64 { return s.Memory }, ", memory", "MB"))
	}
	return rows
}

// summed is a row of the values of samples.
func summed(figure, host, unit string, all []sample) benchRow {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = s.Value
	}
	slices.Sort(values)
	return benchRow{
		Figure: figure, Host: host, Value: values[len(values)/2], Unit: unit, Runs: len(values), Min: values[0],
		Max: values[len(values)-1],
	}
}

// width returns the maximum length of the names of a benchmark's rows.
func (m *measurer) width(b benchmark) (longest int) {
	for _, name := range b.of {
		hosts := append(m.web(b, name), host{name: nativeHost})
		for _, h := range hosts {
			for _, r := range b.rows(name, h.name, []sample{{Value: 1}}) {
				longest = max(longest, utf8.RuneCountInString(r.name()))
			}
		}
	}
	return longest
}

func (r *benchRow) name() string { return r.Figure + " " + r.Host }

// printRow writes a row under others that are not known yet, in columns of fixed width.
func printRow(w io.Writer, width int, r benchRow) {
	spread := fmt.Sprintf("%s … %s in %d runs", console.Number(r.Min), console.Number(r.Max), r.Runs)
	fmt.Fprintf(w, "  %-*s  %12s  %-12s  %s\n", width, r.name(), console.Number(r.Value), r.Unit, spread)
}

// machine names the processor, the operating system and Go's version.
func machine() string {
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(info))
		for lines.Scan() {
			if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}
