package sweeps

import (
	"bytes"
	"fmt"
	"html/template"
	"path/filepath"
	"runtime"
	"strconv"

	"parley/core/study"
)

// Report has the content of the folder's page.
type Report struct {
	Sweep   *study.Study
	Table   *study.Table
	Command string // that repeats it
	Files   []string
}

// Write writes table, pictures and report into a folder, each file as a whole.
func (r Report) Write(dir string) error {
	document, err := r.Table.Encode()
	if err != nil {
		return err
	}
	columns, err := Parquet(r.Table)
	if err != nil {
		return err
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{"table.json", document},
		{"table.csv", r.Table.CSV()},
		{"table.parquet", columns},
		{"multiples.svg", Multiples(r.Table)},
		{"heatmap.svg", HeatMap(r.Table)},
		{"report.html", page},
	} {
		if file.content == nil {
			continue // no second axis
		}
		if err := Replace(filepath.Join(dir, file.name), file.content); err != nil {
			return err
		}
	}
	return nil
}

// HTML returns the report as one page that needs no other file.
func (r Report) HTML() ([]byte, error) {
	var out bytes.Buffer
	err := reportPage.Execute(&out, map[string]any{
		"R": r, "Go": runtime.Version(), "Document": string(r.Sweep.Encode()), "Cells": rows(r.Table),
		// built by this program, with foreign text escaped
		"Multiples": template.HTML(Multiples(r.Table)), "HeatMap": template.HTML(HeatMap(r.Table)),
	})
	return out.Bytes(), err
}

// Cells returns the table as texts: a row a cell of the sweep, with a figure and its difference in
// turn.
func (r Report) Cells() [][]string { return rows(r.Table) }

// rows returns the table's cells as texts.
func rows(t *study.Table) (out [][]string) {
	for _, r := range t.Rows {
		var cells []string
		for _, v := range r.At {
			cells = append(cells, v.Text())
		}
		cells = append(cells, strconv.Itoa(r.N))
		for _, m := range t.Metrics {
			cells = append(cells, interval(r.Figures, m), interval(r.Differences, m))
		}
		out = append(out, cells)
	}
	return out
}

func interval(list []study.Figure, name string) string {
	f, has := study.Find(list, name)
	switch {
	case !has:
		return ""
	case f.Interval == nil:
		return short(f.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", short(f.Mean), short(f.Low), short(f.High))
}

var reportPage = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{with .R.Sweep.Name}}{{.}}{{else}}Sweep{{end}}</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#111;background:#fff}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}th{text-align:left}
pre{background:#f4f4f4;padding:.8rem;overflow-x:auto}svg{max-width:100%;height:auto}
</style>
<h1>{{with .R.Sweep.Name}}{{.}}{{else}}Sweep{{end}}</h1>
<p>{{.R.Table.Done}} of {{.R.Table.Runs}} runs.{{range .R.Table.Notes}} {{.}}.{{end}}</p>
<h2>Results</h2>
<div class="wide"><table><thead><tr>{{range .R.Table.Axes}}<th scope="col">{{.}}</th>{{end}}<th scope="col">n</th>
{{range .R.Table.Metrics}}<th scope="col">{{.}}</th><th scope="col">difference</th>{{end}}</tr></thead>
<tbody>{{range .Cells}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{.Multiples}}
{{with .HeatMap}}{{.}}{{end}}
<h2>Method</h2>
<p>Each row is a variant of one scenario, played with n seeds. A figure is the mean over the seeds and, in brackets, the 95 % interval of the mean by
Student's t (n − 1 degrees of freedom).{{with .R.Sweep.Compare}} Differences are to {{.Axis}} = {{printf "%s" .With}}, seed by seed: two runs with one seed play the
same workload.{{end}}{{with .R.Sweep.Search}} The {{.Find}} {{.Axis}} with which a run keeps all limits was searched seed by seed by bisection, which takes it that what fits
goes up to one limit.{{end}}{{with .R.Sweep.Stop}}{{if .Difference}} Seeds were played until the
interval of the difference of {{.Metric}} was clear of zero{{if .Half}} or reached ± {{.Half}} at most{{end}}, or none was left. It was looked at after {{.Least}} seeds, twice as
many, and so on; intervals of differences hold at all looks together with 95 % (Bonferroni), so that ending the runs by one leaves it its confidence.{{else}} Seeds were played until the interval of {{.Metric}} reached ± {{.Half}} at most, or none was left. It was looked
at after {{.Least}} seeds, twice as many, and so on; intervals of means hold at all looks together with 95 % (Bonferroni), so that ending the runs by one leaves it its confidence.{{end}}{{end}} No correction is made for looking at many figures at once.</p>
<h2>Versions</h2>
<p>Engine {{.R.Table.Engine}}, built with {{.Go}}. The same scenario and seed give the same digest on every platform; results.jsonl has the digest of each run.</p>
{{if .R.Files}}<ul>{{range .R.Files}}<li>{{.}}</li>{{end}}</ul>{{end}}
<h2>Again</h2>
<pre>{{.R.Command}}</pre>
<p>with this sweep:</p>
<pre>{{.Document}}</pre>
</html>
`))
