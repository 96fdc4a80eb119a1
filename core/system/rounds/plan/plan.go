// Package plan computes how to send a divisible load to workers: which chunk to which
// worker, in how many rounds, and how long it takes.
//
// Model: a master with one port sends a chunk to each worker in turn, round after round. A
// chunk of x work units occupies the port for nLat + x/B seconds, and then the worker for
// cLat + x/S seconds; the worker receives the next chunk meanwhile.
//
// Source: Phan Thanh Toan and Nguyen The Loc, "Resources management algorithm
// for the cloud environment", Journal of Science of HNUE 56(7), 2011: UMR in
// section 2.2, UMR2 in section 2.3. Equation numbers in this package are the paper's. The
// README of core/system/rounds describes the algorithms that the paper compares with, and
// which of its statements do not hold.
//
//	p := plan.Platform{Workers: []plan.Worker{{Speed: 50, Bandwidth: 1500, CompLatency: 0.1, CommLatency: 0.1}}}
//	result, err := plan.Plan(p, 1e6, "umr2", plan.Options{})
//	fmt.Println(result.Rounds, result.Makespan)
package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// algorithms lists the algorithms of Plan; best, which tries the others, is last.
var algorithms = []string{"umr", "umr-strict", "umr2", "mi", "lp", "one-round", "best"}

// Algorithms returns the names Plan accepts.
func Algorithms() []string { return slices.Clone(algorithms) }

// Options are the settings of Plan; the zero value follows the papers.
type Options struct {
	// Rounds fixes the number of rounds of umr, umr-strict, umr2 and mi; 0
	// lets the algorithm choose (mi: the best of 1 to 8, simulated).
	Rounds int
	// MaxRounds bounds that choice; 0 means DefaultMaxRounds.
	MaxRounds int
	// Policy confines umr2 to one of Above, Below, Equal.
	Policy string
	// Order makes umr and umr2 use exactly these workers in this sending
	// order instead of selecting.
	Order []int
	// Lagrange takes the number of rounds from the paper's equation instead
	// of from a scan of all integers.
	Lagrange bool
	// Nodes bounds the branch and bound of umr2's policy I; 0 means
	// DefaultNodes.
	Nodes int
	// Effort bounds the search of best, in simulated chunks; 0 means
	// DefaultEffort(number of workers).
	Effort int
}

// Defaults of Options, and the bound on the size of an answer: a plan never
// has more than MaxChunks chunks, then workers get fewer rounds.
const (
	DefaultMaxRounds = 10_000
	DefaultNodes     = 20_000
	MaxChunks        = 4_000_000
)

// DefaultEffort grows with the platform so that planning stays interactive:
// about a millisecond for 50 workers, a few tens for 1,000.
func DefaultEffort(workers int) int { return max(24_000, 800*workers) }

// Result is a plan; its JSON is that of `parley plan rounds`.
type Result struct {
	Algorithm string `json:"algorithm"`
	Policy    string `json:"policy"` // of umr2; for best, the changes
	Order     []int  `json:"order"`  // worker indices in sending order
	Rounds    int    `json:"rounds"`
	// one row a round, one column a worker of Order; not negative, sum is the load
	Chunks    [][]float64 `json:"chunks"`
	Predicted float64     `json:"makespan_predicted_s"` // by the algorithm's own formula
	Makespan  float64     `json:"makespan_s"`           // simulated
	Bound     float64     `json:"bound_s"`              // no plan is shorter: see Bound
	IdlePct   float64     `json:"idle_pct"`             // see Outcome
	Warning   string      `json:"warning,omitempty"`    // another algorithm takes less than half of Makespan
}

// Plan shares the load among the platform's workers. Equal arguments give
// equal results. Errors are sentences: a bad platform, load or option, an
// unknown algorithm, or an option that leaves no plan.
func Plan(p Platform, load float64, algorithm string, options Options) (Result, error) {
	if err := p.Validate(load); err != nil {
		return Result{}, err
	}
	if !slices.Contains(algorithms, algorithm) {
		return Result{}, fmt.Errorf("there is no algorithm %q: choose one of %s", algorithm,
			strings.Join(algorithms, ", "))
	}
	options, err := options.complete(p)
	if err != nil {
		return Result{}, err
	}
	r, err := planner{p, load, options}.make(algorithm)
	if err != nil {
		return Result{}, err
	}
	r.Bound = Bound(p, load)
	if free, err := (Options{}).complete(p); err == nil { // others choose freely, as they would be asked to
		r.Warning = planner{p, load, free}.warning(r)
	}
	return r, nil
}

