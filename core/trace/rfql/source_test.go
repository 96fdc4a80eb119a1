package rfql_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	terms "parley/core/rfql"
	"parley/core/trace"
	"parley/core/trace/rfql"
	"parley/core/unit"
	"parley/core/workload"
)

// closing is a file that says something when it is closed.
type closing struct {
	io.Reader
	err error
}

func (c closing) Close() error { return c.err }

// file is a document in a file whose closing ends so.
func file(name, text string, closed error) trace.File {
	return trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return closing{strings.NewReader(text), closed}, nil }}
}

// request is a document of units with these terms each.
func request(units ...string) string {
	return "<RFQ><Request>" + strings.Join(units, "</Request><Request>") + "</Request></RFQ>"
}

// unitOf is the terms of a unit: its price, its start and end on 1 January 2016 ("" is
// no start), its wall time and its cores.
func unitOf(price int, start, end, wall string, cores int) string {
	text := fmt.Sprintf("<CPUHourCost>%d</CPUHourCost><EndDate>2016-01-01</EndDate><EndTime>%s</EndTime><TotalCores>%d</TotalCores>", price, end, cores)
	if start != "" {
		text += "<StartDate>2016-01-01</StartDate><StartTime>" + start + "</StartTime>"
	}
	if wall != "" {
		text += "<WallTime>" + wall + "</WallTime>"
	}
	return text
}

