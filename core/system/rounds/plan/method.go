package plan

import "fmt"

// Method chooses the master's next chunk at run time.
type Method struct {
	name   string
	order  []int
	chunks [][]float64
	guided bool
}

// Fixed follows a plan as fast as the port allows. Chunks lost with a worker,
// and those the plan still has for it, go into a pool that is dealt out by
// factoring after the rest of the plan.
func Fixed(order []int, chunks [][]float64) Method {
	return Method{name: "plan", order: order, chunks: chunks}
}

// Factoring deals on demand in batches of half the remaining load, each batch
// once around the workers, by their stated speed (Hummel, Schonberg and
// Flynn, 1992).
func Factoring() Method { return Method{name: "factoring"} }

// Guided is guided self-scheduling: every request gets its speed's share of
// the remaining load (Polychronopoulos and Kuck, 1987).
func Guided() Method { return Method{name: "guided", guided: true} }

// demand deals a pool of load to workers that ask. A worker asks while it has
// fewer than two chunks, so that it can receive one while it computes one.
type demand struct {
	pool      float64
	guided    bool
	speed     []float64
	speeds    float64 // of all workers
	smallest  []float64
	batch     float64 // left of the factoring batch: its size,
	batchLeft int     // and how many chunks it still gives
}

// newDemand also sets the smallest chunk of each worker: one that keeps it busy for as long as its
// own latency, or as one latency of everybody takes the port; and at least a thousandth of its fair
// share.
func newDemand(p Platform, load float64, guided bool) *demand {
	d := &demand{guided: guided, speed: make([]float64, len(p.Workers)), smallest: make([]float64, len(p.Workers))}
	for i, w := range p.Workers {
		d.speed[i] = w.Speed
		d.speeds += w.Speed
	}
	for i, w := range p.Workers {
		latency := max(w.CompLatency, float64(w.CommLatency*float64(len(p.Workers))))
		d.smallest[i] = max(w.Speed*latency, load*w.Speed/d.speeds/1000)
	}
	return d
}

// next returns the worker that has waited longest among those with the fewest
// chunks, and the amount of its next chunk, which is taken from the pool. It returns
// false if the pool is empty or all workers that are up have two chunks.
func (d *demand) next(workers []WorkerState) (worker int, amount float64, ok bool) {
	if d.pool <= 0 {
		return 0, 0, false
	}
	worker = -1
	for i := range workers {
		w := &workers[i]
		if !w.Up || w.Chunks >= 2 {
			continue
		}
		if worker < 0 || w.Chunks < workers[worker].Chunks ||
			w.Chunks == workers[worker].Chunks && w.Since < workers[worker].Since {
			worker = i
		}
	}
	if worker < 0 {
		return 0, 0, false
	}
	base := d.pool
	if !d.guided {
		if d.batchLeft == 0 {
			d.batch, d.batchLeft = d.pool/2, len(workers)
		}
		d.batchLeft--
		base = d.batch
	}
	amount = max(base*d.speed[worker]/d.speeds, d.smallest[worker])
	if amount >= d.pool || d.pool-amount < d.smallest[worker]/2 {
		amount = d.pool
	}
	d.pool -= amount
	return worker, amount, true
}

// WorkerState is the state of a worker that a Dealer needs.
type WorkerState struct {
	Up     bool
	Chunks int     // sent to it and not yet computed
	Since  float64 // seconds; since when it has had this few
}

// Dealer returns, chunk by chunk, the sends of a master that follows a Method: the plan first, then
// a pool of work that was lost or could not be sent as planned.
type Dealer struct {
	method  Method
	round   int // of the next chunk of the plan
	column  int
	planned int // chunks of the plan that are still to be handed out
	demand  *demand
}

// Deal returns the Dealer of a load. It fails on a bad platform, load or plan.
func Deal(p Platform, load float64, m Method) (*Dealer, error) {
	if err := p.Validate(load); err != nil {
		return nil, err
	}
	d := &Dealer{method: m, demand: newDemand(p, load, m.guided)}
	if m.order == nil {
		d.demand.pool = load
		return d, nil
	}
	if _, err := Simulate(p, m.order, m.chunks, nil); err != nil {
		return nil, fmt.Errorf("the plan to follow: %w", err)
	}
	for _, row := range m.chunks {
		for _, x := range row {
			if x > 0 {
				d.planned++
			}
		}
	}
	return d, nil
}

// Next returns the next chunk for the free port: ok is false if nothing is left to be handed out or
// no worker can take it now. round counts from 0; it is -1 for a chunk from the pool. workers are
// in the order of the platform.
func (d *Dealer) Next(workers []WorkerState) (worker int, amount float64, round int, ok bool) {
	for d.planned > 0 {
		round = d.round
		amount, worker = d.method.chunks[d.round][d.column], d.method.order[d.column]
		if d.column++; d.column == len(d.method.order) {
			d.round, d.column = d.round+1, 0
		}
		if amount == 0 {
			continue
		}
		d.planned--
		if workers[worker].Up {
			return worker, amount, round, true
		}
		d.demand.pool += amount
	}
	worker, amount, ok = d.demand.next(workers)
	return worker, amount, -1, ok
}

// Return puts work that has to be sent again into the pool.
func (d *Dealer) Return(amount float64) { d.demand.pool += amount }

// Empty reports whether all has been handed out.
func (d *Dealer) Empty() bool { return d.planned == 0 && d.demand.pool <= 0 }

// Left returns the work units that have not been handed out.
func (d *Dealer) Left() (sum float64) {
	if d.planned > 0 {
		for _, x := range d.method.chunks[d.round][d.column:] {
			sum += x
		}
		for _, row := range d.method.chunks[d.round+1:] {
			for _, x := range row {
				sum += x
			}
		}
	}
	return sum + d.demand.pool
}
