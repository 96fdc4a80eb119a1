package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
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
	if _, err := tableText(t, name); err == nil || !strings.Contains(err.Error(), "fetch it again") {
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

func tableText(t *testing.T, name string) (string, error) {
	t.Helper()
	in, err := openTable(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	return string(text), err
}
