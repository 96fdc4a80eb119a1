package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/tools/parley/console"
)

// The page of figures, and the figures that its tables are made of.
const (
	speedPage    = "docs/speed.md"
	speedFigures = "docs/speed.json"
)

// aim is a figure that a benchmark should reach: of one measurement, or its ratio to another one of the same run.
type aim struct {
	about        string
	figure, over string // measurements; over "": the figure itself
	host         string
	limit        float64
	minimum      bool // the limit is a minimum, else a maximum
}

// aimRow is an aim with the measured value.
type aimRow struct {
	About string  `json:"about"`
	Host  string  `json:"host"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Min   bool    `json:"min"`
}

func (a *aimRow) met() bool {
	if a.Min {
		return a.Value >= a.Limit
	}
	return a.Value <= a.Limit
}

func (a *aimRow) String() string {
	bound, verdict := "at most", "missed"
	if a.Min {
		bound = "at least"
	}
	if a.met() {
		verdict = "met"
	}
	return fmt.Sprintf("aim: %s, %s: %s (%s %s: %s)", a.About, a.Host, short(a.Value), bound, short(a.Limit), verdict)
}

// aimed returns the aims of a benchmark, with the figures measured for them. An aim without a figure is left out.
func (b benchmark) aimed(rows []benchRow) []aimRow {
	value := func(figure, host string) float64 {
		i := slices.IndexFunc(rows, func(r benchRow) bool { return r.Figure == figure && r.Host == host })
		if i < 0 {
			return 0
		}
		return rows[i].Value
	}
	list := []aimRow{}
	for _, a := range b.aims {
		v := value(a.figure, a.host)
		if a.over != "" {
			over := value(a.over, a.host)
			if over == 0 {
				continue
			}
			v /= over
		}
		if v > 0 {
			list = append(list, aimRow{About: a.about, Host: a.host, Value: v, Limit: a.limit, Min: a.minimum})
		}
	}
	return list
}

// table writes the figures of a benchmark: a row for each figure, a column for each place where it was measured.
func (d *benched) table() string {
	var hosts, figures []string
	cells := map[[2]string]benchRow{}
	for _, r := range d.Rows {
		if !slices.Contains(hosts, r.Host) {
			hosts = append(hosts, r.Host)
		}
		if !slices.Contains(figures, r.Figure) {
			figures = append(figures, r.Figure)
		}
		cells[[2]string{r.Figure, r.Host}] = r
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| figure | unit | %s |\n|---|---|%s\n", strings.Join(hosts, " | "), strings.Repeat("---|", len(hosts)))
	for _, figure := range figures {
		unit, row := "", ""
		for _, host := range hosts {
			r, measured := cells[[2]string{figure, host}]
			if !measured {
				row += " |"
				continue
			}
			unit = r.Unit
			row += fmt.Sprintf(" %s |", r.cell())
		}
		fmt.Fprintf(&b, "| %s | %s |%s\n", figure, unit, row)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "\nNot measured: %s.\n", note)
	}
	return b.String()
}

// cell is the median of a row, with the fastest and the slowest run.
func (r *benchRow) cell() string {
	if short(r.Min) == short(r.Max) {
		return short(r.Value)
	}
	return fmt.Sprintf("%s (%s … %s)", short(r.Value), short(r.Min), short(r.Max))
}

// short writes a figure to three digits.
func short(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3g M", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3g k", x/1e3)
	case x >= 100:
		return console.Number(float64(int(x + 0.5)))
	}
	return fmt.Sprintf("%.3g", x)
}

// aims is the table of the aims of all benchmarks.
func aims(all []benched) string {
	var b strings.Builder
	b.WriteString("| aim | where | measured | limit | |\n|---|---|---|---|---|\n")
	for _, d := range all {
		for _, a := range d.Aims {
			bound, verdict := "at most ", "**missed**"
			if a.Min {
				bound = "at least "
			}
			if a.met() {
				verdict = "met"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", a.About, a.Host, short(a.Value), bound+short(a.Limit), verdict)
		}
	}
	return b.String()
}

// generated matches a table of the page between its two comments.
var generated = regexp.MustCompile(`(?s)(<!-- figures: make bench writes ([a-z]+) -->\n).*?(<!-- end of figures -->)`)

// filled returns the page with the tables of figures.
func filled(page string, all []benched) (string, error) {
	var unknown string
	page = generated.ReplaceAllStringFunc(page, func(part string) string {
		m := generated.FindStringSubmatch(part)
		if m[2] == "aims" {
			return m[1] + aims(all) + m[3]
		}
		i := slices.IndexFunc(all, func(d benched) bool { return d.Name == m[2] })
		if i < 0 {
			unknown = m[2]
			return part
		}
		return m[1] + fmt.Sprintf("On %s.\n\n", all[i].Machine) + all[i].table() + m[3]
	})
	if unknown != "" {
		return "", fmt.Errorf("%s has a table of %q, and there are no figures of it: run all benchmarks once", speedPage, unknown)
	}
	return page, nil
}

// record replaces the figures of the same benchmarks, and rewrites the page.
func record(root string, fresh []benched) error {
	all, err := recorded(root)
	if err != nil {
		return err
	}
	for _, d := range fresh {
		if i := slices.IndexFunc(all, func(o benched) bool { return o.Name == d.Name }); i >= 0 {
			all[i] = d
		} else {
			all = append(all, d)
		}
	}
	page, err := os.ReadFile(filepath.Join(root, speedPage))
	if err != nil {
		return fmt.Errorf("figures are recorded from the checkout's folder: %w", err)
	}
	text, err := filled(string(page), all)
	if err != nil {
		return err
	}
	document, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, speedFigures), append(document, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, speedPage), []byte(text), 0o644)
}

// recorded returns the figures recorded in the checkout.
func recorded(root string) (all []benched, err error) {
	document, err := os.ReadFile(filepath.Join(root, speedFigures))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(document, &all)
	}
	return all, err
}
