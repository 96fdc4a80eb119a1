package main_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/kube/usage"
	"parley/core/message"
	"parley/core/protocol"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/simgrid"
	"parley/core/trace/workflow"
	"parley/core/workload"
	"parley/core/workload/graphs"
	short "parley/tools/links"
	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

func times(n int, f string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(f, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// The bombs are values, or texts, that are small and could make a reader do much.
var bombs = sync.OnceValue(func() map[string]map[string]string {
	return map[string]map[string]string{
		"parquet": parquetBombs(),
		"json": {
			"lists, open":     strings.Repeat("[", 200_000),
			"lists":           strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
			"objects":         strings.Repeat(`{"a":`, 10_000) + "0" + strings.Repeat("}", 10_000),
			"a wide list":     "[" + strings.Repeat("0,", 300_000) + "0]",
			"a wide object":   "{" + times(50_000, `"k#":0,`) + `"k":0}`,
			"one key":         "{" + strings.Repeat(`"k":0,`, 50_000) + `"k":0}`,
			"a long text":     `"` + strings.Repeat("a", 1_000_000) + `"`,
			"escapes":         `"` + strings.Repeat(`\u0001`, 150_000) + `"`,
			"a long number":   strings.Repeat("9", 500_000),
			"a wide list, 60": strings.Repeat("[", 60) + strings.Repeat("[],", 100_000) + "[]" + strings.Repeat("]", 60),
		},
		"yaml": {
			"lists":         strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
			"dashes":        "\n" + strings.Repeat("- ", 9_000) + "a",
			"columns":       "\n" + times(2000, "COLUMN#") + " a",
			"anchors":       "\n a: &a [0,0,0,0,0,0,0,0,0]\n b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]",
			"merges":        "\n a: &a {a: 0, b: 0}\n b: &b {<<: [*a,*a,*a,*a,*a,*a,*a,*a]}\n c: &c {<<: [*b,*b,*b,*b,*b,*b,*b,*b]}\n d: {<<: [*c,*c,*c,*c,*c,*c,*c,*c]}",
			"a wide list":   "\n" + strings.Repeat(" - 0\n", 100_000),
			"a wide object": "\n" + times(50_000, " k#: 0\n"),
			"one key":       "\n" + strings.Repeat(" k: 0\n", 50_000),
			"a long text":   strings.Repeat("a", 1_000_000),
			"documents":     "0\n" + strings.Repeat("---\nkind: List\nitems: []\n", 30_000),
		},
		"xml": {
			"elements, open": strings.Repeat("<x>", 200_000),
			"elements":       strings.Repeat("<x>", 10_000) + strings.Repeat("</x>", 10_000),
			"a wide list":    strings.Repeat("<x/>", 200_000),
			"attributes":     "<x " + times(50_000, `a#="0" `) + "/>",
			"namespaces":     "<x " + times(20_000, `xmlns:a#="u" `) + "/>",
			"a long text":    strings.Repeat("a", 1_000_000),
			"a long name":    "<" + strings.Repeat("a", 1_000_000) + "/>",
			"a comment":      "<!--" + strings.Repeat("- ", 500_000),
			"entities":       strings.Repeat("&lol;", 100_000),
			"references":     strings.Repeat("&#38;", 200_000),
		},
		"lines": {
			"a long line":     strings.Repeat("a", 2_000_000),
			"short lines":     strings.Repeat("x\n", 300_000),
			"columns":         strings.Repeat("1,", 500_000) + "\n",
			"spaces":          strings.Repeat("1 ", 500_000) + "\n",
			"zeros":           strings.Repeat("\x00", 1_000_000),
			"a long number":   strings.Repeat("9", 1_000_000) + "\n",
			"an exponent":     strings.Repeat("1e999999999 ", 18) + "\n",
			"an open quote":   "\"" + strings.Repeat("a\n", 300_000),
			"returns":         strings.Repeat("\r", 1_000_000),
			"what unfolds to": strings.Repeat(strings.Repeat("0", 1023)+"\n", 200<<10),
		},
	}
})

// bombed is a reader and where a bomb stands in what it reads: in the place of BOMB.
type bombed struct {
	kind  string
	in    string
	read  func(text []byte) error
	gzips bool // a packed text is read too
}

func stored(text []byte) trace.File {
	return trace.File{Name: "bomb", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
}

// asTrace reads a file of any format to its end.
func asTrace(text []byte) error {
	source, err := trace.Open([]trace.File{stored(text)}, formats.All, trace.Options{SkipBadRows: true})
	if err != nil {
		return err
	}
	defer source.Close()
	for r := (workload.Record{}); err == nil; err = source.Next(&r) {
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// nowhere is a store that takes everything.
type nowhere struct{}

func (nowhere) Get(context.Context, string) ([]byte, error)              { return nil, short.ErrNone }
func (nowhere) Put(context.Context, string, []byte, time.Duration) error { return nil }

// deflated packs a text for a link.
func deflated(text []byte) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write(text)
	w.Close()
	return "z=1." + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

func readers(dir string) map[string]bombed {
	const view = `{"v":1,"system":"central","view":{"x":BOMB}}`
	problem := func(problems []string) error {
		if len(problems) > 0 {
			return errors.New(problems[0])
		}
		return nil
	}
	all := map[string]bombed{
		"scenario": {kind: "json", in: view, read: func(text []byte) error {
			s, err := scenario.Parse(text)
			if err == nil {
				_, err = scenario.Parse(s.Encode())
				s.Brief()
			}
			return err
		}},
		"settings": {kind: "json", in: `{"v":1,"system":"central","settings":BOMB}`, read: func(text []byte) error { _, err := scenario.Parse(text); return err }},
		"link": {kind: "json", in: view, read: func(text []byte) error {
			a, problems, _ := scenario.DecodeAddress(deflated(text))
			if a.Packed != nil {
				if s, err := a.Scenario(scenario.Gallery{}); err == nil {
					scenario.LinkTo(s, scenario.Gallery{})
				}
			}
			return problem(problems)
		}},
		"POST": {kind: "json", in: view, read: func(text []byte) error {
			r := httptest.NewRequest("POST", "/api/links", bytes.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			short.New(short.Options{Store: nowhere{}}).ServeHTTP(w, r)
			if w.Code != 201 {
				return errors.New(w.Body.String())
			}
			return nil
		}},
		"sweep":    {kind: "json", in: `{"v":1,"base":{"v":1,"system":"central"},"axes":{"settings.x":BOMB}}`, read: func(text []byte) error { _, err := study.Parse(text, nil); return err }},
		"results":  {kind: "json", in: `{"id":"0123","engine":"e","figures":BOMB}` + "\n", read: func(text []byte) error { _, err := study.NewResults("e").Read("r", bytes.NewReader(text)); return err }},
		"graphs":   {kind: "json", in: `{"graphs":BOMB}`, read: func(text []byte) error { _, err := graphs.Parse(text); return err }},
		"acts":     {kind: "json", in: `{"parley_acts":1,"welcome":BOMB}` + "\n", read: func(text []byte) error { _, err := protocol.ReadLog(bytes.NewReader(text)); return err }},
		"protocol": {kind: "json", in: `{"acts":BOMB}`, read: func(text []byte) error { return protocol.Decode(text, &protocol.Answer{}) }},
		"report":   {kind: "json", in: `{"figures":[],"x":BOMB}`, read: func(text []byte) error { _, err := question.ReadReport("r", text); return err }},
		"dump": {
			kind: "json", gzips: true, in: `{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"a","namespace":"d"},"spec":{"containers":[{"name":"c"}],"x":BOMB}}]}`,
			read: func(text []byte) error { _, err := dump.Read([]trace.File{stored(text)}, nil); return err },
		},
		"pseudonymise": {
			kind: "json", in: `{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"a","labels":BOMB},"spec":{"containers":[{"name":"c"}]}}]}`,
			read: func(text []byte) error {
				return dump.Pseudonymise(io.Discard, []trace.File{stored(text)}, "s", nil)
			},
		},
		"dump in YAML": {
			kind: "yaml", in: "kind: Pod\nmetadata:\n name: a\n namespace: d\nspec:\n containers: [{name: c}]\nx: BOMB\n",
			read: func(text []byte) error { _, err := dump.Read([]trace.File{stored(text)}, nil); return err },
		},
		"profile":    {kind: "yaml", in: "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nx: BOMB\n", read: func(text []byte) error { _, err := dump.Profiles("p", text); return err }},
		"prometheus": {kind: "json", in: `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"namespace":"d","pod":"p"},"values":BOMB}]}}`, read: func(text []byte) error { return dump.ReadUsage(usage.New(), []trace.File{stored(text)}, 0, nil) }},
		"sacct":      {kind: "json", gzips: true, in: `{"jobs":[{"job_id":19,"time":{"submission":100,"elapsed":50},"required":{"CPUs":2},"x":BOMB}]}`, read: asTrace},
		"Philly":     {kind: "json", gzips: true, in: `[{"status":"Pass","vc":"a","jobid":"application_1","attempts":[],"submitted_time":"2017-10-09 07:01:29","user":"u","x":BOMB}]`, read: asTrace},
		"PBS":        {kind: "lines", gzips: true, in: "01/01/2024 00:00:09;E;1.h;user=u group=g queue=q ctime=1 qtime=1 etime=1 start=2 end=9 Resource_List.ncpus=1\nBOMB", read: asTrace},
		"WfFormat":   {kind: "json", gzips: true, in: `{"schemaVersion":"1.5","workflow":{"tasks":[{"name":"a","runtime":1,"x":BOMB}]}}`, read: func(text []byte) error { _, err := workflow.Read("w", bytes.NewReader(text)); return err }},
		"DAX":        {kind: "xml", in: `<adag><job id="a" runtime="1">BOMB</job></adag>`, read: func(text []byte) error { _, err := workflow.Read("w", bytes.NewReader(text)); return err }},
		"SimGrid":    {kind: "xml", in: `<platform version="4.1"><zone id="z" routing="Full">BOMB</zone></platform>`, read: func(text []byte) error { _, err := simgrid.Read("p", bytes.NewReader(text)); return err }},
		"Parquet":    {kind: "parquet", in: "BOMB", read: asParquet},
		"RFQ":        {kind: "xml", gzips: true, in: `<RFQ><Request>BOMB</Request></RFQ>`, read: asTrace},
		"SWF":        {kind: "lines", gzips: true, in: "; MaxProcs: 4\n1 0 0 100 1 -1 -1 1 200 -1 1 1 1 1 1 -1 -1 -1\nBOMB", read: asTrace},
		"jobs":       {kind: "lines", gzips: true, in: "job_id,submit,start,end,processors\n1,0,0,9,1\nBOMB", read: asTrace},
		"machines":   {kind: "lines", gzips: true, in: "0,5,0,p,0.5,0.25\nBOMB", read: asTrace},
		"prices":     {kind: "lines", in: "type,price\nm,1\nBOMB", read: func(text []byte) error { _, err := question.ReadPrices("p", text); return err }},
		"use":        {kind: "lines", gzips: true, in: "namespace,pod,cpu\nd,p,1m\nBOMB", read: func(text []byte) error { return dump.ReadUsage(usage.New(), []trace.File{stored(text)}, -1, nil) }},
		"hand-ins": {kind: "lines", in: "Ana: #n=20&sys=central&at=1s&d=00000000\nBOMB", read: func(text []byte) error {
			name := filepath.Join(dir, "class.txt")
			if err := os.WriteFile(name, text, 0o600); err != nil {
				return err
			}
			var out bytes.Buffer
			if parley.Main([]string{"grade", name}, &console.Console{In: strings.NewReader(""), Out: io.Discard, Err: &out, Now: ticking()}) != 0 {
				return errors.New(strings.TrimSpace(out.String()))
			}
			return nil
		}},
	}
	for name, read := range map[string]func([]byte, int) (message.Message, error){"worker": message.ToWorker, "whole": message.ToWhole, "lab": message.ToLab, "planner": message.ToPlanner, "sweep's": message.ToSweep, "cluster's": message.ToCluster, "view's": message.ToView} {
		all["message to the "+name] = bombed{kind: "json", in: `{"type":"open","scenario":BOMB}`, read: func(text []byte) error { _, err := read(text, 0); return err }}
	}
	return all
}

// TestBombs feeds each reader with what is small and could make it do much: it is read, or refused in
// one sentence, within a second of processor and 256 MB. -v prints the table.
func TestBombs(t *testing.T) {
	deep := ""
	for i := range 2000 {
		deep += fmt.Sprintf("\n%s- a:", strings.Repeat(" ", 1+2*i))
	}
	bombs()["yaml"]["columns"] = deep
	all := readers(t.TempDir())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		for _, bomb := range slices.Sorted(maps.Keys(bombs()[r.kind])) {
			if testing.Short() && !slices.Contains([]string{"lists", "objects", "a wide list, 60", "anchors", "columns", "elements", "attributes", "short lines", "lists of nulls", "one text"}, bomb) {
				continue // -short: two of ten, the others take half a minute
			}
			text := []byte(strings.Replace(r.in, "BOMB", bombs()[r.kind][bomb], 1))
			if bomb == "what unfolds to" && r.kind != "parquet" {
				if !r.gzips {
					continue
				}
				var packed bytes.Buffer
				w := gzip.NewWriter(&packed)
				w.Write(text)
				w.Close()
				text = packed.Bytes()
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			limit, began := 20*time.Second, time.Now() // of a machine with other work
			spent, known := processor()
			err := r.read(text)
			took := time.Since(began)
			if now, _ := processor(); known {
				limit, took = time.Second, now-spent
			}
			runtime.ReadMemStats(&after)
			mb := (after.TotalAlloc - before.TotalAlloc) >> 20
			stated := "is read"
			if err != nil {
				stated = err.Error()
			}
			if len(stated) > 1200 || strings.Contains(strings.TrimSpace(stated), "\n") {
				t.Errorf("%s, %s: %d bytes of %q are no sentence", name, bomb, len(stated), stated[:min(len(stated), 300)])
			}
			t.Logf("%-14s %-16s %8d bytes %6.3f s %4d MB  %.150s", name, bomb, len(text), took.Seconds(), mb, stated)
			if took > limit || mb > 256 {
				t.Errorf("%s, %s: %d bytes take %v and %d MB", name, bomb, len(text), took, mb)
			}
		}
	}
}
