package batch_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/batch"
	"parley/core/unit"
)

// ordered returns an empty site whose queue and candidates have orders.
func ordered(t *testing.T, policy, queue, backfill string, processors int) *batch.Site {
	t.Helper()
	p, err := batch.ParsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	q, err := batch.ParseOrder(queue)
	if err != nil {
		t.Fatal(err)
	}
	b, err := batch.ParseOrder(backfill)
	if err != nil {
		t.Fatal(err)
	}
	s := batch.NewSite(p, processors)
	s.Sort(q, b)
	return s
}

// logOf reads jobs as "submission processors estimate run" each, in seconds.
func logOf(t *testing.T, text string) (log []batch.Logged) {
	t.Helper()
	for line := range strings.Lines(text) {
		var submit, processors, estimate, run int
		if n, _ := fmt.Sscan(line, &submit, &processors, &estimate, &run); n == 3 {
			run = estimate
		} else if n != 4 {
			t.Fatalf("cannot read %q", line)
		}
		log = append(log, batch.Logged{Job: batch.Job{Processors: processors, Estimate: seconds(estimate)}, Submit: seconds(submit), Run: seconds(run)})
	}
	return log
}

// starts plays a log on a site and returns when its jobs start, from the second one on.
func starts(s *batch.Site, log []batch.Logged) string {
	var all []string
	for _, at := range batch.PlayOn(s, log)[1:] {
		all = append(all, fmt.Sprint(int64(at/unit.Second)))
	}
	return strings.Join(all, " ")
}

// TestOrders plays two small logs on 64 processors by hand-checked cases, which another
// program computed from the formulas.
func TestOrders(t *testing.T) {
	one := logOf(t, "990 64 400\n1000 64 1200\n1020 56 300\n1020 24 100\n1030 56 1200\n1080 20 600\n1100 56 600\n1060 56 1800\n")
	last := one[7] // its number is the highest, and it comes before the seventh and the sixth
	one = slices.Insert(one[:7:7], 5, last)
	back := func(text string) string { // from the order of submission to that of the numbers
		s := strings.Fields(text)
		return strings.Join([]string{s[0], s[1], s[2], s[3], s[5], s[6], s[4]}, " ")
	}
	for order, want := range map[string]string{
		"fcfs":   "1390 2590 2890 2990 5990 6590 4190",
		"sjf":    "2990 1490 1390 4190 1790 2390 5390",
		"lxf":    "2990 1490 1390 4190 1790 2390 5390",
		"sqf":    "5890 1990 1390 2290 1390 5290 3490",
		"saf":    "4090 1990 1390 2890 1390 2290 5290",
		"wfp3":   "2990 1490 1390 4190 2390 1790 5390",
		"unicef": "4190 1490 1390 2990 1790 2390 5390",
		"f1":     "4090 1990 1390 2290 1390 3490 5290",
		"f2":     "2390 1490 1390 3590 1790 4790 5390",
		"f3":     "1790 1490 1390 2990 4190 6590 4790",
		"f4":     "1790 1490 1390 2990 4190 4790 5390",
	} {
		for _, policy := range []string{"fcfs", "easy"} {
			if got := back(starts(ordered(t, policy, order, order, 64), one)); got != want {
				t.Errorf("case 1, %s by %s: %s, want %s", policy, order, got, want)
			}
		}
	}
	if got := back(starts(ordered(t, "fcfs", "ljf", "ljf", 64), one)); got != "3190 6790 7090 4390 5590 6190 1390" {
		t.Errorf("case 1, fcfs by ljf: %s", got)
	}
	if got := back(starts(ordered(t, "easy", "ljf", "ljf", 64), one)); got != "3190 6790 5590 4390 5590 6190 1390" {
		t.Errorf("case 1, easy by ljf: %s", got)
	}

	two := logOf(t, "900 48 600 300\n910 64 200 200\n920 12 150 60\n930 16 250 100\n940 12 100 40\n950 8 2000 2000\n960 12 300 150\n970 16 150 60\n")
	for orders, want := range map[string]string{
		"fcfs fcfs":   "1270 920 980 1080 1470 1120 1200",
		"fcfs sjf":    "1330 920 1080 980 1530 1180 1020",
		"fcfs sqf":    "1270 920 1170 980 1470 1020 1200",
		"fcfs saf":    "1230 920 1430 980 1430 1080 1020",
		"fcfs lxf":    "1330 920 1020 980 1530 1180 1120",
		"fcfs wfp3":   "1330 920 1020 980 1530 1180 1120",
		"fcfs unicef": "1330 920 1020 980 1530 1180 1120",
		"fcfs f1":     "1270 920 1020 980 1470 1120 1200",
		"fcfs f2":     "1270 920 1020 980 1470 1120 1200",
		"saf saf":     "1300 920 1200 980 1500 1080 1020",
		"f1 f1":       "3020 920 1200 980 1020 1200 1200",
	} {
		queue, backfill, _ := strings.Cut(orders, " ")
		if got := starts(ordered(t, "easy", queue, backfill, 64), two); got != want {
			t.Errorf("case 2, easy by %s: %s, want %s", orders, got, want)
		}
	}
	sjbf := batch.NewSite(batch.EASYSJBF, 64)
	if got := starts(sjbf, two); got != "1330 920 1080 980 1530 1180 1020" {
		t.Errorf("case 2, easy-sjbf: %s", got)
	}
}

