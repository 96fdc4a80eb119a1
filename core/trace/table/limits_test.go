package table_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
)

// parse reads a line between commas as a row.
func parse(t *table.Table, line string) (table.Row, table.Trouble, bool) {
	var f trace.Fields
	f.Split([]byte(line), ',')
	var r table.Row
	trouble, ok := t.Parse(&r, &f)
	return r, trouble, ok
}

// TestLimits: a column holds up to its limit, and says by how much a small one is bounded.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		column table.Column
		text   string
		value  int64 // -1: refused
		reason string
	}{
		{table.Column{Kind: table.Seconds, Limit: uint64(unit.Hour)}, "3600", int64(unit.Hour), ""},
		{table.Column{Kind: table.Seconds, Limit: uint64(unit.Hour)}, "3600.000001", -1, trace.ReasonLarge},
		{table.Column{Kind: table.Seconds}, "3600.000001", int64(unit.Hour) + 1, ""},
		{table.Column{Kind: table.Rounded, Limit: 7}, "7.4", 7, ""},
		{table.Column{Kind: table.Rounded, Limit: 7}, "7.5", -1, trace.ReasonLarge},
		{table.Column{Kind: table.Number, Limit: 255}, "255", 255, ""},
		{table.Column{Kind: table.Number, Limit: 255}, "256", -1, "is not between 0 and 255"},
		{table.Column{Kind: table.Number, Limit: 256}, "256", 256, ""},
		{table.Column{Kind: table.Number, Limit: 256}, "257", -1, trace.ReasonLarge},
		{table.Column{Kind: table.Moment}, "9223372036854775807", 1<<63 - 1, ""},
		{table.Column{Kind: table.Moment}, "9223372036854775808", -1, trace.ReasonLarge},
		{table.Column{Kind: table.Text}, "word", 4, ""},
		{table.Column{Kind: table.Comment}, `"word"`, 6, ""},
	} {
		r, trouble, ok := parse(&table.Table{Comma: ',', Columns: []table.Column{c.column}}, c.text)
		if ok != (c.value >= 0) || ok && r.Int(0) != c.value || trouble.Reason != c.reason {
			t.Errorf("%q as kind %d up to %d: %d %v %+v", c.text, c.column.Kind, c.column.Limit, r.Int(0), ok, trouble)
		}
	}
}

// TestLargest: a number without a limit is as large as 64 bits hold.
func TestLargest(t *testing.T) {
	if r, trouble, ok := parse(&table.Table{Comma: ',', Columns: []table.Column{{Kind: table.Number}}}, "18446744073709551615"); !ok || r.Value(0) != math.MaxUint64 {
		t.Error(r.Value(0), trouble)
	}
}

// TestBelowZero: where negative numbers stand for what nobody knows, only numbers do,
// and only if a row may lack them; a minus begins words too.
func TestBelowZero(t *testing.T) {
	for _, c := range []struct {
		kind   table.Kind
		must   bool
		text   string
		value  int64 // -1: unknown, -2: refused
		reason string
	}{
		{table.Number, false, "-1", -1, ""},
		{table.Number, false, "-0", 0, ""},
		{table.Seconds, false, "-0.00e7", 0, ""},
		{table.Seconds, false, "-0.00E7", 0, ""},
		{table.Seconds, false, "-10", -1, ""},
		{table.Real, false, "-1e30", -1, ""}, // too large to hold, but nobody holds it
		{table.Number, false, "--1", -2, trace.ReasonNumber},
		{table.Number, false, "--0", -2, trace.ReasonNumber},
		{table.Number, false, "-x", -2, trace.ReasonNumber},
		{table.Number, false, "-", -2, trace.ReasonNumber},
		{table.Number, true, "-1", -2, trace.ReasonNegative},
		{table.Number, true, "-0", 0, ""},
		{table.Text, false, "-word", 5, ""},
		{table.Comment, true, "-1", 2, ""},
	} {
		log := &table.Table{Comma: ',', Minus: true, Columns: []table.Column{{Kind: c.kind, Must: c.must}}}
		r, trouble, ok := parse(log, c.text)
		if ok != (c.value > -2) || ok && r.Int(0) != c.value || trouble.Reason != c.reason {
			t.Errorf("%q as kind %d, must %v: %d %v %+v", c.text, c.kind, c.must, r.Int(0), ok, trouble)
		}
	}
}

