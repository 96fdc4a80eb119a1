package google2011_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
)

// brokenFiles makes one file for each way to be bad, by name.
func brokenFiles() map[string][]byte {
	w := cell()
	tasks := func(change func(line int, fields []string) []string) []byte {
		var changed rows
		for i, row := range w.tables[taskTable][300:340] {
			changed = append(changed, strings.Join(change(i+1, strings.Split(row, ",")), ","))
		}
		return []byte(changed.content())
	}
	column := func(line, column int, value string) []byte {
		return tasks(func(i int, fields []string) []string {
			if i == line {
				fields[column] = value
			}
			return fields
		})
	}
	packed := zipped(w.tables[taskTable].content(), 1)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
		"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
	return map[string][]byte{
		"truncated.csv.gz":  packed[:len(packed)/2],
		"trailing.csv.gz":   append(bytes.Clone(packed), "not gzip"...),
		"negative-time.csv": column(30, 0, "-5"),
		"text-number.csv":   column(30, 9, "lots"),
		"huge-id.csv":       column(30, 2, "99999999999999999999"),
		"unsorted.csv":      column(30, 0, "0"),
		"missing-column.csv": tasks(func(i int, fields []string) []string {
			if i == 30 {
				return slices.Delete(fields, 4, 5)
			}
			return fields
		}),
		"quoted.csv": tasks(func(i int, fields []string) []string {
			if i == 30 {
				fields[6] = `"` + fields[6] + `"`
			}
			return fields
		}),
		"long-row.csv": column(30, 6, strings.Repeat("x", 70_000)),
		"empty.csv":    {},
		"image.csv":    []byte(png),
		"workflow.csv": []byte("{\n  \"name\": \"two\",\n  \"workflow\": {\"tasks\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}\n}\n"),
		"batch.csv":    []byte("1,2,1,1,1,Terminated,50,0.1\r\n2,3,1,2,1,Waiting,,\r\n"),
	}
}

// TestBrokenFiles compares the files in testdata/broken with brokenFiles, and
// what is said about them with said.txt; with -rewrite it writes both anew.
func TestBrokenFiles(t *testing.T) {
	rewrite := flag.Lookup("rewrite").Value.String() == "true"
	made := brokenFiles()
	var names []string
	for name := range made {
		names = append(names, name)
	}
	slices.Sort(names)
	var stated strings.Builder
	for _, name := range names {
		path := filepath.Join("testdata/broken", name)
		if rewrite {
			if err := os.MkdirAll("testdata/broken", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, made[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, ".gz") && !bytes.Equal(stored, made[name]) {
			t.Errorf("%s is not what brokenFiles makes; run with -rewrite", path)
		}
		stated.WriteString(sayAbout(t, memory(name, stored, 0)))
	}
	const golden = "testdata/broken/said.txt"
	if rewrite {
		if err := os.WriteFile(golden, []byte(stated.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != stated.String() {
		t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, stated.String(), want)
	}
}

// sayAbout returns what both readers say about a file, which must be the same.
func sayAbout(t *testing.T, f trace.File) string {
	files := []trace.File{f}
	_, err := google2011.Summarise(files, trace.Options{})
	if err == nil {
		t.Errorf("%s is no error", f.Name)
		return ""
	}
	s, again := google2011.Open(files, trace.Options{})
	if again == nil {
		_, again = records(t, s)
	}
	if again == nil || again.Error() != err.Error() {
		t.Errorf("Summarise says %v, Next says %v", err, again)
	}
	skipping, err2 := google2011.Summarise(files, trace.Options{SkipBadRows: true})
	bad, first := skipping.Bad()
	if err2 == nil && (bad != 1 || first.Error() != err.Error()) {
		t.Errorf("%s: %d bad rows, the first is %v", f.Name, bad, first)
	}
	return fmt.Sprintf("%sskipped: %d\n", asError(err), bad)
}
