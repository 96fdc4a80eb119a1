package feed_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"parley/core/feed"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
)

// TestFilesWithoutTasks: machines alone are a good trace and nothing to run.
func TestFilesWithoutTasks(t *testing.T) {
	content := []byte("0,5,0,platform,0.5,0.2493\n")
	file := trace.File{
		Name: "machine_events.csv", Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = feed.Open(s, []trace.File{file}, formats.All, trace.Options{})
	var told *trace.Error
	if !errors.As(err, &told) || told.Kind != trace.NoTasks {
		t.Fatalf("machines without tasks: %v; want an error of class %s", err, trace.NoTasks)
	}
	if want := "machine_events.csv holds no tasks, so there is nothing to run; open some parts of task_events as well"; err.Error() != want {
		t.Errorf("it says %q, want %q", err, want)
	}
}