// make plans by the named algorithm, which must be one of Algorithms().
func (pl planner) make(algorithm string) (Result, error) {
	switch algorithm {
	case "umr":
		return pl.umr(algorithm, umrSelection)
	case "umr-strict":
		return pl.umr(algorithm, umrStrictSelection)
	case "umr2":
		return pl.umr2()
	case "mi":
		return pl.mi()
	case "lp":
		order, rows, predicted := periodic(pl.p, pl.load, pl.options.limit(len(pl.p.Workers)))
		return pl.seal(algorithm, "", order, rows, predicted)
	case "one-round":
		order, row, predicted := oneRound(pl.p, pl.load)
		return pl.seal(algorithm, "", order, [][]float64{row}, predicted)
	}
	return pl.best()
}

// complete returns the options with defaults in place of 0, except Rounds, whose 0 stays. An error names
// the option that is out of range for the platform.
func (o Options) complete(p Platform) (Options, error) {
	for _, number := range [...]struct {
		name  string
		value *int
		unset int
	}{
		{"the number of rounds", &o.Rounds, 0},
		{"the largest number of rounds", &o.MaxRounds, DefaultMaxRounds},
		{"the number of branch and bound nodes", &o.Nodes, DefaultNodes},
		{"the search effort", &o.Effort, DefaultEffort(len(p.Workers))},
	} {
		if *number.value < 0 {
			return o, fmt.Errorf("%s is %d: it must be positive, or 0 for the default", number.name, *number.value)
		}
		if *number.value == 0 {
			*number.value = number.unset
		}
	}
	if limit := o.limit(len(p.Workers)); o.Rounds > limit {
		return o, fmt.Errorf("%d rounds for %d workers are too many: %d is the most", o.Rounds, len(p.Workers), limit)
	}
	if o.Policy != "" && o.Policy != Above && o.Policy != Below && o.Policy != Equal {
		return o, fmt.Errorf("there is no policy %q: choose %s, %s or %s", o.Policy, Above, Below, Equal)
	}
	if o.Order != nil {
		if len(o.Order) == 0 {
			return o, fmt.Errorf("the order of workers is empty: name at least one")
		}
		if err := new(Simulator).Set(p, o.Order); err != nil {
			return o, err
		}
	}
	return o, nil
}

// limit is the most rounds a plan for n workers may have.
func (o Options) limit(n int) int { return max(1, min(o.MaxRounds, MaxChunks/n)) }

// linkSlowness orders links by bandwidth decreasing.
func linkSlowness(w Worker) float64 { return -w.Bandwidth }

type planner struct {
	p       Platform
	load    float64
	options Options
}

// umr plans by UMR with the workers of Options.Order or, without it, those that selection returns, less
// those without room.
func (pl planner) umr(name string, selection func(Platform) []int) (Result, error) {
	order := pl.options.Order
	if order == nil {
		order = selection(pl.p)
	}
	if pl.options.Order == nil {
		order = withRoom(pl.p, pl.load, order, speed, compLatency)
	}
	sh, c, err := pl.fit(name, umrSharing, order)
	if err != nil {
		return Result{}, err
	}
	return pl.seal(name, "", sh.order, sh.chunks(c.rounds), c.predicted)
}