// TestKeys: keys by hand, and logarithms that agree with the library's.
func TestKeys(t *testing.T) {
	j := batch.Job{Processors: 4, Estimate: 100 * unit.Second}
	for order, want := range map[batch.Order]float64{
		batch.Arrival: 1000, batch.Shortest: 100, batch.Longest: -100, batch.Narrowest: 4, batch.Widest: -4, batch.Smallest: 400, batch.Largest: -400,
		batch.Expanding: -1.5, batch.WFP3: -0.5, batch.UNICEF: -0.25, batch.F1: 8 + 870*3, batch.F2: 40 + 25_600*3, batch.F3: 400 + 6_860_000*3, batch.F4: 200 + 530_000*3,
	} {
		if got := order.Key(j, 1000*unit.Second, 1050*unit.Second); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%v: %v, want %v", order, got, want)
		}
	}
	for e := range 400 {
		x := unit.Time(1 + e*e*e*977)
		j := batch.Job{Processors: 1, Estimate: x}
		if got, want := batch.F1.Key(j, 0, 0), math.Log10(x.Seconds()); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Errorf("log10 of %v is %v, want %v", x, got, want)
		}
	}
	serial := batch.Job{Processors: 1, Estimate: 1000 * unit.Second}
	if batch.UNICEF.Key(serial, 0, unit.Second) >= batch.UNICEF.Key(j, 0, 1000*unit.Second) {
		t.Error("a serial job that waits goes first under UNICEF")
	}
}

// TestUnknownOrder: an order that there is not is named with those that there are.
func TestUnknownOrder(t *testing.T) {
	if _, err := batch.ParseOrder("sjff"); err == nil || !strings.Contains(err.Error(), `the order is "sjff": choose one of [fcfs sjf`) {
		t.Errorf("%v", err)
	}
}

// TestRLScheduler meets the published table of RLScheduler (SC 2020): bounded slowdowns
// of ten windows of 1,024 jobs of two logs by Lublin's model, under its rules. Its WFP3
// and UNICEF take the wait from a start time that is -1 while a job waits; beside what is
// published stand here the figures of the true ones.
func TestRLScheduler(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	windows := []int{1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085}
	if testing.Short() {
		windows = nil // one order of one log says enough
	}
	defect := func(o batch.Order) func(batch.Job, unit.Time, unit.Time) float64 {
		return func(j batch.Job, submitted, _ unit.Time) float64 { return o.Key(j, submitted, -unit.Second) }
	}
	for _, c := range []struct {
		log   string
		name  string
		key   func(batch.Job, unit.Time, unit.Time) float64
		plain string
		back  string
	}{
		{"lublin_256", "fcfs", batch.Arrival.Key, "7273.77", "235.82"},
		{"lublin_256", "sjf", batch.Shortest.Key, "277.35", "73.31"},
		{"lublin_256", "f1", batch.F1.Key, "258.37", "75.07"},
		{"lublin_256", "wfp3, published", defect(batch.WFP3), "19753.53", "133.87"},
		{"lublin_256", "wfp3", batch.WFP3.Key, "337.34", "126.50"},
		{"lublin_256", "unicef, published", defect(batch.UNICEF), "22274.74", "307.23"},
		{"lublin_256", "unicef", batch.UNICEF.Key, "381.71", "103.10"},
		{"lublin_256_new2", "fcfs", batch.Arrival.Key, "7842.47", "247.61"},
		{"lublin_256_new2", "sjf", batch.Shortest.Key, "787.89", "91.99"},
		{"lublin_256_new2", "f1", batch.F1.Key, "698.34", "148.25"},
		{"lublin_256_new2", "wfp3, published", defect(batch.WFP3), "9523.18", "318.35"},
		{"lublin_256_new2", "wfp3", batch.WFP3.Key, "807.25", "135.12"},
		{"lublin_256_new2", "unicef, published", defect(batch.UNICEF), "11265.31", "379.59"},
		{"lublin_256_new2", "unicef", batch.UNICEF.Key, "830.49", "111.19"},
	} {
		path := filepath.Join(root, "swf", c.log+".swf.gz")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no %s, see PARLEY_TRACES", path)
		}
		if windows == nil {
			t.Skip("ten windows of 14 orders take seconds")
		}
		log := lublin(t, path)
		for _, backfill := range []bool{false, true} {
			sum := 0.0
			for _, from := range windows {
				sum += rlScheduler(log[from:from+1024], c.key, backfill) / float64(len(windows))
			}
			want := c.plain
			if backfill {
				want = c.back
			}
			if got := fmt.Sprintf("%.2f", sum); got != want {
				t.Errorf("%s, %s, backfilling %v: %s, want %s", c.log, c.name, backfill, got, want)
			}
		}
	}
}

