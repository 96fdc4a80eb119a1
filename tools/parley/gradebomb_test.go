package main_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// zipOf writes a zip file.
func zipOf(t *testing.T, dir, name string, write func(*zip.Writer)) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	write(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGradeIsBounded: what a student or an author sends takes neither memory nor simulated time
// without bound. Each is refused in a sentence, or in the row of the table.
func TestGradeIsBounded(t *testing.T) {
	dir := t.TempDir()
	zeros := make([]byte, 1<<20)
	zipOf(t, dir, "large.zip", func(z *zip.Writer) {
		w, _ := z.Create("manifest.json")
		for range 2000 {
			w.Write(zeros)
		}
	})
	zipOf(t, dir, "many.zip", func(z *zip.Writer) {
		for i := range 10_001 {
			z.Create(fmt.Sprint(i))
		}
	})
	zipOf(t, dir, "sum.zip", func(z *zip.Writer) {
		for i := range 500 {
			w, _ := z.Create(fmt.Sprint(i))
			w.Write(zeros)
		}
	})
	zipOf(t, dir, "twice.zip", func(z *zip.Writer) { z.Create("a"); z.Create("a") })
	for name, manifest := range map[string]string{
		"deep.zip":  strings.Repeat("[", 100_000),
		"time.zip":  `{"v":1,"runs":[{"name":"r","simulated_s":1e300}],"files":[]}`,
		"years.zip": `{"v":1,"runs":[{"name":"r","simulated_s":3e8}],"files":[]}`,
	} {
		zipOf(t, dir, name, func(z *zip.Writer) {
			w, _ := z.Create("manifest.json")
			w.Write([]byte(manifest))
			w, _ = z.Create("r/scenario.json")
			w.Write([]byte(`{"v":1,"system":"central","until":"3650d"}`))
		})
	}
	link := func(keys string) string { return "#sys=central&d=00000000&" + keys }
	for name, text := range map[string]string{
		"years.txt":  "Ana: " + link("n=20&at=3650d"),
		"nodes.txt":  "Ana: " + link("n=1000000&at=1s"),
		"work.txt":   "Ana: " + link("n=12583&at=32d"),
		"enough.txt": "Ana: " + link("n=20&at=1s"),
		"long.txt":   strings.Repeat("Ana: "+link("at=1s")+"\n", 10_001),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	for args, want := range map[string]string{
		"large.zip":                   "unfolds to more than the 161 MB that are read of an artefact of",
		"sum.zip":                     "unfolds to more than the",
		"many.zip":                    "has 10001 files in it: at most 10000 are read",
		"twice.zip":                   "has two files of the name a",
		"deep.zip":                    "is no artefact",
		"time.zip":                    "it ends after 1e+300 s, which is no time from 0 to 3650d",
		"years.zip":                   "it asks for 3472d5h20m of 12583 nodes, and at most 31d of 12583 nodes, or less of more nodes, are played: give --most-time to play it",
		"years.txt":                   "it asks for 3650d of 20 nodes",
		"work.txt":                    "it asks for 32d of 12583 nodes",
		"nodes.txt":                   "it asks for 1000000 nodes, and at most 12583",
		"enough.txt":                  "differs: ",
		"enough.txt --most-time 10ms": "it asks for 1s of 20 nodes, and at most 10ms of",
		"long.txt":                    "has more than 10000 lines",
		link("n=20&at=40d"):           "asks for 40d of 20 nodes",
	} {
		arg, more, _ := strings.Cut(args, " ")
		if strings.Contains(arg, ".") {
			arg = filepath.Join(dir, arg)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out, complaints bytes.Buffer
		code := parley.Main(append([]string{"grade", arg}, strings.Fields(more)...), &console.Console{In: strings.NewReader(""), Out: &out, Err: &complaints, Now: ticking()})
		runtime.ReadMemStats(&after)
		if text := out.String() + complaints.String(); code == 0 || !strings.Contains(text, want) {
			t.Errorf("parley grade %s exits with %d and says %q, want %q", args, code, text, want)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 256 {
			t.Errorf("parley grade %s takes %d MB", args, mb)
		}
	}
}
