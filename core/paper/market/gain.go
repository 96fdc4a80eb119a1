package market

import (
	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/metric"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// demandOfGain is the demand: a request every two minutes for a day, which may
// start at once and has half a day.
const demandOfGain = `{"requests":720,"every":"2m","cores":[16,64,256,1024,2048],"price":[60,90],"lead":["0s","0s"],"wall":["20m","4h"],"slack":"12h","units":[1,1]}`

// gained has the figures of a day of requests. In books, wait, slowdown and ownWait are sums until means divides them.
type gained struct {
	started        float64 // per cent of the requests
	wait, slowdown float64 // means over those that started
	price          float64 // credits a core and hour, mean
	fairness       float64 // Jain's index of the cores sold of each site's size
	ownWait        float64 // of the sites' own jobs, mean
}

// bounded is the bounded slowdown with ten seconds.
func bounded(wait, run unit.Time) float64 {
	return max(1, (wait+run).Seconds()/max(run, metric.SlowdownBound).Seconds())
}

// day is how long requests and own jobs are counted.
const day = 36 * unit.Hour

// books count starts and waits.
type books struct {
	gained
	requests, starts, ownStart float64   // requests that arrived; jobs of requests, and of sites, that started
	sold                       []float64 // core hours by site
}

// addStart records that the job of a request started at a site, after a wait and for a run time.
func (b *books) addStart(site int, cores int32, wait, run unit.Time) {
	b.starts++
	b.wait += wait.Seconds() / 60
	b.slowdown += bounded(wait, run)
	for len(b.sold) <= site {
		b.sold = append(b.sold, 0)
	}
	b.sold[site] += float64(cores) * run.Seconds() / 3600
}

// addOwnStart records that a site's own job started after a wait.
func (b *books) addOwnStart(wait unit.Time) {
	b.ownStart++
	b.ownWait += wait.Seconds() / 60
}

// means returns the means: the share of requests that started (percent), waits in minutes, and Jain's fairness of
// the core hours that sites sold per core. sizes are the cores of the sites.
func (b *books) means(sizes []int) gained {
	g := b.gained
	g.started = 100 * b.starts / max(1, b.requests)
	g.wait /= max(1, b.starts)
	g.slowdown /= max(1, b.starts)
	g.ownWait /= max(1, b.ownStart)
	sum, squares := 0.0, 0.0
	for i, size := range sizes {
		x := 0.0
		if i < len(b.sold) {
			x = b.sold[i] / float64(size)
		}
		sum += x
		squares += float64(x * x)
	}
	if squares > 0 {
		g.fairness = float64(sum*sum) / (float64(len(sizes)) * squares)
	}
	return g
}

// gain plays one day of the market. From the events it sums up the waits of the sites' own jobs and of the
// jobs that requests bought, and the prices.
func (s *stage) gain() (gained, error) {
	b := &books{}
	v := s.cluster.View()
	s.watch = func(e cluster.Event) {
		if e.Kind == cluster.JobSubmitted {
			if j, alive := v.Job(e.Job()); alive && j.Queue < 0 {
				b.requests++
			}
		}
		if e.Kind != cluster.JobPlaced {
			return
		}
		j, alive := v.Job(e.Job())
		switch {
		case !alive:
		case j.Queue >= 0 && j.Submitted > 0:
			b.addOwnStart(e.At - j.Submitted)
		case j.Queue < 0:
			b.addStart(int(v.Rack(j.Parts[0].Node)), j.Processors, e.At-j.Submitted, j.Run)
		}
	}
	out, err := s.play(day)
	if err != nil {
		return gained{}, err
	}
	var sizes []int
	for _, r := range out.Resources() {
		sizes = append(sizes, r.Cores)
	}
	n := 0.0
	for _, o := range out.Outcomes() {
		if o.Bought {
			n++
			b.price += float64(o.Units[0].Paid) / 1000
		}
	}
	b.price /= max(1, n)
	return b.means(sizes), nil
}

// dispatcher sends every request to a site when it comes.
type dispatcher struct {
	*books
	sites  []*batch.Site
	sizes  []int
	loads  []int // cores of jobs that wait
	jobs   [][]dispatched
	clock  *des.Kernel
	random *rng.Stream // nil: to the least loaded
}

type dispatched struct {
	workload.Job
	submitted unit.Time
}

// dispatch plays a day of a source without a market: each request goes to the least loaded site that is large enough
// or, if random, to one of these drawn with the seed. Every site schedules with EASY.
func dispatch(source workload.Source, random bool, seed uint64) gained {
	d := &dispatcher{books: &books{}, clock: des.New()}
	if random {
		d.random = rng.New(seed, "market/dispatch")
	}
	var r workload.Record
	for source.Next(&r) == nil && r.At < day {
		switch r.Kind {
		case workload.NodeJoins:
			for len(d.sites) <= int(r.Node.Rack) {
				d.sites = append(d.sites, batch.NewSite(batch.EASY, 0))
				d.sizes, d.loads, d.jobs = append(d.sizes, 0), append(d.loads, 0), append(d.jobs, nil)
			}
			d.sizes[r.Node.Rack] += int(r.Node.Processors)
			d.sites[r.Node.Rack].Resize(d.sizes[r.Node.Rack])
		case workload.JobArrives:
			for d.clock.Step(r.At) {
			}
			d.submit(r.At, *r.Job)
		}
	}
	for d.clock.Step(day) {
	}
	return d.means(d.sizes)
}

// submit gives a job to its site (its queue) or, if it is a request (queue below 0), to the chosen one. A request that
// no site is large enough for is only counted.
func (d *dispatcher) submit(now unit.Time, j workload.Job) {
	site := int(j.Queue)
	if site < 0 {
		d.requests++
		if site = d.choose(int(j.Processors)); site < 0 {
			return
		}
	}
	h := d.sites[site].Submit(now, batch.Job{Processors: int(j.Processors), Estimate: j.Estimate})
	for int(h) >= len(d.jobs[site]) {
		d.jobs[site] = append(d.jobs[site], dispatched{})
	}
	d.jobs[site][h] = dispatched{j, now}
	d.loads[site] += int(j.Processors)
	d.pass(now, site)
}

// choose returns a site with at least cores cores: one drawn at random, or the one with the least cores busy and
// waited for by size, the first on a tie; -1 if there is none.
func (d *dispatcher) choose(cores int) int {
	var fit []int
	for i := range d.sites {
		if d.sizes[i] >= cores {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return -1
	}
	if d.random != nil {
		return fit[d.random.Intn(len(fit))]
	}
	best := fit[0]
	load := func(i int) float64 { return float64(d.sites[i].Busy()+d.loads[i]) / float64(d.sizes[i]) }
	for _, i := range fit[1:] {
		if load(i) < load(best) {
			best = i
		}
	}
	return best
}

// pass lets a site start jobs, records their waits and schedules their ends. Own jobs that were there at time 0 are
// not counted.
func (d *dispatcher) pass(now unit.Time, site int) {
	for _, h := range d.sites[site].Pass(now) {
		j := &d.jobs[site][h]
		d.loads[site] -= int(j.Processors)
		switch {
		case j.Queue < 0:
			d.addStart(site, j.Processors, now-j.submitted, min(j.Run, j.Estimate))
		case j.submitted > 0:
			d.addOwnStart(now - j.submitted)
		}
		d.clock.At(now+min(j.Run, j.Estimate), d, uint64(site)<<32|uint64(h))
	}
}

// Fire implements des.Handler: a job ends.
func (d *dispatcher) Fire(now unit.Time, arg uint64) {
	site := int(arg >> 32)
	d.sites[site].End(now, batch.Handle(uint32(arg)))
	d.pass(now, site)
}
