package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/follow"
	"parley/core/unit"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
	"parley/tools/parley/memory"
	"parley/tools/soak/check"
)

// soakFlags are the flags of long runs and of random faults.
type soakFlags struct {
	console.Workers
	load.Changes
	until     console.Span
	mtbf      console.Span
	every     console.Span
	again     bool
	schedules uint64
	from      uint64
}

func command(c *console.Console) *cobra.Command {
	var f soakFlags
	cmd := &cobra.Command{
		Use:   "soak SCENARIO… | soak --schedules N [SYSTEM…]",
		Short: "Play scenarios for days with faults, or many random faults",
		Long: `Plays each scenario for days of simulated time while nodes fail, and prints by day how many tasks, jobs and graphs are alive, how much memory the run holds, the most that was resident, how fast it was, and its digest. Tasks whose node fails begin again, so more of them are alive than with nodes that last. Of each job that ended 24 bytes are kept, of each graph 32, up to 1,048,576 of them. All sums are audited every simulated hour, and a checker that knows nothing but the events follows every task, job, chunk and subtask: work that is lost, done twice or on two nodes ends the command. With --again the second half is played a second time from a snapshot, and has to end in the same digest.

With --schedules N it plays N small scenarios of each system, each with up to 12 random faults of nodes, racks and the system's agents and their ends, under the same checker. A schedule that fails is printed as a scenario.

A month of the Google cell is soak google-cell --until 29d; ten thousand schedules of every system are soak --schedules 10000.`,
		Example: `  go run ./tools/soak rounds-failures --until 1h --every 30m --again
  go run ./tools/soak --schedules 2 central rounds`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case f.schedules == 0 && len(args) == 0:
				return console.NewUsageError(errors.New("soak needs a SCENARIO, or --schedules; see soak --help"))
			case f.schedules == 0 && f.from > 0:
				return console.NewUsageError(errors.New("--from is about --schedules: give it too, or leave it out"))
			case f.schedules > 0 && (f.until > 0 || f.mtbf > 0 || f.every > 0 || f.again || len(f.Set) > 0 ||
				f.System != ""):
				return console.NewUsageError(
					errors.New(
						"--schedules has scenarios of its own: leave --until, --mtbf, --every, --again, --set and --system out",
					),
				)
			case f.schedules > 0:
				return f.play(c, args)
			}
			for _, name := range args {
				if err := f.last(c, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.AddJobs(cmd)
	f.AddChanges(cmd)
	flags := cmd.Flags()
	flags.Var(&f.until, "until", "how much simulated time to play, such as 29d (default the scenario's)")
	flags.Var(&f.mtbf, "mtbf",
		"how long a node lives on average before it fails for half an hour (default the scenario's chaos, or 20d if it has none)")
	flags.Var(&f.every, "every", "how often memory is measured, in simulated time (default 1d)")
	flags.BoolVar(&f.again, "again", false, "play the second half again from a snapshot and compare the digests")
	flags.Uint64Var(&f.schedules, "schedules", 0, "number of random fault schedules to play of each system")
	flags.Uint64Var(&f.from, "from", 0, "with --schedules: the number of the first")
	return cmd
}

// last plays a scenario, with faults of nodes, to its end and prints memory, speed and digest after each
// --every. It compares the run with an account of its own and, with --again, its second half with one from a
// snapshot.
func (f *soakFlags) last(c *console.Console, name string) error {
	d, err := load.ReadScenario(c, name, nil)
	if err != nil {
		return err
	}
	if err := f.Apply(&d, c.Systems, nil); err != nil {
		return err
	}
	s := d.Scenario
	if f.until > 0 {
		s.Until = scenario.Duration(f.until)
	}
	if f.mtbf > 0 || s.Chaos.NodeMTBF == 0 && s.Chaos.RackMTBF == 0 {
		s.Chaos.NodeMTBF, s.Chaos.MTTR = scenario.Duration(20*24*unit.Hour), scenario.Duration(30*unit.Minute)
		if f.mtbf > 0 {
			s.Chaos.NodeMTBF = scenario.Duration(f.mtbf)
		}
	}
	every := 24 * unit.Hour
	if f.every > 0 {
		every = unit.Time(f.every)
	}
	p, err := new(load.Trace).Prepare(c, d)
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	check := follow.New()
	r, err := p.Open(run.Watch(check))
	if err != nil {
		return err
	}
	until := r.Until()
	fmt.Fprintf(c.Out,
		"%s, %v with faults, MTBF %v; memory after a collection, the most resident since the line before; alive: tasks, jobs and graphs\n\n%-12s  %9s  %9s  %11s  %10s  %s\n", d.Label, until, s.Chaos.NodeMTBF, "time", "alive", "heap MB", "resident MB", "x real", "digest")
	var middle *run.Snapshot
	for at := min(every, until); ; at = min(at+every, until) {
		memory.ForgetPeak()
		began := c.Now()
		from := r.Now()
		if err := advance(c, r, at); err != nil {
			return err
		}
		took := c.Now().Sub(began)
		peak := memory.PeakMB()
		if err := errors.Join(check.Compare(r.View()), r.Audit()); err != nil {
			return fmt.Errorf("at %v: %w", scenario.Duration(r.Now()), err)
		}
		fmt.Fprintf(c.Out, "%-12v  %9s  %9.1f  %11.1f  %10s  %v\n", scenario.Duration(r.Now()),
			console.Grouped(alive(r.View())), heapMB(), peak,
			console.Number((r.Now()-from).Seconds()/max(took.Seconds(), 1e-9)), r.Digest())
		if f.again && middle == nil && at >= until/2 && at < until {
			if middle, err = run.NewSnapshots(r).Take(); err != nil {
				return fmt.Errorf("--again: %w", err)
			}
		}
		if r.Done() {
			break
		}
	}
	fmt.Fprintf(c.Out, "\n%d events: nothing lost, twice or on two nodes; audited every hour\n", check.Events)
	if middle != nil {
		again, _, err := middle.Restore(nil, r.Scenario().Faults)
		if err == nil {
			err = advance(c, again, until)
		}
		if err != nil {
			return fmt.Errorf("--again: %w", err)
		}
		if again.Digest() != r.Digest() {
			return fmt.Errorf("the second half from a snapshot at %v ends in the digest %v, not %v",
				scenario.Duration(middle.At()), again.Digest(), r.Digest())
		}
		fmt.Fprintf(c.Out, "the second half, from %v, ends in the same digest from a snapshot\n",
			scenario.Duration(middle.At()))
	}
	return nil
}

// advance runs to a time, or until the command shall end.
func advance(c *console.Console, r *run.Run, to unit.Time) error {
	for r.Now() < to && !r.Done() {
		if c.Stopped() {
			return console.ErrInterrupted
		}
		if err := r.Advance(min(to, r.Now()+unit.Hour)); err != nil {
			return err
		}
	}
	return nil
}

// alive returns the number of tasks, jobs and graphs that have not ended; a run's memory is
// proportional to it.
func alive(v cluster.View) int64 {
	t, graphs := v.Totals(), v.GraphTotals()
	return int64(t.Alive() + t.Jobs.Waiting + t.Jobs.Running + graphs.Open)
}

// heapMB returns the size of the reachable heap in MB.
func heapMB() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// play plays random fault schedules, from number --from on, of each of the systems ids; none means all. It ends
// at the first that fails.
func (f *soakFlags) play(c *console.Console, ids []string) error {
	if len(ids) == 0 {
		for _, e := range c.Systems {
			ids = append(ids, e.ID)
		}
	}
	for _, id := range ids {
		s, err := check.NewSchedules(c.Systems, id)
		if err != nil {
			return err
		}
		began := c.Now()
		var lock sync.Mutex
		faults, events, done := 0, int64(0), uint64(0)
		b := console.NewBar(c)
		err = f.Each(int(f.schedules), func(i int) error {
			if c.Stopped() {
				return console.ErrInterrupted
			}
			played, err := s.Play(f.from+uint64(i), nil)
			lock.Lock()
			defer lock.Unlock()
			faults, events, done = faults+played.Faults, events+played.Events, done+1
			b.Show("%s: %d of %d", id, done, f.schedules)
			return err
		})
		b.Clear()
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%-12s  %d schedules, %d faults, %d events in %v: nothing lost, twice or on two nodes\n", id,
			f.schedules, faults, events, c.Now().Sub(began).Round(time.Second))
	}
	return nil
}
