package table_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
)

// file returns content as a file of a trace, in gzip members of so many lines;
// 0: plain.
func file(name, content string, lines int) trace.File {
	stored := []byte(content)
	if lines > 0 {
		var b bytes.Buffer
		for part := range slices.Chunk(slices.Collect(strings.Lines(content)), lines) {
			z := gzip.NewWriter(&b)
			io.WriteString(z, strings.Join(part, ""))
			z.Close()
		}
		stored = b.Bytes()
	}
	return trace.File{Name: name, Size: int64(len(stored)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stored)), nil }}
}

// kinds has a column of each kind, and two tables that stand beside each other.
func kinds() []*table.Table {
	return []*table.Table{
		{Name: "jobs", Comma: ',', Columns: []table.Column{
			{Name: "time", Kind: table.Moment, Must: true},
			{Name: "length", Kind: table.Seconds, Limit: uint64(unit.Hour)},
			{Name: "state", Kind: table.Number, Limit: 3},
			{Name: "cpu", Kind: table.Share},
			{Name: "host", Kind: table.Text, Must: true, Word: true},
			{Name: "remark", Kind: table.Comment},
		}},
		{Name: "samples", Comma: ',', Rank: 1, Columns: []table.Column{
			{Name: "time", Kind: table.Moment, Must: true},
			{Name: "used", Kind: table.Real, Must: true},
			{Name: "tasks", Kind: table.Rounded, Must: true},
			{Name: "load", Kind: table.Share, Must: true},
		}},
	}
}

// format is what a format's file says beside its tables.
func format() trace.Format {
	return trace.Format{Name: "kinds", Title: "the kinds", Detect: func(h *trace.Head) trace.Match { return table.Detect(h, kinds()) }}
}

// read tells the rows of files in the order of time, then how it ended.
func read(files []trace.File, skip bool) string {
	var out strings.Builder
	o := trace.Options{SkipBadRows: skip}.WithDefaults()
	given, parts, err := table.Look(files, format(), kinds(), o)
	if err != nil {
		return err.Error() + "\n"
	}
	m := table.NewMerge(parts, trace.NewMeter(files, nil))
	for {
		p, err := m.Peek()
		if err == nil {
			fmt.Fprintf(&out, "%s %s", p.File.Name, p.Table.Name)
			for i := range p.Table.Columns {
				fmt.Fprintf(&out, " %d", p.Row.Int(i))
			}
			out.WriteString("\n")
			err = m.Advance()
		}
		if err == io.EOF {
			break
		} else if err != nil {
			out.WriteString(err.Error() + "\n")
			m.Close()
			break
		}
	}
	for _, r := range table.Reports(given) {
		fmt.Fprintf(&out, "%s: %s, %d rows, %v to %v s, %d bad %v %q\n", r.File, r.Format, r.Rows, r.FirstS, r.LastS, r.BadRows, r.Bad, r.Notes)
	}
	return out.String()
}

// TestParts: parts of two tables in any order, one of them in gzip members, one with
// a byte order mark, a header line and CRLF, one given twice, are one stream in the
// order of time.
func TestParts(t *testing.T) {
	late := file("late.csv", "3000000,1.5,2,0.25,c,\n9223372036854775807,,,,d,x y\n", 1)
	early := file("early.csv", "\xef\xbb\xbftime,length,state,cpu,host,remark\r\n1000000,0.5,,0.125,a,\r\n\r\n2000000,,1,,b,\r\n", 0)
	samples := file("samples.csv", "1000000,5,7.5,0.5\n2500000,4e1,3,1\n", 0)
	want := `early.csv jobs 1000000 500000 -1 125000 1 -1
samples.csv samples 1000000 5 8 500000
early.csv jobs 2000000 -1 1 -1 1 -1
samples.csv samples 2500000 40 3 1000000
late.csv jobs 3000000 1500000 2 250000 1 -1
late.csv jobs 9223372036854775807 -1 -1 -1 1 3
`
	for _, files := range [][]trace.File{{late, samples, early, late}, {late, early, late, samples}} {
		got := read(files, false)
		rows, reports, _ := strings.Cut(got, "late.csv: ")
		if rows != want {
			t.Fatalf("read\n%s\nwant\n%s", rows, want)
		}
		if !strings.HasPrefix(reports, "kinds/jobs, 2 rows, 3 to 3 s, 0 bad") || strings.Count(got, "given before, read once") != 1 ||
			!strings.Contains(got, "early.csv: kinds/jobs, 2 rows, 1 to 2 s, 0 bad [] [\"its first line names the columns") {
			t.Fatal(got)
		}
	}
}

