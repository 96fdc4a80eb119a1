package simgrid_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"parley/core/trace/simgrid"
)

// TestScripts runs testdata/*.txt. `read` reads the platform given in place, or
// file=name from testdata/good, and says what it holds or what is wrong with
// it; with master=host it lists the ways to all others.
func TestScripts(t *testing.T) {
	for _, path := range glob(t, "testdata", "*.txt") {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := []byte(d.Input)
			name := "given.xml"
			if d.HasArg("file") {
				d.ScanArgs(t, "file", &name)
				var err error
				if text, err = os.ReadFile(filepath.Join("testdata", "good", name)); err != nil {
					t.Fatal(err)
				}
			}
			p, err := simgrid.Read(name, bytes.NewReader(text))
			if err != nil {
				return err.Error() + "\n"
			}
			out := fmt.Sprintf("%d hosts\n", len(p.Hosts))
			for _, note := range p.Notes {
				out += note + "\n"
			}
			var master string
			d.MaybeScanArgs(t, "master", &master)
			if master == "" {
				return out
			}
			return out + ways(p, master)
		})
	}
}

func ways(p *simgrid.Platform, master string) string {
	paths, unreached, err := p.Paths(master)
	if err != nil {
		return err.Error() + "\n"
	}
	var out strings.Builder
	for _, way := range paths {
		h := p.Hosts[way.Host]
		fmt.Fprintf(&out, "%s: %d × %.6g flop/s, %.6g B/s, %.6g s\n", h.Name, h.Cores, h.Speed, way.Bandwidth, way.Latency)
	}
	for _, i := range unreached {
		fmt.Fprintf(&out, "%s: no way\n", p.Hosts[i].Name)
	}
	return out.String()
}

func glob(t *testing.T, parts ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(parts...))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %v (%v)", parts, err)
	}
	return paths
}

// shared returns the real platforms beside the project, or skips.
func shared(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	paths, _ := filepath.Glob(filepath.Join(root, "simgrid", "*.xml"))
	if len(paths) == 0 {
		t.Skipf("no SimGrid platforms at %s, see PARLEY_TRACES", root)
	}
	return paths
}

// TestRealPlatforms reads the platforms of SimGrid's distribution; every host
// is reached from the first one.
func TestRealPlatforms(t *testing.T) {
	hosts := map[string]int{
		"cluster_multi.xml": 24, "data_center.xml": 120, "dogbone.xml": 4, "g5k.xml": 1528, "griffon.xml": 92, "small_platform.xml": 7,
	}
	for _, path := range shared(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if !simgrid.Detect(text[:min(len(text), 4096)]) {
			t.Errorf("%s is not recognised", name)
		}
		p, err := simgrid.Read(name, bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want, known := hosts[name]; known && len(p.Hosts) != want {
			t.Errorf("%s has %d hosts, want %d", name, len(p.Hosts), want)
		}
		paths, unreached, err := p.Paths(p.Hosts[0].Name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d hosts, %d reached from %s, %d not", name, len(p.Hosts), len(paths), p.Hosts[0].Name, len(unreached))
	}
}

type seven struct{ in io.Reader }

func (r seven) Read(p []byte) (int, error) { return r.in.Read(p[:min(len(p), 7)]) }

// TestSmallSteps reads every sample 7 bytes and one byte at a time.
func TestSmallSteps(t *testing.T) {
	for _, path := range glob(t, "testdata", "good", "*.xml") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := simgrid.Read(path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"7 bytes": seven{bytes.NewReader(text)}, "one byte": iotest.OneByteReader(bytes.NewReader(text)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(text)),
		} {
			stepwise, err := simgrid.Read(path, r)
			if err != nil {
				t.Fatalf("%s by %s: %v", path, name, err)
			}
			if d := cmp.Diff(ways(whole, whole.Hosts[0].Name), ways(stepwise, whole.Hosts[0].Name)); d != "" {
				t.Errorf("%s by %s: %s", path, name, d)
			}
		}
		if _, err := simgrid.Read(path, iotest.TimeoutReader(seven{bytes.NewReader(text)})); err == nil {
			t.Errorf("%s: a broken line is no error", path)
		}
	}
}

// TestDetect: only files whose first element is <platform>.
func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		"<platform version='4.1'>":                                              true,
		"\xef\xbb\xbf<?xml version='1.0'?>\n<platform>":                         true,
		"<?xml?>\n<!DOCTYPE platform SYSTEM \"x\">\n<!-- a --\n-->\n<platform ": true,
		"<!DOCTYPE platform [ <!ENTITY a \"b\"> ]>\n<platform\n":                true,
		"<platforms>":            false,
		"<?xml version='1.0'?>":  false,
		"<!-- <platform> -->":    false,
		"<adag>\n<platform>":     false,
		"{\"load\":1}":           false,
		"":                       false,
		"<!DOCTYPE platform SYS": false,
	} {
		if got := simgrid.Detect([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// TestManyHosts: the largest cluster is read and all of it is reached; one
// host more, and a radical without end, are refused.
func TestManyHosts(t *testing.T) {
	describe := func(radical string) string {
		return `<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="` + radical +
			`" speed="1Gf" bw="1GBps" lat="1us"/></platform>`
	}
	p, err := simgrid.Read("c.xml", strings.NewReader(describe("1-100000")))
	if err != nil {
		t.Fatal(err)
	}
	paths, unreached, err := p.Paths("n500")
	if err != nil || len(paths) != 99_999 || len(unreached) != 0 {
		t.Errorf("%d paths, %d unreached, %v", len(paths), len(unreached), err)
	}
	for _, radical := range []string{"1-524289", "0-9223372036854775807"} {
		if _, err := simgrid.Read("c.xml", strings.NewReader(describe(radical))); err == nil {
			t.Errorf("radical %s is read", radical)
		}
	}
}

// TestDepthAndNamespaces: zones lie at most 64 deep, and an attribute of another namespace is not read
// as one of a platform.
func TestDepthAndNamespaces(t *testing.T) {
	zones := ""
	for i := range 70 {
		zones += fmt.Sprintf(`<zone id="z%d" routing="Full">`, i)
	}
	for text, want := range map[string]string{
		`<platform version="4.1">` + zones: "the element <zone> lies in more than 64 other elements; flatten them",
		`<platform version="4.1" xmlns:o="urn:o"><zone id="z" routing="Full"><host id="h" o:speed="1f"/></zone></platform>`: `is of the namespace "urn:o", and platforms have none`,
	} {
		if _, err := simgrid.Read("p.xml", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzRead: any text is a platform or one sentence, and reading it in small
// steps changes nothing.
func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/good/*.xml")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`<platform version="4.1"><cluster id="c" prefix="" suffix="" radical="1-3,9" speed="1f" bw="1Bps" lat="0" router_id="r"/></platform>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := simgrid.Read("f", bytes.NewReader(text))
		again, errAgain := simgrid.Read("f", seven{bytes.NewReader(text)})
		if fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("%v, by 7 bytes %v", err, errAgain)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %q", err)
			}
			return
		}
		if len(p.Hosts) > 1000 {
			return
		}
		if a, b := ways(p, p.Hosts[0].Name), ways(again, p.Hosts[0].Name); a != b {
			t.Fatalf("%s\nby 7 bytes\n%s", a, b)
		}
		paths, _, _ := p.Paths(p.Hosts[0].Name)
		for _, way := range paths {
			if !(way.Bandwidth > 0) || !(way.Latency >= 0) {
				t.Fatalf("%v", way)
			}
		}
	})
}