// lublin reads the jobs of a log in the Standard Workload Format, whose estimates are
// their runs.
func lublin(t *testing.T, path string) (log []batch.Logged) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(text); lines.Scan(); {
		var number, submit, wait, run, allocated, cpu, memory, requested int
		if n, _ := fmt.Sscan(lines.Text(), &number, &submit, &wait, &run, &allocated, &cpu, &memory, &requested); n == 8 && run > 0 {
			log = append(log, batch.Logged{Job: batch.Job{Processors: max(allocated, requested), Estimate: seconds(run)}, Submit: seconds(submit), Run: seconds(run)})
		}
	}
	return log
}

// rlScheduler plays jobs by the rules of RLScheduler's simulator on 256 processors and
// returns the mean bounded slowdown. The head is chosen once and kept until it fits,
// whatever arrives; arrivals of a moment come before its ends; backfilling is in the order
// of arrival and only of jobs that end before the head's reservation, which is computed
// once.
func rlScheduler(jobs []batch.Logged, key func(batch.Job, unit.Time, unit.Time) float64, backfill bool) float64 {
	type running struct {
		ends  unit.Time
		procs int
	}
	var runs []running
	var queue []int
	free, next, now, slow := 256, 0, jobs[0].Submit, 0.0
	start := func(i int) {
		queue = slices.DeleteFunc(queue, func(q int) bool { return q == i })
		free -= jobs[i].Processors
		runs = append(runs, running{now + jobs[i].Run, jobs[i].Processors})
		slices.SortStableFunc(runs, func(a, b running) int { return int(a.ends - b.ends) })
		run := jobs[i].Run.Seconds()
		slow += max(1, ((now-jobs[i].Submit).Seconds()+run)/max(run, 10)) / float64(len(jobs))
	}
	step := func() { // to the next arrival or end
		if next < len(jobs) && (len(runs) == 0 || jobs[next].Submit <= runs[0].ends) {
			now = max(now, jobs[next].Submit)
			queue = append(queue, next)
			next++
			return
		}
		now = max(now, runs[0].ends)
		free += runs[0].procs
		runs = runs[1:]
	}
	for step(); ; {
		for len(queue) == 0 && next < len(jobs) {
			step()
		}
		if len(queue) == 0 {
			return slow
		}
		head := queue[0]
		for _, i := range queue {
			if key(jobs[i].Job, jobs[i].Submit, now) < key(jobs[head].Job, jobs[head].Submit, now) {
				head = i
			}
		}
		shadow := now
		if room := free; room < jobs[head].Processors {
			for _, r := range runs {
				if room += r.procs; room >= jobs[head].Processors {
					shadow = r.ends
					break
				}
			}
		}
		for free < jobs[head].Processors {
			if backfill {
				for _, i := range slices.Clone(queue) {
					if i != head && jobs[i].Processors <= free && now+jobs[i].Estimate < shadow {
						start(i)
					}
				}
			}
			step()
		}
		start(head)
	}
}
