package run_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/run"
	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/unit"
	"parley/core/workload"
)

const week = 7 * unit.Day

// weekly is a log of so many weeks. In each come jobs of the users 1 and 2, who are there all
// the time, at hours of their own, and of a user who is there for one week alone. The number
// of a job is its week times 100 and its place.
func weekly(weeks int) trace.File {
	var b strings.Builder
	b.WriteString("; MaxProcs: 8\n; MaxNodes: 8\n")
	for w := range weeks + 1 { // the last week is not whole
		for i, at := range []int{0, 90_000, 400_000} {
			if w == weeks && i > 0 {
				break
			}
			user := i + 1
			if i == 2 {
				user = 100 + w
			}
			fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 %d 9000 -1 1 %d 1 -1 %d -1 -1 -1\n", w*100+i, 5000+w*604_800+at, 100+w, 1+i, 1+i, user, 1+i)
		}
	}
	text := b.String()
	return trace.File{Name: "log.swf", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// arrivals returns the jobs that a scenario makes of a log.
func arrivals(t *testing.T, log trace.File, jobs string, seed uint64) ([]workload.Record, []workload.Job, error) {
	t.Helper()
	s := parse(t, fmt.Sprintf(`{"v":1,"system":"central","seed":%d,"workload":{"jobs":%s}}`, seed, jobs))
	source, err := feed.Open(s, []trace.File{log}, []trace.Format{swf.Format()}, trace.Options{})
	if err != nil {
		return nil, nil, err
	}
	var all []workload.Record
	var own []workload.Job
	var r workload.Record
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.Kind == workload.JobArrives {
			if n := len(all); n > 0 && r.At < all[n-1].At {
				t.Fatalf("a job at %v after one at %v", r.At, all[n-1].At)
			}
			all, own = append(all, r), append(own, *r.Job)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, own, err
}

// Blocks of weeks: each week of a resample is one of the log, with its jobs at their hours; a
// block has weeks that follow one another; seeds differ, and one seed does not.
func TestResampleWeeks(t *testing.T) {
	for _, block := range []int{1, 4} {
		document := fmt.Sprintf(`{"resample":"weeks","block_weeks":%d}`, block)
		all, _, err := arrivals(t, weekly(12), document, 3)
		if err != nil || len(all) != 36 {
			t.Fatalf("%d jobs, %v", len(all), err)
		}
		keys := map[workload.Key]bool{}
		var from []uint64
		for i, r := range all {
			w := r.Key.Job / 100
			if r.Key.Job%100 != uint64(i%3) || r.At != unit.Time(i/3)*week+[]unit.Time{0, 90_000, 400_000}[i%3]*unit.Second {
				t.Errorf("job %d of week %d comes at %v", r.Key.Job, i/3, r.At)
			}
			if i%3 == 0 {
				from = append(from, w)
			} else if w != from[len(from)-1] {
				t.Errorf("week %d is of two weeks", i/3)
			}
			if keys[r.Key] {
				t.Errorf("two jobs have the key %v", r.Key)
			}
			keys[r.Key] = true
		}
		for i, w := range from {
			if i%block > 0 && w != from[i-1]+1 {
				t.Errorf("blocks of %d: weeks %v", block, from)
			}
		}
		slices.Sort(from)
		if len(slices.Compact(from)) > 10 {
			t.Errorf("blocks of %d: weeks %v are hardly drawn with replacement", block, from)
		}
		again, _, _ := arrivals(t, weekly(12), document, 3)
		other, _, _ := arrivals(t, weekly(12), document, 4)
		if numbers(again) != numbers(all) || numbers(other) == numbers(all) {
			t.Error("seeds do not decide the resample")
		}
	}
}

func numbers(all []workload.Record) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprint(&b, r.Key.Job, " ", r.At, " ")
	}
	return b.String()
}

// Users: as many long-term users and as many others are drawn as there are; all jobs of one
// keep their hours and weekdays, and move by one number of weeks.
func TestResampleUsers(t *testing.T) {
	all, jobs, err := arrivals(t, weekly(14), `{"resample":"users"}`, 5)
	if err != nil {
		t.Fatal(err)
	}
	of := map[uint32][]int{}
	for i := range all {
		of[jobs[i].User] = append(of[jobs[i].User], i)
	}
	long, short := 0, 0
	for user, list := range of {
		place := all[list[0]].Key.Job % 100
		shifts := map[uint64]bool{}
		for _, i := range list {
			w := all[i].Key.Job / 100
			if all[i].At%week != []unit.Time{0, 90_000, 400_000}[place]*unit.Second || all[i].Key.Job%100 != place {
				t.Errorf("user %d: job %d comes at %v", user, all[i].Key.Job, all[i].At)
			}
			shifts[(uint64(all[i].At/week)+14-w)%14] = true
		}
		if len(shifts) != 1 {
			t.Errorf("the jobs of user %d move by %d numbers of weeks", user, len(shifts))
		}
		switch {
		case len(list) == 14 && place < 2:
			long++
		case len(list) == 1 && place == 2:
			short++
		default:
			t.Errorf("user %d has %d jobs of place %d", user, len(list), place)
		}
	}
	if long != 2 || short != 14 {
		t.Errorf("%d long-term users and %d others were drawn, want 2 and 14", long, short)
	}
}

// What is chosen of a log: a window, users, queues, sizes, one in n.
func TestChosenJobs(t *testing.T) {
	count := func(jobs string) int {
		all, _, err := arrivals(t, weekly(4), jobs, 1)
		if err != nil {
			t.Errorf("%s: %v", jobs, err)
		}
		return len(all)
	}
	for jobs, want := range map[string]int{
		`{}`: 13, `{"users":[1]}`: 5, `{"users":[1,102]}`: 6, `{"queues":[2,3]}`: 8, `{"min_processors":2}`: 8, `{"max_processors":2}`: 9,
		`{"every":2}`: 7, `{"users":[1,2],"every":3}`: 3, `{"from":"7d","to":"14d"}`: 3, `{"to":"1s"}`: 0,
	} {
		if got := count(jobs); got != want {
			t.Errorf("%s keeps %d jobs, want %d", jobs, got, want)
		}
	}
	if all, _, _ := arrivals(t, weekly(4), `{"from":"7d"}`, 1); all[0].At != 5000*unit.Second {
		t.Errorf("after from: 7d the first job comes at %v", all[0].At)
	}
	if _, _, err := arrivals(t, weekly(4), `{"resample":"weeks","block_weeks":4}`, 1); err == nil || !strings.Contains(err.Error(), "the log has 4 weeks in full, and a resample of blocks of 4 weeks needs at least 8") {
		t.Errorf("a short log: %v", err)
	}
	s := parse(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"jobs":{"every":2}}}`)
	if _, err := run.Open(s, nil); err == nil || !strings.Contains(err.Error(), "workload.jobs is about logs of rigid jobs") {
		t.Errorf("a generated cell: %v", err)
	}
}