// umr2 compares the predicted makespans (2.12) of the three policies'
// selections and takes the smallest. Selections whose plans all have negative
// chunks are dropped; if that leaves none, each is tried without the workers
// of too long a latency.
func (pl planner) umr2() (Result, error) {
	selections := []selection{{order: pl.options.Order}}
	if pl.options.Order == nil {
		all := umr2Selections(pl.p, pl.options.Nodes)
		selections = slices.DeleteFunc(all[:], func(s selection) bool {
			return len(s.order) == 0 || pl.options.Policy != "" && s.policy != pl.options.Policy
		})
	}
	if len(selections) == 0 {
		return Result{}, fmt.Errorf("umr2's policy %s selects no worker on this platform: leave the policy open",
			pl.options.Policy)
	}
	var best sharing
	var with chosen
	var policy string
	var failure error
	for _, trim := range [...]bool{false, true} {
		for _, s := range selections {
			if trim && pl.options.Order == nil {
				s.order = withRoom(pl.p, pl.load, s.order, Worker.rate, Worker.latency)
			}
			sh, c, err := pl.fit("umr2", umr2Sharing, s.order)
			if err != nil {
				failure = err
			} else if with.rounds == 0 || c.predicted < with.predicted {
				best, with, policy = sh, c, s.policy
			}
		}
		if with.rounds > 0 {
			return pl.seal("umr2", policy, best.order, best.chunks(with.rounds), with.predicted)
		}
	}
	return Result{}, failure
}

// fit finds the number of rounds of one sharing: that of the options, or the one with the shortest
// prediction. It returns an error if all of them have a negative chunk.
func (pl planner) fit(name string, share rule, order []int) (sharing, chosen, error) {
	sh := share(pl.p, pl.load, order)
	limit := pl.options.limit(len(order))
	var c chosen
	var ok bool
	switch {
	case pl.options.Rounds > 0:
		c, ok = sh.series.exactly(pl.options.Rounds)
	case pl.options.Lagrange:
		c, ok = sh.series.byLagrange(limit)
	default:
		c, ok = sh.series.scan(limit)
	}
	if !ok {
		rounds := "any number of rounds"
		if pl.options.Rounds > 0 {
			rounds = fmt.Sprintf("%d rounds", pl.options.Rounds)
		}
		return sh, c,
			fmt.Errorf(
				"%s with %s would give one of its %d workers a negative chunk: choose fewer rounds or another algorithm",
				name, rounds, len(order),
			)
	}
	return sh, c, nil
}

// installmentRounds is how many rounds mi tries if none are given.
const installmentRounds = 8

// mi plans by the multi-installment scheme with all workers: the given number of rounds, or the one of 1
// to installmentRounds with the shortest simulated makespan.
func (pl planner) mi() (Result, error) {
	from, to := pl.options.Rounds, pl.options.Rounds
	if from == 0 {
		from, to = 1, min(installmentRounds, pl.options.limit(len(pl.p.Workers)))
	}
	var best Result
	order := everyone(pl.p, linkSlowness)
	for m := from; m <= to; m++ {
		rows, predicted := installments(pl.p, pl.load, order, m)
		r, err := pl.seal("mi", "", order, rows, predicted)
		if err != nil {
			return Result{}, err
		}
		if best.Rounds == 0 || r.Makespan < best.Makespan {
			best = r
		}
	}
	return best, nil
}

// seal scales a plan's rows to the load exactly, simulates it and returns it as a Result; rows are
// changed in place. It returns an error if a chunk is negative or not a number, or if the sum differs
// from the load by more than a millionth.
func (pl planner) seal(algorithm, policy string, order []int, rows [][]float64, predicted float64) (Result, error) {
	total := 0.0
	for _, row := range rows {
		sum := 0.0
		for _, x := range row {
			if !(x >= 0) {
				return Result{}, fmt.Errorf("%s finds no plan: the numbers of this platform lie too far apart",
					algorithm)
			}
			sum += x
		}
		total += sum
	}
	if !(total > 0) || math.Abs(total/pl.load-1) > 1e-6 {
		return Result{}, fmt.Errorf("%s finds no plan: the numbers of this platform lie too far apart", algorithm)
	}
	scaleRows(rows, pl.load/total)
	outcome, err := Simulate(pl.p, order, rows, nil)
	if err != nil {
		return Result{}, err
	}
	return Result{
		Algorithm: algorithm, Policy: policy, Order: order, Rounds: len(rows), Chunks: rows,
		Predicted: predicted, Makespan: outcome.Makespan, IdlePct: outcome.IdlePct,
	}, nil
}
