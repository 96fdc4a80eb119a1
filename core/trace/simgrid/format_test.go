package simgrid_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/simgrid"
)

func platform(name, text string) trace.File {
	return trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// TestFormat: platforms are a format beside the others. They can be summed up, and
// opening one as a workload says what it is.
func TestFormat(t *testing.T) {
	const two = `<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="2Gf" core="4"/><host id="b" speed="1Gf"/><host id="c" speed="3Gf"/>
<link id="l" bandwidth="10MBps" latency="5us"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`
	const alone = `<platform version="4.1"><zone id="z" routing="None"><host id="a" speed="1Gf"/></zone></platform>`
	files := []trace.File{platform("two.xml", two), platform("alone.xml", alone)}
	report, err := trace.Summarise(files, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := report.Summary.([]simgrid.Summary)
	if want := (simgrid.Summary{Hosts: 3, Cores: 6, MinGflops: 1, MaxGflops: 3, FirstHost: "a", Reached: 1, LatencyUS: 5, NarrowMBps: 10}); all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
	if want := (simgrid.Summary{Hosts: 1, Cores: 1, MinGflops: 1, MaxGflops: 1, FirstHost: "a"}); all[1] != want {
		t.Errorf("%+v, want %+v", all[1], want)
	}
	if f := report.Files[0]; f.Format != "simgrid/platform" || f.Rows != 3 {
		t.Errorf("%+v", f)
	}
	var e *trace.Error
	if _, err := trace.Open(files[:1], formats.All, trace.Options{}); !errors.As(err, &e) || e.Kind != trace.NoTasks || e.File != "two.xml" {
		t.Errorf("opened: %v", err)
	}
	if _, err := trace.Summarise([]trace.File{platform("cut.xml", two[:200])}, formats.All, trace.Options{}); !errors.As(err, &e) || e.File != "cut.xml" {
		t.Errorf("a file that was cut off: %v", err)
	}
}

// TestFormatOfSamples: every good sample can be summed up.
func TestFormatOfSamples(t *testing.T) {
	for _, path := range glob(t, "testdata", "good", "*.xml") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		report, err := trace.Summarise([]trace.File{platform(filepath.Base(path), string(text))}, formats.All, trace.Options{})
		if err != nil || report.Summary.([]simgrid.Summary)[0].Hosts == 0 {
			t.Errorf("%s: %+v, %v", path, report.Summary, err)
		}
	}
}
