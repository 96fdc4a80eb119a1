package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"parley/core/batch"
	"parley/core/rfql"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/system/market/logs"
	"parley/core/unit"
	"parley/core/workload"
)

// Workload makes sites and requests of a scenario's workload.system. Nothing is the
// paper's twenty resources (table 2) with stand-ins for their logs, and a request
// every three minutes.
func Workload(raw json.RawMessage, seed uint64) (workload.Source, error) {
	return Files(raw, seed, nil)
}

// Files is Workload with a log that was opened: sites whose log is "file" play it.
// Without any sites in the document it is one beside those of table 2.
func Files(raw json.RawMessage, seed uint64, recorded workload.Source) (workload.Source, error) {
	if d, hasDocument := recorded.(interface{ Document() json.RawMessage }); hasDocument {
		merged, err := withRequests(raw, d.Document())
		if err != nil {
			return nil, err
		}
		raw, recorded = merged, nil
	}
	p, err := read(raw, seed, recorded)
	if err != nil {
		return nil, err
	}
	return newSource(p, seed), nil
}

// withRequests puts the requests of a file into a document, whose sites stay.
func withRequests(raw, file json.RawMessage) (json.RawMessage, error) {
	tree := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &tree); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(file, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// record keeps the jobs of an opened log and how large its machine is.
func (p *Plan) record(recorded workload.Source) error {
	p.recorded = &logs.Recorded{}
	var r workload.Record
	for {
		if err := recorded.Next(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		switch r.Kind {
		case workload.NodeJoins:
			p.file += int(r.Node.Processors)
		case workload.JobArrives:
			j := r.Job
			p.recorded.Jobs = append(p.recorded.Jobs, logs.Job{
				Submit: r.At, Processors: j.Processors, Run: j.Run,
				Estimate: max(1, j.Estimate), User: j.User,
			})
		}
	}
	if len(p.recorded.Jobs) == 0 {
		return fmt.Errorf("the log has no jobs: a resource needs one of the Standard Workload Format")
	}
	return nil
}

// settled is a moment of an opened log at which its machine is as full as it gets: a
// fifth of the log, at most ten days.
func (p *Plan) settled() unit.Time {
	jobs := p.recorded.Jobs
	return min(10*unit.Day, jobs[len(jobs)/5].Submit)
}

// check validates the requests, sorts them by time, and fills in the length of each unit and the default
// share of it that a job runs. An error names the request by its position in the document.
func (p *Plan) check(seed uint64) error {
	for i := range p.Requests {
		q := &p.Requests[i]
		for k := range q.Units {
			q.Units[k].Wall = wall(&q.Units[k], p.Epoch+unit.Time(q.At))
		}
		_, counted := q.Cost()
		switch {
		case len(q.Units) == 0 || len(q.Units) > maxUnits:
			return fmt.Errorf("requests[%d] has %d units: choose 1 to %d", i, len(q.Units), maxUnits)
		case q.At < 0 || q.Cancel < 0:
			return fmt.Errorf("requests[%d]: at and cancel_after are times from 0 on", i)
		case q.User >= MaxUsers:
			return fmt.Errorf("requests[%d]: user is %d: at most %d", i, q.User, MaxUsers-1)
		case !(q.Run >= 0 && q.Run <= 1):
			return fmt.Errorf("requests[%d]: run is %v: choose a part from 0 to 1", i, q.Run)
		case q.Rounds < 0 || q.Rounds > MaxRounds:
			return fmt.Errorf("requests[%d]: rounds is %d: choose 1 to %d, or 0 for the settings'", i, q.Rounds,
				MaxRounds)
		case q.Goal != "" && !slices.Contains(Goals, q.Goal):
			return fmt.Errorf("requests[%d]: goal is %q: choose one of %v, or none for the settings'", i, q.Goal, Goals)
		case !(q.MaxCost >= 0 && q.MaxCost <= maxCost) || q.MaxWait < 0:
			return fmt.Errorf(
				"requests[%d]: max_cost is a number of credits up to %g and max_wait a time, each from 0 on",
				i, float64(maxCost),
			)
		case !counted:
			return fmt.Errorf(
				"requests[%d] costs more than can be counted: ask for fewer cores, a lower price or less time", i,
			)
		}
		if q.Run == 0 {
			q.Run = usualRun
		}
	}
	slices.SortStableFunc(p.Requests, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	return nil
}

// wall returns for how long a unit is bought. Without a WallTime that is from its
// start to its end or, if the start is left open, half of the time that is left,
// at most an hour.
func wall(u *rfql.Unit, requestedAt unit.Time) unit.Time {
	switch {
	case u.Wall > 0:
		return u.Wall
	case u.Start >= 0:
		return u.End - u.Start
	}
	return max(unit.Second, min(unit.Hour, (u.End-requestedAt)/2))
}

// Source emits the nodes first, then jobs and requests by their times.
type Source struct {
	Plan  *Plan
	seed  uint64
	site  int
	cell  int
	Local []localJobs
	next  int // request
	lot   int // of its units
	count uint64
	job   workload.Job
}

// localJobs are those of a site.
type localJobs struct {
	log   logs.Log
	base  unit.Time
	queue []logs.Job // at the run's beginning
	next  logs.Job
	more  bool
	Waits []unit.Time
}

// warmup is how much of a stand-in is played before the run begins.
const warmup = 10 * unit.Day

func newSource(p *Plan, seed uint64) *Source {
	s := &Source{Plan: p, seed: seed, Local: make([]localJobs, len(p.Sites))}
	for i := range p.Sites {
		s.Local[i] = p.begin(&p.Sites[i], seed)
	}
	return s
}

// begin plays a site's log up to the moment at which the run begins, and returns the jobs from then on.
// A stand-in is played for warmup at most. A site without a log has no jobs of its own.
func (p *Plan) begin(s *Site, seed uint64) localJobs {
	l := localJobs{base: unit.Time(s.Base)}
	switch s.Log {
	case "":
		return l
	case "file":
		l.log = &logs.Recorded{Jobs: p.recorded.Jobs}
	default:
		m, _ := logs.Find(s.Log)
		l.log = logs.StandIn(m, s.Cores, s.Busy, seed, fmt.Sprintf("%s %v", s.Name, unit.Time(s.Base)))
		l.base = min(l.base, warmup)
	}
	start := logs.Play(batch.EASY, s.Cores, l.log, l.base)
	l.queue = append(start.Running, start.Waiting...)
	l.next, l.more, l.Waits = start.Next, start.More, start.Waits
	return l
}

// peek returns when the site's next job is submitted, in the time of the run; 0 for jobs that were there
// before it, unit.Forever if there is none.
func (l *localJobs) peek() unit.Time {
	switch {
	case len(l.queue) > 0:
		return 0
	case l.more:
		return l.next.Submit - l.base
	}
	return unit.Forever
}

// take returns the site's next job, as peek announced it; peek must not have returned unit.Forever.
func (l *localJobs) take() logs.Job {
	if len(l.queue) > 0 {
		j := l.queue[0]
		l.queue = l.queue[1:]
		return j
	}
	j := l.next
	l.next, l.more = l.log.Next()
	return j
}

// nodesOf returns how many nodes a site is drawn as, and the processors of one.
func (p *Plan) nodesOf(site int) int { return min(p.cells, p.Sites[site].Cores) }

// processors returns how many cores a drawn node (cell) of a site has: the site's cores in equal parts,
// the first ones larger by one.
func (p *Plan) processors(site, cell int) int32 {
	cores, cells := p.Sites[site].Cores, p.nodesOf(site)
	n := cores / cells
	if cell < cores%cells {
		n++
	}
	return int32(n)
}

// Next implements workload.Source: first the nodes of all sites, at time 0, then the sites' own jobs and
// the units of requests by time. At one moment own jobs come first.
func (s *Source) Next(r *workload.Record) error {
	*r = workload.Record{}
	for s.site < len(s.Plan.Sites) && s.cell == s.Plan.nodesOf(s.site) {
		s.site, s.cell = s.site+1, 0
	}
	if s.site < len(s.Plan.Sites) {
		r.Kind, r.Machine = workload.NodeJoins, uint64(s.site)<<16|uint64(s.cell)
		r.Node = workload.Node{
			Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: int32(s.site),
			Site: int32(s.site), Processors: s.Plan.processors(s.site, s.cell),
		}
		s.cell++
		return nil
	}
	first, at := -1, unit.Forever
	for i := range s.Local {
		if t := s.Local[i].peek(); t < at {
			first, at = i, t
		}
	}
	if s.next < len(s.Plan.Requests) && unit.Time(s.Plan.Requests[s.next].At) < at {
		s.ask(r)
		return nil
	}
	if first < 0 {
		return io.EOF
	}
	j := s.Local[first].take()
	s.count++
	s.job = workload.Job{
		Processors: min(j.Processors, int32(s.Plan.Sites[first].Cores)), Run: max(1, j.Run),
		Estimate: max(1, j.Estimate), User: j.User, Group: uint32(first), Queue: int32(first),
	}
	*r = workload.Record{At: at, Kind: workload.JobArrives, Key: workload.Key{Job: LocalKey | s.count}, Job: &s.job}
	return nil
}

// LocalKey marks the jobs of sites; those of requests are numbered from 1.
const LocalKey = 1 << 40

// ask emits one unit of the next request.
func (s *Source) ask(r *workload.Record) {
	q := &s.Plan.Requests[s.next]
	u := &q.Units[s.lot]
	length := u.Wall
	user := q.User
	if user < 0 {
		user = -1 - user
	}
	s.job = workload.Job{
		Processors: int32(u.Cores()), Run: max(1, unit.Time(q.Run*float64(length))), Estimate: max(1, length),
		User: uint32(user), Queue: -1,
	}
	*r = workload.Record{
		At: unit.Time(q.At), Kind: workload.JobArrives,
		Key: workload.Key{Job: uint64(s.next) + 1, Index: uint32(s.lot)}, Job: &s.job,
	}
	if s.lot++; s.lot == len(q.Units) {
		s.next, s.lot = s.next+1, 0
	}
}

// Header describes the machines that are assumed beside a log.
func (s *Source) Header() workload.Header {
	cores := 0
	for i := range s.Plan.Sites {
		cores += s.Plan.Sites[i].Cores
	}
	assumed := fmt.Sprintf(
		"the log names no sites, so %d sites with %s are assumed (workload.system, or the paper's table 2)",
		len(s.Plan.Sites), system.Count(float64(cores), "processor"),
	)
	return workload.Header{Shape: workload.ShapeJobs, Assumed: assumed}
}

// Table2 is the paper's resources, as experiments want them.
type Table2 struct {
	Opened   string  // the machine whose log is opened, by its name in package logs: its resources play it
	MinPrice float64 // credits: resources with a lower minimum price are left out
	Busy     int     // per cent of their cores that stand-ins keep busy; 0: as the logs do
}

// Sites returns the resources as a document's sites.
func (t Table2) Sites() []any {
	all := []any{}
	for _, s := range table2() {
		switch {
		case s.Min.Credits() < t.MinPrice:
			continue
		case s.Log == t.Opened && s.Log != "":
			s.Log = "file"
		default:
			s.Busy = t.Busy
		}
		all = append(all, s)
	}
	return all
}

// table2 returns the twenty resources of the paper.
func table2() []Site {
	var all []Site
	for _, row := range [...]struct {
		name, log        string
		base, start, min int64
	}{
		{"atlas1", "atlas", 3_370_000, 33, 25},
		{"atlas2", "atlas", 1_370_000, 33, 26},
		{"thunder1", "thunder", 250_000, 70, 40},
		{"thunder2", "thunder", 1_300_000, 75, 60},
		{"thunder3", "thunder", 130_000, 70, 35},
		{"thunder4", "thunder", 450_000, 75, 50},
		{"intrepid1", "intrepid", 50_000, 55, 35},
		{"intrepid2", "intrepid", 1_500_000, 65, 25},
		{"intrepid3", "intrepid", 15_000_000, 53, 25},
		{"intrepid4", "intrepid", 750_000, 55, 30},
		{"intrepid5", "intrepid", 2_500_000, 65, 28},
		{"intrepid6", "intrepid", 90_000, 53, 30},
		{"ricc1", "ricc", 50_000, 40, 25},
		{"ricc2", "ricc", 7_570_000, 45, 25},
		{"ricc3", "ricc", 500_000, 45, 25},
		{"ricc4", "ricc", 757_000, 45, 30},
		{"curie1", "curie", 150_000, 80, 40},
		{"curie2", "curie", 1_375_000, 80, 65},
		{"curie3", "curie", 350_000, 80, 30},
		{"curie4", "curie", 2_375_000, 70, 65},
	} {
		all = append(all, Site{
			Name: row.name, Log: row.log, Base: scenario.Duration(unit.Time(row.base) * unit.Second),
			Start: rfql.Price(row.start) * rfql.Credit, Min: rfql.Price(row.min) * rfql.Credit,
		})
	}
	return all
}
