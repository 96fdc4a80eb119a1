package table_test

import (
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/table"
)

// match says what a file is taken for.
func match(t *testing.T, name, content string, tables []*table.Table) trace.Match {
	t.Helper()
	h, err := trace.ReadHead(file(name, content, 0))
	if err != nil {
		t.Fatal(err)
	}
	return table.Detect(h, tables)
}

// TestHeader: a first line of words names columns. Every file here has one good row and
// one bad one, so it is known just where its first line is not a row.
func TestHeader(t *testing.T) {
	for first, header := range map[string]bool{
		"a,b,c,d":     true,
		"z,b,c,d":     true,
		"A,b,c,d":     true,
		"Z,b":         true,
		"time,,,":     true,
		`"time",b`:    true,
		" time,b":     true,
		"#":           true,
		"#1,2":        true,
		"time":        false, // of one column
		"time,5":      false, // a number
		"time,5e1,x":  false,
		",b,c,d":      false,
		"{,b,c":       false,
		"@,b,c":       false,
		"`,b,c":       false,
		"[,b,c":       false,
		"time,-5,c,d": false,
	} {
		got := match(t, "f", first+"\n1,5,7,0.5\nx,y\n", kinds())
		if (got.Table == "samples") != header {
			t.Errorf("%q: %+v, header %v", first, got, header)
		}
		if got := match(t, "f", "1,5,7,0.5\n"+first+"\nx,y\n", kinds()); got.Table != "" {
			t.Errorf("%q in the second line is a header: %+v", first, got)
		}
	}
}

// TestSample: half of the first 64 rows decide, whatever comes after them, and remarks
// are none of them.
func TestSample(t *testing.T) {
	good, bad := "1,5,7,0.5\n", "x,5\n"
	for _, c := range []struct {
		content string
		known   bool
	}{
		{strings.Repeat(good, 32) + strings.Repeat(bad, 32), true},
		{strings.Repeat(good, 32) + strings.Repeat(bad, 60), true},
		{strings.Repeat(good, 31) + strings.Repeat(bad, 33) + strings.Repeat(good, 60), false},
		{strings.Repeat(bad, 64) + strings.Repeat(good, 1000), false},
	} {
		if got := match(t, "f", c.content, kinds()); (got.Table != "") != c.known {
			t.Errorf("%d good of %d rows: %+v", strings.Count(c.content, good), strings.Count(c.content, "\n"), got)
		}
	}
	remarks := "; a\n \t; b\n  \n1,word,2,3\n" + strings.Repeat("  ;\n", 99)
	if got := match(t, "f", remarks, remarked()); got.Table != "log" {
		t.Errorf("remarks: %+v", got)
	}
	if got := match(t, "f", "; a\ntime,word\n1,word,2,3\nx\n", remarked()); got.Table != "log" {
		t.Errorf("a header after remarks: %+v", got)
	}
	if got := match(t, "f", "1,,2,3\n", remarked()); got.Table != "log" {
		t.Errorf("without its word: %+v", got)
	}
	if got := match(t, "f", "1,7,2,3\n", remarked()); got.Table != "" {
		t.Errorf("a number where a word belongs: %+v", got)
	}
}

