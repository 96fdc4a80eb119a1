package market_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

var schedules = flag.Int("schedules", 10_000, "how many random schedules of faults are played; with -short a twentieth of them")

// world is a cluster with a market in it and nothing else.
type world struct {
	kernel  *des.Kernel
	cluster *cluster.Cluster
	source  workload.Source
	system  system.System
	notes   []system.Note
	facts   market.Facts
}

func open(t testing.TB, document, settings string, seed uint64) *world {
	t.Helper()
	w := &world{kernel: des.New(), facts: market.Facts{Began: map[unit.JobID][]unit.Time{}, Lost: map[int][]unit.Time{}}}
	w.cluster = cluster.New(cluster.Default(), w.kernel)
	entry := market.Entry()
	var err error
	if w.source, err = entry.Workload(json.RawMessage(document), seed); err != nil {
		t.Fatal(err)
	}
	env := system.Env{
		Clock: w.kernel, View: w.cluster.View(), Acts: w.cluster, Source: w.source,
		Rand: func(name string) *rng.Stream { return rng.New(seed, "market/"+name) },
		Note: func(n system.Note) { w.notes = append(w.notes, n) },
	}
	if w.system, err = entry.New(env, json.RawMessage(settings)); err != nil {
		t.Fatal(err)
	}
	w.feed()
	return w
}

// feed puts all records into the kernel's queue.
func (w *world) feed() {
	var r workload.Record
	for w.source.Next(&r) == nil {
		one := r
		if r.Job != nil {
			job := *r.Job
			one.Job = &job
		}
		w.kernel.At(r.At, fact{w, &one}, 0)
		if r.At > 30*unit.Day {
			return
		}
	}
}

type fact struct {
	w *world
	r *workload.Record
}

// Fire makes the record true.
func (f fact) Fire(unit.Time, uint64) {
	switch f.r.Kind {
	case workload.NodeJoins:
		f.w.cluster.Join(f.r.Machine, f.r.Node)
	case workload.JobArrives:
		f.w.cluster.SubmitJob(f.r.Key, f.r.Job)
	}
}

// pass lets time go by.
func (w *world) pass(until unit.Time) error {
	if err := w.cluster.Deliver(w.on); err != nil {
		return err
	}
	for w.kernel.Step(until) {
		if err := w.cluster.Deliver(w.on); err != nil {
			return err
		}
	}
	return nil
}

// on notes a fact and hands it to the system.
func (w *world) on(e cluster.Event) error {
	switch e.Kind {
	case cluster.JobPlaced:
		w.facts.Began[e.Job()] = append(w.facts.Began[e.Job()], w.kernel.Now())
	case cluster.NodeDown:
		site := int(w.cluster.View().Rack(e.Node))
		w.facts.Lost[site] = append(w.facts.Lost[site], w.kernel.Now())
	}
	return w.system.On(e)
}

// schedule is a random story of faults: three users buy one to three units each, of
// four sites, while agents crash and return, cores fail, and messages are lost, come
// late and come twice.
func schedule(t testing.TB, seed uint64) *world {
	r := rng.New(seed, "schedule")
	between := func(low, high int) int { return low + r.Intn(high-low+1) }
	var sites []string
	for i := range 4 {
		sites = append(sites, fmt.Sprintf(`{"name":"s%d","cores":%d,"start_price":%d,"min_price":%d}`, i, 100+50*between(0, 3), between(50, 80), between(20, 50)))
	}
	document := fmt.Sprintf(`{"cells":4,"sites":[%s],"demand":{"requests":%d,"every":"20s","cores":[20,60,100],"price":[40,90],"lead":["20s","12m"],"wall":["1m","10m"],"units":[1,3]}}`, strings.Join(sites, ","), between(3, 6))
	settings := fmt.Sprintf(`{"users":3,"budget":%d,"signatures":"modelled","rounds":%d,"interval_us":%d,"hold_us":%d,"answer_us":%d,"settle_us":%d}`,
		between(20, 2000), between(1, 3), between(1, 15)*1_000_000, between(5, 60)*1_000_000, between(2, 20)*1_000_000, between(5, 120)*1_000_000)
	w := open(t, document, settings, seed)
	fail := func(kind string, target int, value float64) {
		w.system.(system.FaultTarget).Fail(system.AgentFault{Kind: kind, Target: target, Value: value})
	}
	if r.Intn(2) == 0 {
		fail("mail_loss", 0, float64(between(0, 40))/100)
	}
	if r.Intn(3) == 0 {
		fail("mail_delay", 0, float64(between(0, 30)))
	}
	if r.Intn(2) == 0 {
		fail("mail_repeat", 0, float64(between(0, 60))/100)
	}
	agents := []struct {
		kind string
		n    int
	}{{"user", 3}, {"resource", 4}, {"bank", 1}}
	at := unit.Time(1)
	pass := func(until unit.Time) {
		if err := w.pass(until); err != nil {
			t.Fatalf("schedule %d: %v", seed, err)
		}
		if err := w.system.(system.Auditor).Audit(); err != nil {
			t.Fatalf("schedule %d, at %v: %v", seed, w.kernel.Now(), err)
		}
	}
	for range between(0, 12) {
		at += unit.Time(r.Intn(int(40 * unit.Second)))
		pass(at)
		switch k := r.Intn(4); k {
		case 3:
			n := unit.NodeID(r.Intn(16))
			if r.Intn(2) == 0 {
				w.cluster.Leave(n)
			} else {
				w.cluster.Restore(n)
			}
			pass(at) // all hear of it
		default:
			fail(agents[k].kind+[]string{"_down", "_up"}[r.Intn(2)], r.Intn(agents[k].n), 0)
		}
	}
	pass(at + unit.Time(r.Intn(int(5*unit.Minute))))
	fail("mail_loss", 0, 0) // all is mended
	fail("mail_delay", 0, 0)
	fail("mail_repeat", 0, 0)
	for n := range unit.NodeID(16) {
		w.cluster.Restore(n)
	}
	pass(w.kernel.Now())
	for _, a := range agents {
		for i := range a.n {
			fail(a.kind+"_up", i, 0)
		}
	}
	pass(2 * unit.Hour) // the last timer is over
	return w
}

// TestFaults: whatever breaks, when all is mended and the last timer is over, each
// request is bought whole or not at all, no reservation is held for nobody, and no
// money came into being or vanished. Only cores that are lost after the payment divide a
// purchase.
func TestFaults(t *testing.T) {
	n := *schedules
	if testing.Short() {
		n /= 20
	}
	var bought, failed, expired, refused int64
	for seed := range uint64(n) {
		w := schedule(t, seed)
		b := market.BooksOf(w.system)
		if n := b.Open(); n > 0 {
			t.Fatalf("schedule %d: %d auctions never end", seed, n)
		}
		if n := b.Held(); n > 0 {
			t.Fatalf("schedule %d: %d reservations are held for nobody", seed, n)
		}
		if err := b.Atomic(w.facts); err != nil {
			t.Fatalf("schedule %d: %v", seed, err)
		}
		if has, issued := b.Money(); has != issued {
			t.Fatalf("schedule %d: the accounts hold %d and %d were issued", seed, has, issued)
		}
		one, two, three, four := b.Counts()
		bought, failed, expired, refused = bought+one, failed+two, expired+three, refused+four
	}
	t.Logf("%d schedules: %d auctions bought, %d failed, %d holds expired, %d contracts refused", n, bought, failed, expired, refused)
	if bought == 0 || failed == 0 || expired == 0 || refused == 0 {
		t.Error("the schedules do not reach every outcome")
	}
}
