package sweeps_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"parley/core/study"
	"parley/tools/parley/sweeps"
)

// tabled is a table of two axes with a figure that is twice the nodes and one that only
// some runs have; texts of it try to be markup.
func tabled(t *testing.T) (*study.Study, *study.Table) {
	t.Helper()
	s, err := study.Parse([]byte(`{"v":1,"name":"a <b>","base":{"v":1,"system":"central"},"axes":{"name":["<i>","&"],"cluster.nodes":[50,100,200]},
		"seeds":[1,2,3],"compare":{"axis":"name"},"metrics":["twice","seldom"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	have := study.NewResults("0.1.0")
	q := study.NewQueue(s, have, study.Shard{Of: 1})
	for n := 0; ; n++ {
		r, ok, err := q.Take()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		x := study.Result{ID: r.ID, Engine: "0.1.0", Digest: r.ID[:16], Figures: map[string]float64{"twice": float64(2*r.Scenario.Cluster.Nodes) + float64(r.Seed)}}
		if n < 1 {
			x.Figures["seldom"] = 5
		}
		if err := have.Add(x, "memory"); err != nil {
			t.Fatal(err)
		}
	}
	tab, err := s.Tabulate(have)
	if err != nil {
		t.Fatal(err)
	}
	return s, tab
}

// CSV and Parquet hold the numbers of the table, read back by other readers.
func TestTablesReadBack(t *testing.T) {
	_, tab := tabled(t)
	records, err := csv.NewReader(bytes.NewReader(tab.CSV())).ReadAll()
	if err != nil || len(records) != 1+len(tab.Rows) {
		t.Fatalf("%v: %d rows", err, len(records))
	}
	for i, r := range tab.Rows {
		f, _ := study.Find(r.Figures, "twice")
		if got, err := strconv.ParseFloat(records[i+1][3], 64); err != nil || got != f.Mean {
			t.Errorf("row %d has %v, not %v", i, records[i+1], f.Mean)
		}
	}
	text, err := sweeps.Parquet(tab)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name       string   `parquet:"axis name"`
		Nodes      string   `parquet:"axis cluster.nodes"`
		Figure     string   `parquet:"figure"`
		N          int64    `parquet:"n"`
		Mean       float64  `parquet:"mean"`
		High       *float64 `parquet:"high,optional"`
		Difference *float64 `parquet:"difference,optional"`
	}
	got, err := parquet.Read[row](bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, r := range tab.Rows {
		for _, f := range r.Figures {
			g := got[at]
			if at++; g.Name != r.At[0].Text() || g.Nodes != r.At[1].Text() || g.Figure != f.Name || g.N != int64(f.N) || g.Mean != f.Mean || (g.High == nil) != (f.Interval == nil) || g.High != nil && *g.High != f.High {
				t.Errorf("Parquet has %+v, the table %v %+v", g, r.At, f)
			}
			if d, has := study.Find(r.Differences, f.Name); has != (g.Difference != nil) || has && d.Mean != *g.Difference {
				t.Errorf("Parquet has %+v, the table's difference is %+v", g, d)
			}
		}
	}
	if at != len(got) || at == 0 {
		t.Errorf("%d rows, not %d", len(got), at)
	}
}

// Pictures are well-formed, show every mean, and keep markup of a sweep's texts out; the
// report needs no other file.
func TestPicturesAndReport(t *testing.T) {
	s, tab := tabled(t)
	dir := t.TempDir()
	report := sweeps.Report{Sweep: s, Table: tab, Command: "parley sweep a.json"}
	if err := report.Write(dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, shapes := range map[string]int{"multiples.svg": strings.Count(read("multiples.svg"), "<circle "), "heatmap.svg": strings.Count(read("heatmap.svg"), "<title>")} {
		d := xml.NewDecoder(strings.NewReader(read(name)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if shapes != 8 { // six means of one figure, two of the other: a name makes no other run
			t.Errorf("%s shows %d means, not 8", name, shapes)
		}
	}
	page := read("report.html")
	for _, banned := range []string{"<i>", "<b>", "src=", "href=", "<script", "url("} {
		if strings.Contains(page, banned) {
			t.Errorf("the report holds %s", banned)
		}
	}
	for _, wanted := range []string{"parley sweep a.json", "a &lt;b&gt;", "0.1.0", "Student"} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the report does not hold %s", wanted)
		}
	}
}
