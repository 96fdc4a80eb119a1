package google2011_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/trace"
	"parley/core/trace/google2011"
)

// TestScripts runs the files in testdata. Their commands:
//
//	file name=… [gzip=members] [crlf] [bom] [cut=bytes] [keep=bytes]   a file with the rows below
//	records [skip] [every=k] [most=n] [backwards]         the records
//	summary [skip]                                        the report as JSON
//
// A new file by "file fresh name=…" forgets the ones before.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		var files []trace.File
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var o trace.Options
			o.SkipBadRows = d.HasArg("skip")
			if d.HasArg("every") {
				d.ScanArgs(t, "every", &o.EveryJob)
			}
			if d.HasArg("most") {
				d.ScanArgs(t, "most", &o.MaxTasks)
			}
			switch d.Cmd {
			case "file":
				if d.HasArg("fresh") {
					files = nil
				}
				files = append(files, scriptFile(t, d))
				return ""
			case "records":
				given := files
				if d.HasArg("backwards") {
					given = nil
					for i := range files {
						given = append(given, files[len(files)-1-i])
					}
				}
				return scriptRecords(t, given, o)
			case "summary":
				return scriptSummary(files, o)
			}
			t.Fatalf("no command %q", d.Cmd)
			return ""
		})
	})
}

func scriptFile(t *testing.T, d *datadriven.TestData) trace.File {
	var name string
	d.ScanArgs(t, "name", &name)
	content := d.Input
	if content != "" {
		content += "\n"
	}
	if d.HasArg("crlf") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if d.HasArg("bom") {
		content = "\xef\xbb\xbf" + content
	}
	stored := []byte(content)
	if d.HasArg("gzip") {
		var members int
		d.ScanArgs(t, "gzip", &members)
		stored = zipped(content, members)
	}
	if d.HasArg("cut") {
		var cut int
		d.ScanArgs(t, "cut", &cut)
		stored = stored[:len(stored)-cut]
	}
	if d.HasArg("keep") {
		var keep int
		d.ScanArgs(t, "keep", &keep)
		stored = stored[:keep]
	}
	return memory(name, stored, 0)
}

func scriptRecords(t *testing.T, files []trace.File, o trace.Options) string {
	s, err := google2011.Open(files, o)
	if err != nil {
		return asError(err)
	}
	var b strings.Builder
	texts, err := records(t, s)
	for _, text := range texts {
		fmt.Fprintln(&b, text)
	}
	if err != nil {
		b.WriteString(asError(err))
	}
	if s.Header().Machineless {
		fmt.Fprintln(&b, "no machines of its own")
	}
	report := s.Report()
	if c := counted(report.Summary); c != "" {
		fmt.Fprintln(&b, "repairs:", c)
	}
	b.WriteString(notes(report))
	return b.String()
}

// notes prints what a report says beside the counts.
func notes(r trace.Report) string {
	var b strings.Builder
	for _, f := range r.Files {
		for _, bad := range f.Bad {
			fmt.Fprintf(&b, "bad: %s %d %q %q %s\n", f.File, bad.Line, bad.Column, bad.Value, bad.Reason)
		}
		for _, n := range f.Notes {
			fmt.Fprintf(&b, "note: %s: %s\n", f.File, n)
		}
	}
	return b.String()
}

func scriptSummary(files []trace.File, o trace.Options) string {
	report, err := google2011.Summarise(files, o)
	if err != nil {
		return asError(err)
	}
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return asError(err)
	}
	return string(text) + "\n"
}
