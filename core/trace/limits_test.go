package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// TestDecimalOfEveryLength compares Decimal and Share with fractions where numbers have
// up to 30 digits, the point anywhere in them and an exponent that takes them back.
func TestDecimalOfEveryLength(t *testing.T) {
	random := rng.New(1, "decimals")
	for range 4000 {
		digits := make([]byte, 1+random.Intn(30))
		for i := range digits {
			digits[i] = "00123456789999"[random.Intn(14)]
		}
		point := random.Intn(len(digits) + 1)
		text := string(digits[:point]) + "." + string(digits[point:])
		if random.Intn(4) == 0 {
			text = string(digits)
			point = len(digits)
		}
		if random.Intn(2) == 0 {
			text += fmt.Sprintf("e%+d", 3-point+random.Intn(18)-4)
		}
		checkDecimal(t, text)
	}
	for _, c := range []struct {
		text string
		want unit.Share
	}{{"1.25", 1_250_000}, {"9.999999", 9_999_999}, {"0.999999", 999_999}, {"0.9", 900_000}, {"0.0", 0}, {"0.", 0}, {"00.5", 500_000}, {"0.0000005", 1}, {"0.00000049", 0}, {"1000", 1_000_000_000}} {
		if got, reason := trace.Share([]byte(c.text)); got != c.want || reason != "" {
			t.Errorf("Share(%q) = %d %q, want %d", c.text, got, reason, c.want)
		}
	}
	for text, reason := range map[string]string{"0.x": trace.ReasonNumber, "0.5x": trace.ReasonNumber, "0/5": trace.ReasonNumber, "0.:": trace.ReasonNumber, "0./": trace.ReasonNumber} {
		if got, stated := trace.Share([]byte(text)); got != 0 || stated != reason {
			t.Errorf("Share(%q) = %d %q", text, got, stated)
		}
	}
	for text, want := range map[string]string{"1e17": "", "999999999999999999": "", "1e18": trace.ReasonLarge, "100000000000000000e1": trace.ReasonLarge, "99999999999999999e1": "", "0.1e18": ""} {
		if _, reason := trace.Decimal([]byte(text), 0); reason != want {
			t.Errorf("Decimal(%q): %q, want %q", text, reason, want)
		}
	}
}

// TestFields: columns are as strings.Fields has them where blanks separate them, and as
// strings.Split has them else; a row of nothing has one, which is empty.
func TestFields(t *testing.T) {
	var f trace.Fields // used again and again: nothing of the row before stays
	for _, line := range []string{"a b", " a\tb ", "\t\ta  \t b\t", "a", "  a", "a  ", "", "  ", "a,b c", ",", ",a,,b,", "a b c d e f g h"} {
		for _, comma := range []byte{trace.Blank, ',', ';'} {
			want := strings.Split(line, string(comma))
			if comma == trace.Blank {
				if want = strings.Fields(line); len(want) == 0 {
					want = []string{""}
				}
			}
			f.Split([]byte(line), comma)
			got := []string{}
			for i := range f.Len() {
				got = append(got, string(f.At(i)))
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) || string(f.Text()) != line {
				t.Errorf("%q by %q: %q, want %q", line, comma, got, want)
			}
		}
	}
}

