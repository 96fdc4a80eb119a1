package google2011_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// memory returns a file that holds content and hands out at most step bytes at
// a time, or all where step is 0.
func memory(name string, content []byte, step int) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		if step == 0 {
			return io.NopCloser(bytes.NewReader(content)), nil
		}
		return io.NopCloser(&stepwise{bytes.NewReader(content), step}), nil
	}}
}

type stepwise struct {
	in   io.Reader
	step int
}

func (s *stepwise) Read(p []byte) (int, error) { return s.in.Read(p[:min(len(p), s.step)]) }

func onDisk(path string) trace.File {
	size := int64(-1)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	return trace.File{Name: path, Size: size, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// zipped returns content as gzip, in so many members.
func zipped(content string, members int) []byte {
	var b bytes.Buffer
	for i := range members {
		z := gzip.NewWriter(&b)
		io.WriteString(z, content[len(content)*i/members:len(content)*(i+1)/members])
		z.Close()
	}
	return b.Bytes()
}

// realFiles returns the public files of the tables, or skips the test.
func realFiles(t testing.TB, tables ...string) []trace.File {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	var files []trace.File
	for _, table := range tables {
		paths, _ := filepath.Glob(filepath.Join(root, "google2011", table, "*.csv.gz"))
		if len(paths) == 0 {
			t.Skipf("no google2011/%s in %s, see PARLEY_TRACES", table, root)
		}
		for _, path := range paths {
			files = append(files, onDisk(path))
		}
	}
	return files
}

// records returns a source's records as text and how it ended. It checks that
// times never decrease.
func records(t testing.TB, s *google2011.Source) (texts []string, end error) {
	t.Helper()
	var r workload.Record
	for last := unit.Time(0); ; last = r.At {
		if err := s.Next(&r); err != nil {
			if again := s.Next(&r); again != err {
				t.Fatalf("after %v the source says %v", err, again)
			}
			if err == io.EOF {
				err = nil
			}
			return texts, err
		}
		if r.At < last {
			t.Fatalf("a record at %v after one at %v", r.At, last)
		}
		texts = append(texts, show(&r, s.Names()))
	}
}

// show prints a record: only the fields that its kind fills.
func show(r *workload.Record, names *workload.Names) string {
	at := fmt.Sprintf("%gs", r.At.Seconds())
	key := fmt.Sprintf("%d/%d", r.Key.Job, r.Key.Index)
	switch r.Kind {
	case workload.NodeJoins:
		s := fmt.Sprintf("%s m%d joins %s", at, r.Machine, vec(r.Node.Capacity))
		for _, a := range r.Node.Attributes {
			s += " " + attribute(a, names)
		}
		return s
	case workload.NodeLeaves:
		return fmt.Sprintf("%s m%d leaves", at, r.Machine)
	case workload.NodeChanges:
		return fmt.Sprintf("%s m%d changes %s", at, r.Machine, vec(r.Node.Capacity))
	case workload.NodeAttribute:
		return fmt.Sprintf("%s m%d has %s", at, r.Machine, attribute(r.Attribute, names))
	case workload.TaskArrives:
		s := fmt.Sprintf("%s %s arrives %s user=%d image=%dMB", at, key, demand(&r.Task, names), r.Task.User, r.Task.Image/unit.MB)
		if r.Task.Spread {
			s += " spread"
		}
		if r.Task.Usage.Measured {
			s += " measured"
		}
		return s
	case workload.TaskChanges:
		return fmt.Sprintf("%s %s changes %s", at, key, demand(&r.Task, names))
	case workload.TaskEnds:
		return fmt.Sprintf("%s %s ends %s", at, key, r.End)
	case workload.TaskUses:
		return fmt.Sprintf("%s %s uses %s", at, key, vec(r.Use))
	case workload.TaskRecorded:
		return fmt.Sprintf("%s %s on m%d", at, key, r.Machine)
	case workload.TaskReleased:
		return fmt.Sprintf("%s %s released", at, key)
	}
	return fmt.Sprintf("%s kind %d", at, r.Kind)
}

func vec(v unit.Vec) string {
	return fmt.Sprintf("%g/%g", v[unit.CPU].Float(), v[unit.Memory].Float())
}

func demand(t *workload.Task, names *workload.Names) string {
	s := fmt.Sprintf("%s p%d %s", []string{"batch", "production"}[t.Class], t.Priority, vec(t.Request))
	for _, c := range t.Constraints {
		s += " " + names.AttributeText(c.Name) + []string{"=", "!=", "<", ">"}[c.Op] + value(c.Value, names)
	}
	return s
}

func attribute(a workload.Attribute, names *workload.Names) string {
	if a.Absent {
		return "no " + names.AttributeText(a.Name)
	}
	return names.AttributeText(a.Name) + ":" + value(a.Value, names)
}

// value marks texts with quotes, so that 5 and "5" look different.
func value(v int64, names *workload.Names) string {
	switch {
	case v == workload.Unset:
		return "unset"
	case workload.IsText(v):
		return "'" + names.ValueText(v) + "'"
	}
	return names.ValueText(v)
}

// counted prints the fields of a struct of counts that are not 0.
func counted(counts any) string {
	var parts []string
	v := reflect.ValueOf(counts)
	for i := range v.NumField() {
		if n := v.Field(i).Int(); n != 0 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			parts = append(parts, fmt.Sprintf("%s=%d", name, n))
		}
	}
	return strings.Join(parts, " ")
}

// asError returns err's class for a test's output.
func asError(err error) string {
	var e *trace.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("error (%s): %v\n", e.Kind, e)
	}
	return fmt.Sprintf("error: %v\n", err)
}
