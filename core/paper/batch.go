package paper

import (
	"fmt"
	"math"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// batchExperiments replay a log of the Parallel Workloads Archive.
var batchExperiments = []Experiment{{
	ID: "batch/kth", Title: "EASY backfilling on the log KTH-SP2", Seconds: 20, Run: kth,
	Source: kthSource,
}}

const (
	kthSource = "Gaussier, Glesser, Reis, Trystram, SC 2015, published simulation results"
	kthLog    = "KTH-SP2-1996-2.1-cln.swf of the Parallel Workloads Archive"
)

// kthJobs is how many jobs of the log their filter leaves.
const kthJobs = 28_481

// publication is what was published of one policy.
type publication struct {
	name, policy, estimate     string
	factor                     int
	slowdown, response         float64
	maxSlowdown, largeResponse float64
}

// published are the results in the repository of the paper (predictsim, metrics of
// KTH-SP2): means of bounded slowdown (bound 10 s) and response time over all jobs,
// printed to six decimals, and their largest values.
var published = []publication{
	{"EASY, requested times", "easy", "requested", 1, 92.576540, 15696.798181, 14805.2, 309231},
	{"EASY, real run times", "easy", "run", 1, 71.722385, 15187.607703, 10017.2, 356843},
	{"EASY, requested times doubled", "easy", "requested", 2, 79.930251, 14900.169411, 21370.4, 382389},
	{"EASY-SJBF, requested times", "easy-sjbf", "requested", 1, 69.405401, 14764.002668, 14805.2, 372238},
	{"EASY-SJBF, real run times", "easy-sjbf", "run", 1, 49.847719, 14295.946842, 9941.7, 335193},
}

// kth plays the log under each of the published policies. Nothing is drawn, so one
// run says all, and a figure holds if it is the published one to its last digit.
func kth(o Options) (Result, error) {
	result := Result{ID: "batch/kth", Source: kthSource, Seeds: 1}
	if o.Trace == nil {
		return result, NeedsFiles(kthLog)
	}
	for _, p := range published {
		if err := o.tell("%s", p.name); err != nil {
			return result, err
		}
		jobs, err := o.playLog(fmt.Sprintf(`{"v":1,"system":"central","settings":{"policy":%q,"batch":{"estimate":%q,"factor":%d}},"until":"365d"}`, p.policy, p.estimate, p.factor))
		if err != nil {
			return result, err
		}
		if !isKTH(jobs) {
			return result, fmt.Errorf("the file is not %s: that has %d jobs which ran", kthLog, kthJobs)
		}
		result.Rows = append(result.Rows, p.rows(jobs)...)
	}
	return result, nil
}

// isKTH reports whether these are the jobs of the log.
func isKTH(jobs *metric.JobReport) bool { return jobs != nil && jobs.Ended == kthJobs }

// rows hold what the jobs came to against the published digits.
func (p publication) rows(jobs *metric.JobReport) (rows []Row) {
	for _, one := range []struct {
		what, unit      string
		got, want, last float64
	}{
		{"mean bounded slowdown", "", jobs.BoundedSlowdown.Mean, p.slowdown, 1e-6},
		{"mean response time", "s", jobs.ResponseS.Mean, p.response, 1e-6},
		{"largest bounded slowdown", "", jobs.BoundedSlowdown.Max, p.maxSlowdown, 0.1},
		{"largest response time", "s", jobs.ResponseS.Max, p.largeResponse, 1},
	} {
		row := Row{Name: p.name + ": " + one.what, Unit: one.unit, Measured: one.got}
		row.Says(one.want)
		row.Judge(math.Abs(one.got-one.want) <= one.last/2*(1+1e-6), "the published digits, all of them")
		rows = append(rows, row)
	}
	return rows
}

// playLog returns what the jobs of a recorded workload come to; nil if it has none.
func (o Options) playLog(document string) (*metric.JobReport, error) {
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		return nil, err
	}
	source, err := o.Trace(s)
	if err != nil {
		return nil, err
	}
	r, err := run.Open(s, source)
	if err != nil {
		return nil, err
	}
	for at := unit.Day; !r.Done(); at += unit.Day {
		if err := r.Advance(at); err != nil {
			return nil, err
		}
		if err := o.tell("day %d", at/unit.Day); err != nil {
			return nil, err
		}
	}
	return r.Report().Jobs, r.Audit()
}