// TestReadHead: what is damaged is an error if nothing is left to look at, and only there.
func TestReadHead(t *testing.T) {
	whole := zipped(strings.Repeat("a,b\n", 1000))
	for _, c := range []struct {
		stored []byte
		kind   trace.ErrorKind
		bytes  int
		whole  bool
		gzip   bool
	}{
		{[]byte("a,b\n"), "", 4, true, false},
		{[]byte("\xef\xbb\xbfa"), "", 1, true, false},
		{[]byte(strings.Repeat("x", 64<<10)), "", 64 << 10, false, false},
		{[]byte(strings.Repeat("x", 64<<10-1)), "", 64<<10 - 1, true, false},
		{[]byte(strings.Repeat(" ", 70<<10)), "", 64 << 10, false, false},
		{[]byte(strings.Repeat(" ", 60<<10)), trace.Empty, 0, false, false},
		{whole, "", 4000, true, true},
		{whole[:5], trace.Damaged, 0, false, false},
		{whole[:len(whole)-3], "", 4000, false, true},
	} {
		h, err := trace.ReadHead(memory("f", c.stored, 0))
		var e *trace.Error
		switch {
		case c.kind != "":
			if !errors.As(err, &e) || e.Kind != c.kind {
				t.Errorf("%.10q of %d bytes: %v, want %s", c.stored, len(c.stored), err, c.kind)
			}
		case err != nil || len(h.Bytes) != c.bytes || h.Whole != c.whole || h.Gzip != c.gzip:
			t.Errorf("%.10q of %d bytes: %v, %d bytes", c.stored, len(c.stored), err, len(h.Bytes))
		}
	}
	lines := func(text string, limit int) (all []string) {
		h := trace.Head{Bytes: []byte(text), Whole: strings.HasSuffix(text, "!")}
		h.Lines(func(line []byte) bool { all = append(all, string(line)); return len(all) < limit })
		return all
	}
	for text, want := range map[string]string{"a\r\n\n\r\nb\nc": "[a b]", "a\nb!": "[a b!]", "!": "[!]", "a\nb\nc\nd!": "[a b c]", "": "[]"} {
		if got := fmt.Sprint(lines(text, 3)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestMeterTells: after every 256 KiB stored or MiB unpacked, not before and not later.
func TestMeterTells(t *testing.T) {
	for _, c := range []struct {
		content []byte
		of      func(trace.Progress) int64
		every   int64
	}{
		{bytes.Repeat([]byte("x"), 1<<20), func(p trace.Progress) int64 { return p.Total }, 256 << 10},
		{zipped(strings.Repeat("x", 5<<20)), func(p trace.Progress) int64 { return p.Text }, 1 << 20},
	} {
		var told []int64
		f := memory("f", c.content, 4<<10)
		in, err := trace.Unpack(f, trace.NewMeter([]trace.File{f}, func(p trace.Progress) error { told = append(told, c.of(p)); return nil }))
		for p := make([]byte, 4<<10); err == nil; {
			_, err = in.Read(p)
		}
		if err != io.EOF || len(told) < 4 {
			t.Fatalf("%v, told %v", err, told)
		}
		for i, n := range told {
			if n != int64(i+1)*c.every {
				t.Errorf("the %d. time it is told of %d, want %d", i+1, n, int64(i+1)*c.every)
			}
		}
	}
}

// TestCloseRows: a file is closed once, by who ends the reading early or by its end.
func TestCloseRows(t *testing.T) {
	closed := 0
	f := trace.File{Name: "f", Open: func() (io.ReadCloser, error) { return closing{strings.NewReader("a\nb\n"), &closed}, nil }}
	rows, err := trace.OpenRows(f, trace.NewMeter(nil, nil), ',')
	if err != nil || rows.Next() != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil && closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	before := closed
	if err := rows.Close(); err != nil || closed != before || before == 0 {
		t.Errorf("%v, closed %d times, then %d", err, before, closed)
	}
	if err := rows.Next(); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
	early := trace.File{Name: "f", Open: func() (io.ReadCloser, error) {
		return closing{strings.NewReader(strings.Repeat("a\n", 1<<20)), &closed}, nil
	}}
	closed = 0
	if rows, err = trace.OpenRows(early, trace.NewMeter(nil, nil), ','); err != nil || rows.Next() != nil || rows.Close() != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
}

type closing struct {
	io.Reader
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

// TestReport: bad rows are counted, the first ones listed, and the first of them is the
// error that it would have been.
func TestReport(t *testing.T) {
	var files [3]trace.FileReport
	for i := range int64(5) {
		files[1].AddBad(&trace.Error{Line: i + 1, Column: "c", Value: "v", Reason: "is wrong"}, 3)
	}
	files[2].AddBad(&trace.Error{Line: 9, Reason: "is wrong too"}, 3)
	files[1].File = "b"
	r := trace.Report{Files: files[:]}
	n, first := r.Bad()
	if n != 6 || len(files[1].Bad) != 3 || files[1].BadRows != 5 || files[1].Bad[2].Line != 3 || first == nil ||
		first.Error() != `b, line 1, column "c": "v" is wrong; correct the row or let bad rows be skipped` {
		t.Errorf("%d bad, the first: %v; %+v", n, first, files)
	}
	if n, first := (&trace.Report{Files: files[:1]}).Bad(); n != 0 || first != nil {
		t.Errorf("%d bad, the first: %v", n, first)
	}
}

// TestDefaults: what is not set has the value that is documented, and what is set stays.
func TestDefaults(t *testing.T) {
	o := trace.Options{}.WithDefaults()
	request := unit.Vec{5, 7}
	if m := o.Usage(workload.Key{}, 0, request); o.ListBad != 20 || o.EveryJob != 1 || o.MaxTasks != 4_000_000 || o.Image(request) != workload.ImageOf(request) || m.Mean[0] != workload.Ratio(1) {
		t.Errorf("%+v", o)
	}
	o = trace.Options{
		ListBad: 3, EveryJob: 4, MaxTasks: 5, Image: func(unit.Vec) unit.Bytes { return 6 },
		Usage: func(workload.Key, workload.PriorityClass, unit.Vec) (m workload.UsageModel) { return m },
	}.WithDefaults()
	if m := o.Usage(workload.Key{}, 0, request); o.ListBad != 3 || o.EveryJob != 4 || o.MaxTasks != 5 || o.Image(request) != 6 || m != (workload.UsageModel{}) {
		t.Errorf("%+v", o)
	}
}

// TestNearest: if no format knows a file, the hint names the tables that it resembles.
func TestNearest(t *testing.T) {
	format := func(near string) trace.Format {
		return trace.Format{Title: "T" + near, Detect: func(*trace.Head) trace.Match { return trace.Match{Resembles: near} }}
	}
	h := &trace.Head{Bytes: []byte("1,2\n"), Whole: true}
	for want, all := range map[string][]trace.Format{
		"Parley reads T, T":        {format(""), format("")},
		"nearest is x":             {format(""), format("x")},
		"nearest is x, or y":       {format("x"), format(""), format("y")},
		"nearest is z, or x, or y": {format("z"), format("x"), format("y")},
	} {
		_, _, err := trace.Identify(h, all)
		var e *trace.Error
		if !errors.As(err, &e) || e.Hint != want || e.Kind != trace.WrongTable {
			t.Errorf("%v, want the hint %s", err, want)
		}
	}
	h.Bytes = []byte("Time ParentID TaskID\n1 2 3\n") // of a trace that Parley does not read, the hint names no table
	_, _, err := trace.Identify(h, []trace.Format{format(""), format("x")})
	if want := "looks like version 1 of the Google trace, of 2010; Parley reads T, Tx"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLooksAtTheEdge: a sign counts where it is whole.
func TestLooksAtTheEdge(t *testing.T) {
	log := "1 0 10 20 1 -1 -1 1 20 -1 1 1 1 1 1 -1 -1 -1\n"
	for text, want := range map[string]string{
		strings.Repeat("\x00", 257) + "ustar":     "binary data", // not behind the sign's last byte
		strings.Repeat("\x00", 257) + "ustar\x00": "a tar archive: unpack it first",
		"\n \n; a remark\n" + log:                 "a Standard Workload Format log",
		"\n \n" + log:                             "a Standard Workload Format log",
		"1 2 3\n" + log:                           "text",
		"; a remark\n1,2\n":                       "a Standard Workload Format log",
	} {
		_, _, err := trace.Identify(&trace.Head{Bytes: []byte(text), Whole: true}, nil)
		if err == nil || !strings.HasSuffix(strings.SplitN(err.Error(), ";", 2)[0], " looks like "+want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// TestHalfAMark: a byte order mark counts however its bytes come, and what only begins
// like one is text.
func TestHalfAMark(t *testing.T) {
	for content, want := range map[string]string{
		"\xef\xbb\xbfa\n": "[1 a]", "\xef\xbb\n": "[1 \xef\xbb]", "ab\n": "[1 ab]", "a\n": "[1 a]", "a": "[1 a]", "\xef\xbb\xbf": "[]", "\xef\xbb\xbf\nb": "[2 b]",
	} {
		for _, step := range []int{0, 1, 2, 3} {
			if rows, end := read(memory("f", []byte(content), step)); fmt.Sprint(rows) != want || end != io.EOF {
				t.Errorf("%q by %d bytes: %v, %v", content, step, rows, end)
			}
		}
	}
}
