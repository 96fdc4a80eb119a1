package main_test

import (
	"io"
	"testing"
	"time"

	parley "parley/tools/parley"
)

// Where figures stand apart a row is shown before the next is measured, here before one
// that there is not; and what takes long is measured once only.
func TestBenchShowsRowsAsTheyCome(t *testing.T) {
	for _, one := range []struct {
		tick time.Duration // between two looks at the clock
		runs int           // of the two that are asked for
	}{{time.Millisecond, 2}, {time.Minute, 1}} {
		now := time.Unix(0, 0)
		c := &parley.Console{Out: io.Discard, Err: io.Discard, Now: func() time.Time {
			now = now.Add(one.tick)
			return now
		}}
		rows := 0
		err := parley.Bench(c, 2, []string{"heft, 100000 subtasks on 64 processors", "nothing of that name"}, func(name string, runs int) {
			rows++
			if name != "heft, 100000 subtasks on 64 processors native" || runs != one.runs {
				t.Errorf("a row %q of %d runs, where %d were due", name, runs, one.runs)
			}
		})
		if err == nil || rows != 1 {
			t.Errorf("%d rows before the error %v", rows, err)
		}
	}
}