// TestDetect: a document is told by its first element, whole, and a workflow that
// speaks of requests is none.
func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		"<RFQ>":                              true,
		"<RFQ >":                             true,
		"<RFQ\t>":                            true,
		"<RFQ/>":                             true,
		" \n<RFQ\n>":                         true,
		"<?xml version=\"1.0\"?><RFQ xmlns>": true,
		"<RFQ":                               false, // cut off
		"<RFQs>":                             false,
		"x<RFQ>":                             false,
		"<adag><RFQ>":                        false,
		"<RFQ><adag>":                        true,
		"<request>":                          false,
	} {
		h, err := trace.ReadHead(file("f", text, nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := rfql.Format().Detect(h); (got.Table == "requests") != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestWorkload: what files ask for, as a summary, as a scenario's document and as jobs.
func TestWorkload(t *testing.T) {
	files := []trace.File{
		file("a", request(unitOf(40, "08:00:00", "12:00:00", "PT2H", 16), unitOf(25, "", "06:30:00", "PT30M", 3)), nil),
		file("b", request(unitOf(70, "", "09:00:00", "PT5H", 5)), nil),
	}
	s, err := rfql.Format().Open(files, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Nobody starts before 4:00: the third unit takes five hours, the second, which
	// takes half an hour, is counted as one.
	r := s.Report()
	m := r.Summary.(rfql.Summary)
	if m.Requests != 2 || m.Units != 3 || m.Cores != 24 || m.Highest != 70 || m.Lowest != 25 || m.Epoch != "2016-01-01T03:50:00Z" || len(m.Requested) != 3 {
		t.Errorf("%+v", m)
	}
	if len(r.Files) != 2 || r.Files[0].Rows != 2 || r.Files[1].Rows != 1 || r.Files[1].File != "b" || r.Files[1].Format != "rfql/requests" {
		t.Errorf("%+v", r.Files)
	}
	if again, err := rfql.Format().Summarise(files, trace.Options{}); err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
		t.Errorf("summarised %+v, opened %+v (%v)", again, r, err)
	}
	var d struct {
		Epoch    string
		Requests []struct {
			At    string
			User  int
			Units []terms.Unit
		}
	}
	if err := json.Unmarshal(s.(interface{ Document() json.RawMessage }).Document(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Epoch != m.Epoch || len(d.Requests) != 2 || len(d.Requests[0].Units) != 2 || d.Requests[1].Units[0] != m.Requested[2] || d.Requests[1].User != 1 || d.Requests[1].At != "1m" {
		t.Errorf("%+v", d)
	}
	for i, want := range []workload.Job{
		{Processors: 16, Run: 2 * unit.Hour, Estimate: 2 * unit.Hour, Queue: -1},
		{Processors: 3, Run: unit.Hour / 2, Estimate: unit.Hour / 2, Queue: -1},
		{Processors: 5, Run: 5 * unit.Hour, Estimate: 5 * unit.Hour, Queue: -1},
	} {
		var record workload.Record
		if err := s.Next(&record); err != nil || !reflect.DeepEqual(*record.Job, want) || record.Key.Index != uint32(i) || record.Kind != workload.JobArrives || record.At != 0 {
			t.Errorf("job %d: %+v %+v (%v)", i, record, record.Job, err)
		}
	}
	if err := s.Next(new(workload.Record)); err != io.EOF {
		t.Errorf("after the last job: %v", err)
	}
	if !s.Header().Machineless || !s.HoldsTasks() || s.Close() != nil || s.Names().Len() != 0 {
		t.Error("requests bring jobs, and no machines, names or open files")
	}
}

// TestManyFiles: there are thirty users, who ask in turn; a unit without a wall time
// is an hour before its end, and a job of a minute.
func TestManyFiles(t *testing.T) {
	var files []trace.File
	for i := range 32 {
		files = append(files, file(fmt.Sprint(i), request(unitOf(1, "", "06:00:00", "", 1)), nil))
	}
	s, err := rfql.Format().Open(files, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Requests []struct{ User int } }
	if err := json.Unmarshal(s.(interface{ Document() json.RawMessage }).Document(), &d); err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Requests {
		if r.User != i%30 {
			t.Errorf("request %d is of user %d", i, r.User)
		}
	}
	var r workload.Record
	if err := s.Next(&r); err != nil || r.Job.Run != unit.Minute {
		t.Errorf("%+v (%v)", r.Job, err)
	}
	if got := s.Report().Summary.(rfql.Summary).Epoch; got != "2016-01-01T04:50:00Z" {
		t.Error(got)
	}
}

// TestClosing: what a file says when it is closed counts if nothing went wrong
// before, and what went wrong before is what is said.
func TestClosing(t *testing.T) {
	gone := errors.New("the disk is gone")
	good := request(unitOf(1, "", "06:00:00", "", 1))
	for _, c := range []struct {
		text string
		want string
	}{{good, "the disk is gone"}, {"<RFQ></RFQ>", "f, line 1"}, {"<RFQ>", "f, line 1"}} {
		if _, err := rfql.Format().Open([]trace.File{file("f", c.text, gone)}, trace.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestHowMuch: so much is read of a term, of a unit's terms and of a document, and what
// is repeated of it in an error is short.
func TestHowMuch(t *testing.T) {
	good := unitOf(1, "", "06:00:00", "", 1)
	given := strings.Count(good, "</")
	double := func(n int) string { return request(good + strings.Repeat("<OSVersion>1</OSVersion>", n-given)) }
	for _, c := range []struct{ text, want string }{
		{request(good + "<OperatingSystem>" + strings.Repeat("x", 201) + "</OperatingSystem>"), "<OperatingSystem> holds more than 200 bytes"},
		{request(good + "<OperatingSystem>" + strings.Repeat("x", 200) + "</OperatingSystem>"), "is not a name of 1 to 100 bytes"},
		{double(2*len(terms.Terms) + 1), "is given twice"},
		{double(2*len(terms.Terms) + 2), "the request has more terms than there are"},
		{request(good) + "<", "the XML is broken"},
		{request(good) + "<a/>", "something follows the end of </RFQ>"},
		{request(good) + " x", "something follows the end of </RFQ>"},
		{"<" + strings.Repeat("y", 40) + "/>", "begins with <" + strings.Repeat("y", 40) + ">"},
		{"<" + strings.Repeat("y", 41) + "/>", "begins with <" + strings.Repeat("y", 40) + "…>"},
		{request(strings.Repeat(good+"</Request><Request>", 1000) + good), "more than 1000 units"},
	} {
		if _, err := rfql.Read("f", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q…: %v, want %s", c.text, err, c.want)
		}
	}
	for _, text := range []string{
		request(good+"<OperatingSystem>"+strings.Repeat("x", 100)+"</OperatingSystem>") + " \n<!-- the end -->\n",
		request(strings.Repeat(good+"</Request><Request>", 999) + good),
		request(good) + strings.Repeat(" ", 1<<20-len(request(good))),
	} {
		if _, err := rfql.Read("f", strings.NewReader(text)); err != nil {
			t.Errorf("%.80q…: %v", text, err)
		}
	}
	if _, err := rfql.Read("f", strings.NewReader(request(good)+strings.Repeat(" ", 1<<20+1-len(request(good))))); err == nil || !strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Error(err)
	}
}
