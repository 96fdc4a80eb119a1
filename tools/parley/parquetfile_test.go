package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"parley/tools/parley/load"
)

// A Parquet file is the table that it holds: with paths as names, nothing for null, one cell for
// a list.
func TestParquetFile(t *testing.T) {
	type request struct {
		CPUs float64 `parquet:"cpus"`
	}
	type row struct {
		ID      string   `parquet:"id"`
		At      int64    `parquet:"submission_time,timestamp(millisecond)"`
		Run     *int64   `parquet:"duration,optional"`
		Request request  `parquet:"resource_request"`
		Parents []string `parquet:"parents,list"`
	}
	run := int64(60_000)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write([]row{{"a,\nb", 1_376_314_846_000, &run, request{0.5}, nil}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // another group of rows
		t.Fatal(err)
	}
	if _, err := w.Write([]row{{"c", 5, nil, request{2}, []string{"1", "2"}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "tasks.parquet")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := tableText(t, name)
	want := "id,submission_time,duration,resource_request.cpus,parents\n\"a, b\",1376314846000,60000,0.5,\nc,5,,2,1 2\n"
	if text != want || err != nil {
		t.Errorf("%q, %v\nwant %q", text, err, want)
	}
	broken := append([]byte(nil), b.Bytes()...)
	copy(broken[10:], strings.Repeat("x", 40))
	if err := os.WriteFile(name, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := tableText(t, name); err == nil {
		t.Errorf("broken pages read as %q", text)
	}
	if err := os.WriteFile(name, b.Bytes()[:b.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tableText(t, name); err == nil || !strings.Contains(err.Error(), "fetch or write it again") {
		t.Error(err)
	}
}

// A Parquet file does not unfold without bound.
func TestParquetFileGrows(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(32<<20))
	rows := make([]row, 1000)
	for i := range rows {
		rows[i].Text = strings.Repeat("0", 1000)
	}
	for range 100 {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "tasks.parquet")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tableText(t, name); err == nil || !strings.Contains(err.Error(), "unfolds to more than 200 bytes for each of its own") {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

// tableText reads a file as the command line does.
func tableText(t *testing.T, name string) (string, error) {
	t.Helper()
	tr := load.Trace{Names: []string{name}}
	files, err := tr.Files()
	if err != nil {
		return "", err
	}
	in, err := files[0].Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	return string(text), err
}

// Files of every codec and encoding that Parquet's own library writes, and those of the shared
// traces, are the tables that the library reads of them.
func TestParquetAsTheLibrary(t *testing.T) {
	type part struct {
		CPUs   float64  `parquet:"cpus"`
		Memory *float32 `parquet:"memory,optional"`
	}
	type row struct {
		Plain   int64    `parquet:"plain,plain"`
		Delta   int64    `parquet:"delta,delta"`
		Delta32 int32    `parquet:"delta32,delta"`
		Dict    string   `parquet:"dict,dict"`
		Text    string   `parquet:"text,delta"`
		Maybe   *string  `parquet:"maybe,optional,dict"`
		Flag    bool     `parquet:"flag"`
		Fixed   [5]byte  `parquet:"fixed"`
		Part    part     `parquet:"part"`
		List    []string `parquet:"list,list"`
		Many    []int32  `parquet:"many"`
		Split   float64  `parquet:"split,split"`
	}
	random := rand.New(rand.NewPCG(1, 2))
	var rows []row
	for i := range 3000 {
		r := row{Plain: random.Int64() >> random.IntN(63), Delta: int64(i*i) - 70, Delta32: int32(random.IntN(1000)) - 500, Dict: fmt.Sprint("d", random.IntN(20)), Text: fmt.Sprint("name-", i/7), Flag: random.IntN(3) == 0, Split: random.Float64()}
		copy(r.Fixed[:], fmt.Sprintf("%05d", i))
		r.Part.CPUs = float64(random.IntN(64)) / 4
		if random.IntN(3) > 0 {
			text, memory := fmt.Sprint("m", random.IntN(5)), random.Float32()
			r.Maybe, r.Part.Memory = &text, &memory
		}
		for k := range random.IntN(4) {
			r.List, r.Many = append(r.List, fmt.Sprint(k, "-", i)), append(r.Many, int32(k*i))
		}
		rows = append(rows, r)
	}
	dir, names := t.TempDir(), []string{}
	for name, options := range map[string][]parquet.WriterOption{
		"plain": {parquet.Compression(&parquet.Uncompressed)}, "snappy": {parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)}, "gzip": {parquet.Compression(&parquet.Gzip), parquet.PageBufferSize(900)},
		"zstd": {parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(2)}, "lz4": {parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)},
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, options...)
		for i := 0; i < len(rows); i += 1000 { // three groups of rows
			if _, err := w.Write(rows[i : i+1000]); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Join(dir, name+".parquet"))
		if err := os.WriteFile(names[len(names)-1], b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shared, _ := filepath.Glob("../../../shared/traces/field/*/*/*.parquet") // none: the files that are written above suffice
	slices.Sort(names)
	first := ""
	for _, name := range append(names, shared...) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := f.Stat()
		if testing.Short() && info.Size() > 500_000 {
			continue
		}
		in, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := oracle(&want, in); err != nil {
			t.Log("the library refuses ", name, ": ", err)
			if want.Reset(); slices.Contains(names, name) { // all of them hold the same rows
				want.WriteString(first)
			}
		}
		if first == "" {
			first = want.String()
		}
		f.Close()
		got, err := tableText(t, name)
		if err != nil || got != want.String() {
			at := 0
			for at < min(len(got), want.Len()) && got[at] == want.String()[at] {
				at++
			}
			t.Errorf("%s: %v; %d bytes, the library has %d; at byte %d\n%.200q\nwant\n%.200q", name, err, len(got), want.Len(), at, got[max(0, at-60):], want.String()[max(0, at-60):])
		}
	}
}

// oracle writes the rows of a Parquet file as CSV, read by the parquet-go library.
func oracle(w io.Writer, in *parquet.File) (err error) {
	defer func() { // the reader panics where pages are broken
		if p := recover(); p != nil {
			err = fmt.Errorf("the Parquet file is broken: %v", p)
		}
	}()
	buffered := bufio.NewWriter(w)
	out := csv.NewWriter(buffered)
	var names []string
	for _, path := range in.Schema().Columns() {
		names = append(names, oracleName(path))
	}
	if err := out.Write(names); err != nil {
		return err
	}
	cells := make([]string, len(names))
	for _, group := range in.RowGroups() {
		rows := group.Rows()
		batch := make([]parquet.Row, 256)
		for {
			n, err := rows.ReadRows(batch)
			for _, row := range batch[:n] {
				clear(cells)
				for _, v := range row {
					at := v.Column()
					switch text := cellOf(v); {
					case cells[at] == "":
						cells[at] = text
					case text != "":
						cells[at] += " " + text
					}
				}
				if err := out.Write(cells); err != nil {
					rows.Close()
					return err
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// oracleName returns the name of a column by its path: without the steps that stand for the
// elements of a list.
func oracleName(path []string) string {
	path = slices.DeleteFunc(slices.Clone(path), func(step string) bool {
		return slices.Contains([]string{"list", "element", "item", "bag", "array", "array_element"}, step) && len(path) > 1
	})
	return strings.Join(path, ".")
}

// cellOf returns a value as text; nothing if it is null.
func cellOf(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	if v.Kind() == parquet.Double { // ids may be such numbers
		return strconv.FormatFloat(v.Double(), 'f', -1, 64)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(v.String(), ""), "\n", " ") // a row is a line
}
