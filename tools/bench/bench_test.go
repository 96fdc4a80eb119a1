package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/tools/parley/console"
	"parley/tools/parley/exits"
)

// A benchmark whose figures stand apart shows each row before it measures the next figure
// (here one that does not exist), and measures a slow figure once only.
func TestBenchShowsRowsAsTheyCome(t *testing.T) {
	const figure = "heft, 100000 subtasks on 64 processors"
	for _, one := range []struct {
		tick time.Duration // between two readings of the clock
		runs int           // expected, of two
	}{{time.Millisecond, 2}, {time.Minute, 1}} {
		now := time.Unix(0, 0)
		c := &console.Console{Out: io.Discard, Err: io.Discard, Now: func() time.Time {
			now = now.Add(one.tick)
			return now
		}}
		rows := 0
		m := &measurer{console: c, runs: 2, native: true}
		b := benchmark{name: "test", of: []string{figure, "nothing of that name"}, apart: true}
		_, err := m.measure(b, console.NewBar(c), func(r benchRow) {
			rows++
			if r.Figure != figure || r.Host != nativeHost || r.Runs != one.runs {
				t.Errorf("a row %q of %d runs, want %d runs", r.name(), r.Runs, one.runs)
			}
		})
		if err == nil || rows != 1 {
			t.Errorf("%d rows before the error %v", rows, err)
		}
	}
}

// The document of --json has the fields that others read.
func TestBenchReportsItsFields(t *testing.T) {
	var out bytes.Buffer
	c := &console.Console{Out: &out, Err: io.Discard, Now: time.Now}
	if status := console.Execute(c, command(c), strings.Fields("kernel --native --runs 1 --json")); status != exits.Done {
		t.Fatal(status)
	}
	var report map[string]json.RawMessage
	var rows []map[string]any
	if err := errors.Join(json.Unmarshal(out.Bytes(), &report), json.Unmarshal(report["rows"], &rows)); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ got, want string }{
		{strings.Join(slices.Sorted(maps.Keys(report)), " "), "aims machine name notes rows"},
		{strings.Join(slices.Sorted(maps.Keys(rows[0])), " "), "figure host max min runs unit value"},
	} {
		if of.got != of.want {
			t.Errorf("fields %s, want %s", of.got, of.want)
		}
	}
}

func TestBenchWithoutSuchAName(t *testing.T) {
	for args, want := range map[string]string{
		"lunch":           `there is no benchmark "lunch": choose one of negotiation, scale`,
		"kernel trace":    `bench takes one NAME at most, and "trace" is more; see bench --help`,
		"kernel --runs 0": "--runs is 0: choose at least 1",
	} {
		var complaints bytes.Buffer
		c := &console.Console{Out: io.Discard, Err: &complaints, Now: time.Now}
		if status := console.Execute(c, command(c), strings.Fields(args)); status != exits.Misused || !strings.Contains(complaints.String(), want) {
			t.Errorf("bench %s exits with %d and says %s", args, status, &complaints)
		}
	}
}