// TestBad: what breaks a row is said with its place, and counted where rows are skipped.
func TestBad(t *testing.T) {
	const good = "1,1,1,0.5,a,\n"
	for row, reason := range map[string]string{
		"1,1,4,0.5,a,":     `line 2, column "state": "4" is not between 0 and 3`,
		",1,1,0.5,a,":      `line 2, column "time": "" is empty`,
		"1,3601,1,0.5,a,":  `line 2, column "length": "3601" is too large`,
		"1,1,1,-0.5,a,":    `line 2, column "cpu": "-0.5" is negative`,
		"1,1,1,0.5,\"a\",": `line 2, column "host": "\"a\"" has a quotation mark`,
		"0,1,1,0.5,a,":     `line 2, column "time": "0" is earlier than the row before`,
		"1,1,1,0.5,a,b,c":  `line 2: the row "1,1,1,0.5,a,b,c" should have the 6 columns of jobs and has 7`,
		"1,1,x,0.5,a,b,c":  `line 2, column "state": "x" is not a whole number: the row should have the 6 columns of jobs and has 7`,
		"1,1,1":            `line 2, column "cpu": "" is missing: the row should have the 6 columns of jobs and has 3`,
	} {
		f := []trace.File{file("jobs.csv", good+row+"\n"+good, 0)}
		if got := read(f, false); !strings.Contains(got, reason) {
			t.Errorf("%q: %swant %s", row, got, reason)
		}
		if got := read(f, true); !strings.Contains(got, "2 rows") || !strings.Contains(got, "1 bad") {
			t.Errorf("%q skipped: %s", row, got)
		}
	}
}

// TestDetect: a table is known by half of its rows, by its name where its content
// fits two, and what is near is named.
func TestDetect(t *testing.T) {
	for content, want := range map[string]trace.Match{
		"1,1,1,0.5,a,\n":                         {Table: "jobs"},
		"1,5,7,0.5\n2,5,7,0.5\n":                 {Table: "samples"},
		"1,5,7,0.5\nx,5\nx,6\n":                  {Resembles: "samples, which has the same number of columns, but different data"},
		"1,5,7,0.5\nx,5\n":                       {Table: "samples"},
		"1,1,1,0.5,7,\n1,1,1,0.5,7,\n":           {Resembles: "jobs, which has the same number of columns, but different data"},
		"1,1,9,0.5,a,\n1,1,9,0.5,a,\n":           {Table: "jobs"}, // but for one column
		"1,5,7,0.5,4,4,4,4\n1,5,7,0.5,4,4,4,4\n": {Resembles: "jobs, which has 6 columns where this file has 8"},
	} {
		h, err := trace.ReadHead(file("some.csv", content, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Detect(h, kinds()); got != want {
			t.Errorf("%q: %+v, want %+v", content, got, want)
		}
	}
}

// TestPlain: rows of short whole numbers between blanks are read in a way of their
// own; the same numbers with decimals are not, and mean the same.
func TestPlain(t *testing.T) {
	log := func() *table.Table {
		return &table.Table{Name: "log", Comma: trace.Blank, Remark: ';', Minus: true, Mixed: true, Columns: []table.Column{
			{Name: "time", Kind: table.Seconds, Must: true},
			{Name: "jobs", Kind: table.Rounded, Limit: 1000},
			{Name: "wait", Kind: table.Seconds, Limit: uint64(unit.Hour)},
		}}
	}
	number := rapid.SampledFrom([]string{"0", "1", "-1", "7", "-0", "3600", "3601", "1000", "1001", "999999999999", "1000000000000", "99999999999999999999", "-", "x"})
	blank := rapid.SampledFrom([]string{" ", "\t", "   "})
	rapid.Check(t, func(t *rapid.T) {
		plain, decimal := "", ""
		for range rapid.IntRange(1, 4).Draw(t, "columns") {
			n, b := number.Draw(t, "number"), blank.Draw(t, "blank")
			plain += b + n
			if strings.Trim(n, "-x") != "" {
				n += ".0"
			}
			decimal += b + n
		}
		one, oneErr := rowOf(log(), plain)
		two, twoErr := rowOf(log(), decimal)
		if one != two || (oneErr == nil) != (twoErr == nil) {
			t.Fatalf("%q is %v %v, %q is %v %v", plain, one, oneErr, decimal, two, twoErr)
		}
	})
}

// rowOf returns the only row of a file.
func rowOf(t *table.Table, line string) (table.Row, error) {
	f := file("log", "; a remark\n\n"+line, 0)
	p := table.NewPart(f, t, "kinds", trace.Options{})
	err := p.Open(trace.NewMeter([]trace.File{f}, nil))
	if err != nil {
		return table.Row{}, err
	}
	return p.Row, nil
}
