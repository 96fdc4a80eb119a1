package files_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"parley/core/play/files"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/packed"
)

// The page reads a Parquet file as the command line does; a program without what unpacks it says so.
func TestParquet(t *testing.T) {
	content, err := os.ReadFile("../../trace/packed/testdata/tasks-zstd.parquet")
	if err != nil {
		t.Fatal(err)
	}
	file := trace.File{Name: "tasks.parquet", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
	look := func(r files.Reader, jobs string) (string, error) {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","workload":{` + jobs + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		listed, err := r.Look(s, []trace.File{file}, false, nil)
		if err != nil {
			return "", err
		}
		return listed[0].Format, nil
	}
	if format, err := look(files.Reader{Unpack: packed.Open}, ""); format != "opendc/tasks" || err != nil {
		t.Errorf("%s, %v", format, err)
	}
	if format, err := look(files.Reader{Unpack: packed.Open}, `"jobs":{"from":"1s"}`); format != "opendc/tasks" || err != nil {
		t.Errorf("a part of it: %s, %v", format, err)
	}
	if _, err := look(files.Reader{}, ""); err == nil || !strings.Contains(err.Error(), "a Parquet file, which is read by itself") {
		t.Error(err)
	}
	if table := (files.Reader{Unpack: packed.Open}).Table(file, ""); len(table.Columns) != 8 || table.Columns[1].Name != "submission_time" {
		t.Errorf("%+v", table)
	}
}