// TestColumns: rows may lack as many columns as their table says, and of a row that has
// too few or too many the first column that is wrong is named.
func TestColumns(t *testing.T) {
	short := &table.Table{Name: "short", Title: "the short ones", Comma: ',', Minus: true, MinColumns: 2, Columns: []table.Column{
		{Name: "a", Kind: table.Number, Must: true}, {Name: "b", Kind: table.Text, Must: true}, {Name: "c", Kind: table.Number}, {Name: "d", Kind: table.Number},
	}}
	const count = "the row should have the 4 columns of the short ones and has "
	for line, want := range map[string]table.Trouble{
		"1,x":         {},
		"1,x,3":       {},
		"1,x,3,4":     {},
		"1":           {Column: 1, Reason: "is missing: " + count + "1"},
		"1,x,3,4,5":   {Column: -1, Reason: strings.TrimPrefix(count, "the row ") + "5"},
		"":            {Column: 0, Reason: trace.ReasonEmpty + ": " + count + "1"},
		"-7":          {Column: 0, Reason: trace.ReasonNegative + ": " + count + "1"},
		"1,x,-7,,5":   {Column: -1, Reason: strings.TrimPrefix(count, "the row ") + "5"},
		"1,,-7,,5":    {Column: 1, Reason: trace.ReasonEmpty + ": " + count + "5"},
		"1,x,--7,4,5": {Column: 2, Reason: trace.ReasonNumber + ": " + count + "5"},
		"1,x,y,4,5":   {Column: 2, Reason: trace.ReasonWhole + ": " + count + "5"},
	} {
		if _, got, ok := parse(short, line); got != want || ok != (want == table.Trouble{}) {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
	if _, got, _ := parse(&table.Table{Comma: ',', Columns: []table.Column{{Kind: table.Number}, {Kind: table.Number}}}, "-1"); got.Reason != trace.ReasonWhole && got.Reason[:len(trace.ReasonNegative)] != trace.ReasonNegative {
		t.Errorf("without Minus: %+v", got)
	}
}

// remarked has remarks, and columns between commas that all may be missing.
func remarked() []*table.Table {
	return []*table.Table{{Name: "log", Comma: ',', Remark: ';', Columns: []table.Column{
		{Name: "time", Kind: table.Moment, Must: true}, {Name: "word", Kind: table.Text, Word: true}, {Name: "n", Kind: table.Number}, {Name: "m", Kind: table.Number},
	}}}
}

func remarkedFormat() trace.Format {
	return trace.Format{Name: "remarked", Title: "the remarked", Detect: func(h *trace.Head) trace.Match { return table.Detect(h, remarked()) }}
}

// TestRemarks: lines that begin with a remark, and blank ones, are skipped, before and
// between them; who asks hears each remark without the blanks before it.
func TestRemarks(t *testing.T) {
	f := file("a", "; first\n \t; second\n   \ntime,word,n,m\n1,a,2,3\n;third\n2,,3,4\n", 0)
	_, parts, err := table.Look([]trace.File{f}, remarkedFormat(), remarked(), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	p := parts[0]
	p.Header = func(line []byte) { heard = append(heard, string(line)) }
	if err := p.Open(trace.NewMeter(nil, nil)); err != nil || p.Now != 1 || !slices.Equal(heard, []string{"; first", "; second"}) {
		t.Fatalf("%v at %d, heard %q", err, p.Now, heard)
	}
	if err := p.Next(); err != nil || p.Now != 2 || !slices.Equal(heard, []string{"; first", "; second", ";third"}) {
		t.Fatalf("%v at %d, heard %q", err, p.Now, heard)
	}
	if err := p.Next(); err != io.EOF {
		t.Fatal(err)
	}
	// Nobody has to listen, and a table without remarks has rows that begin alike.
	if r := read([]trace.File{file("b", ";\n1,1,1,0.5,a,\n", 0)}, false); !strings.Contains(r, `line 1, column "time": ";" is not`) {
		t.Error(r)
	}
	one := table.NewPart(f, remarked()[0], "remarked", trace.Options{})
	if err := one.Open(trace.NewMeter(nil, nil)); err != nil || one.Now != 1 {
		t.Error(err, one.Now)
	}
}

// TestHints: what to do about a row with a wrong number of columns depends on how it looks.
func TestHints(t *testing.T) {
	const good = "1,1,1,0.5,a,\n"
	for content, hint := range map[string]string{
		good + "1,1,\"2,3\",0.5,a,\n":            "quotation marks do not protect a comma",
		good + "\"1,1\",1,1,0.5,a,\n":            "quotation marks do not protect a comma",
		good + "1,1,2,3,0.5,a,\n":                "correct the row or let bad rows be skipped",
		good + "1,1":                             "the file seems to be cut off",
		good + "x,1,1,0.5,a,":                    "correct the row or let bad rows be skipped",
		good + "1,1,1,0.5,\"a\",\n":              "correct the row or let bad rows be skipped",
		good + strings.Repeat("9", 70000) + "\n": "correct the row or let bad rows be skipped",
	} {
		if got := read([]trace.File{file("jobs.csv", content, 0)}, false); !strings.Contains(got, "; "+hint) {
			t.Errorf("%.60q: %.300s, want the hint %q", content, got, hint)
		}
	}
	// A row that is too long for the reader is one bad row among good ones.
	long := good + strings.Repeat("9", 70000) + "\n" + good
	if got := read([]trace.File{file("jobs.csv", long, 0)}, true); !strings.Contains(got, "2 rows") || !strings.Contains(got, "1 bad") {
		t.Errorf("%.300s", got)
	}
}

// counted is a file that counts how often it is closed.
type counted struct {
	io.Reader
	closed *int
}

func (c counted) Close() error { *c.closed++; return nil }

// TestCloseEarly: a part that is open is closed once; one that is not open or was read
// to its end has nothing to close.
func TestCloseEarly(t *testing.T) {
	closed, broken := 0, error(nil)
	f := trace.File{Name: "jobs.csv", Open: func() (io.ReadCloser, error) {
		return counted{strings.NewReader("1,1,1,0.5,a,\n2,1,1,0.5,a,\n"), &closed}, broken
	}}
	part := func() *table.Part { return table.NewPart(f, kinds()[0], "kinds", trace.Options{}) }
	p := part()
	if err := p.Close(); err != nil || closed != 0 {
		t.Errorf("not opened: %v, %d closed", err, closed)
	}
	if err := errors.Join(p.Open(trace.NewMeter(nil, nil)), p.Close(), p.Close()); err != nil || closed != 1 {
		t.Errorf("opened: %v, %d closed", err, closed)
	}
	p = part()
	if err := errors.Join(p.Open(trace.NewMeter(nil, nil)), p.Next()); err != nil || p.Next() != io.EOF || closed != 2 {
		t.Errorf("read: %v, %d closed", err, closed)
	}
	if err := p.Close(); err != nil || closed != 2 {
		t.Errorf("closed after the end: %v, %d closed", err, closed)
	}
	broken = errors.New("forbidden")
	if err := part().Open(trace.NewMeter(nil, nil)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestOneMoment: of rows of one moment the table of the lower rank comes first, though
// its part begins later; parts are opened when their time has come, not before.
func TestOneMoment(t *testing.T) {
	want := `s samples 1 1 1 0
j jobs 5 -1 -1 -1 1 -1
s samples 5 1 1 0
k jobs 6 -1 -1 -1 1 -1
s samples 6 1 1 0
`
	samples, jobs, later := file("s", "1,1,1,0\n5,1,1,0\n6,1,1,0\n", 0), file("j", "5,,,,a,\n", 0), file("k", "6,,,,a,\n", 0)
	opened := ""
	for _, f := range []*trace.File{&samples, &jobs, &later} {
		open := f.Open
		f.Open = func() (io.ReadCloser, error) { opened += f.Name; return open() }
	}
	for _, files := range [][]trace.File{{samples, jobs, later}, {later, jobs, samples}} {
		if got := read(files, false); !strings.HasPrefix(got, want) {
			t.Errorf("%swant %s", got, want)
		}
	}
	_, parts, err := table.Look([]trace.File{later, samples, jobs}, format(), kinds(), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened = ""
	m := table.NewMerge(parts, trace.NewMeter(nil, nil))
	for row, want := range []string{"s", "sj", "sj", "sjk"} {
		if _, err := m.Peek(); err != nil || opened != want {
			t.Fatalf("row %d: %v, opened %q, want %q", row, err, opened, want)
		}
		if err := m.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()
	if _, err := m.Peek(); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
}