// TestNames: where rows are of two tables, or of none, the file's name decides, and the
// first table without one.
func TestNames(t *testing.T) {
	columns := kinds()[1].Columns
	twins := []*table.Table{{Name: "alpha", Comma: ',', Columns: columns}, {Name: "beta", Comma: ',', Columns: columns}}
	for name, want := range map[string]string{"alpha/1": "alpha", "beta/1": "beta", "gamma": "alpha"} {
		if got := match(t, name, "1,5,7,0.5\n", twins); got.Table != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, c := range []struct {
		name, content string
		want          trace.Match
	}{
		{"jobs.csv", "1,5,7,0.5\n", trace.Match{Table: "samples"}}, // content before names
		{"jobs.csv", "time,length,state,cpu,host,remark\n", trace.Match{Table: "jobs"}},
		{"some.csv", "time,length,state,cpu,host,remark\n", trace.Match{Table: "jobs"}},                                   // all of its columns are named
		{"jobs.csv", "x,y,z,a,b,c\n", trace.Match{Table: "jobs"}},                                                         // a header
		{"jobs.csv", "x,1,z,a,b,c\nx,1,z,a,b,c\n", trace.Match{Table: "jobs"}},                                            // the right number of columns
		{"jobs.csv", "x,1,z,a,b\nx,1,z,a,b\n", trace.Match{Resembles: "jobs, which has 6 columns where this file has 5"}}, // not even those
		{"some.csv", "x,1,z,a,b\nx,1,z,a,b\n", trace.Match{Resembles: "jobs, which has 6 columns where this file has 5"}}, // the first of two that are as near
		{"some.csv", "x,1,z,a,b,1,1,1,1\n", trace.Match{}},                                                                // three more are not near
		{"some.csv", "x,1,z\n", trace.Match{}},                                                                            // three columns are of anything
	} {
		if got := match(t, c.name, c.content, kinds()); got != c.want {
			t.Errorf("%s %q: %+v, want %+v", c.name, c.content, got, c.want)
		}
	}
}

// TestNearlyGood: rows that are good but for one column, broken, missing or too many, are
// of a table; loose columns and rows of less than four prove nothing.
func TestNearlyGood(t *testing.T) {
	loose := kinds()
	loose[1].Loose = true
	narrow := []*table.Table{{Name: "narrow", Comma: ',', Columns: kinds()[1].Columns[:3]}}
	for _, c := range []struct {
		row    string
		tables []*table.Table
		want   string
	}{
		{"1,5,x,0.5", kinds(), "samples"},
		{"1,x,x,0.5", kinds(), ""},
		{"1,5,x,7,0.5", kinds(), "samples"},
		{"x,1,5,7,0.5", kinds(), "samples"},
		{"1,5,7,0.5,x", kinds(), "samples"},
		{"1,5,x,x,7,0.5", kinds(), ""},
		{"1,1,0.5,a,", kinds(), "jobs"}, // without its state
		{"1,1,1,0.5,a", kinds(), "jobs"},
		{"1,0.5,a,", kinds(), ""},
		{"1,5,0.5", kinds(), ""},
		{"1,5,x,7", narrow, "narrow"},
		{"1,5,x", narrow, ""},
		{"1,5,x,0.5", loose, ""},
		{"1,5,7,0.5", loose, "samples"},
	} {
		if got := match(t, "f", c.row+"\n"+c.row+"\n", c.tables); got.Table != c.want {
			t.Errorf("%q: %+v, want %q", c.row, got, c.want)
		}
	}
}

// TestColumnNames: columns that the first line names are read by their names, whatever their order and
// what stands between them; numbers that went through floats are whole. A file that lacks what every
// row must have is of no table.
func TestColumnNames(t *testing.T) {
	for content, want := range map[string]string{
		"host,cpu,TIME,State\na,0.5,1000000.0,2.0\n":                "1000000 -1 2 500000 1 -1",
		",time,length,state,cpu,host,remark\n0,1,0.5,1,0.5,a,b c\n": "1 500000 1 500000 1 3",
		",0,1,2,3,4,5\n7,1,0.5,1,0.5,a,b\n":                         "1 500000 1 500000 1 1",
		"#host,cpu,state,time\na,,,5\n":                             "5 -1 -1 -1 1 -1",
	} {
		got := read([]trace.File{file("f", content, 0)}, false)
		if !strings.HasPrefix(got, "f jobs "+want+"\n") {
			t.Errorf("%q: %s", content, got)
		}
		if slow := read([]trace.File{file("f", content, 1)}, false); slow != got {
			t.Errorf("%q by members: %s", content, slow)
		}
	}
	if got := read([]trace.File{file("f", "host,cpu,state,length\na,0.5,2,1\n", 0)}, false); strings.Contains(got, "f jobs") {
		t.Errorf("without a time: %s", got)
	}
	if got := read([]trace.File{file("f", "host,cpu,time,state\na,0.5,1,2\na,0.5,x,2\n", 0)}, false); !strings.Contains(got, `line 3, column "time": "x" is not a whole number`) {
		t.Error(got)
	}
	if got := read([]trace.File{file("f", "host,cpu,time,state\na,0.5,1,2\n", 0)}, false); !strings.Contains(got, "its columns are read by their names; not there: length, remark") {
		t.Error(got)
	}
}

// TestNamedInOrder: a table whose columns stand in their own order is found before one of which it has
// the columns too.
func TestNamedInOrder(t *testing.T) {
	few := append([]*table.Table{{Name: "few", Comma: ',', Columns: kinds()[0].Columns[:3]}}, kinds()...)
	if got := match(t, "f", "time,length,state,cpu,host,remark\n1,1,1,0.5,a,\n", few); got.Table != "jobs" {
		t.Error(got)
	}
}
