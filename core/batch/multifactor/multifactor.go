// Package multifactor sorts a queue of rigid jobs as Slurm's priority/multifactor does:
// by a weighted sum of factors from 0 to 1 for age, fair share, size and queue. The
// fair-share factor is of the usage that users had, which decays.
//
// The pure functions (Age, Size, Decay, Tree) are those of Slurm's documentation and
// source; Queue joins them to an order of the package batch:
//
//	q := multifactor.New(settings, processors)
//	site.Prioritise(q)
//	site.Sort(batch.Multifactor, batch.Multifactor)
package multifactor

import (
	"parley/core/batch"
	"parley/core/unit"
)

// Period is the time between two calculations of usage, factors and priorities
// (PriorityCalcPeriod).
const Period = 5 * unit.Minute

// MaxPriority is the highest priority; the lowest of a job that is not held is 1.
const MaxPriority = 1<<32 - 1

// Settings are the parameters of Slurm's configuration.
type Settings struct {
	// Age, FairShare, Size and Queue are the weights (PriorityWeight…).
	Age, FairShare, Size, Queue int64
	// MaxAge is the wait at which the age factor is 1 (PriorityMaxAge).
	MaxAge unit.Time
	// HalfLife is the time in which usage halves (PriorityDecayHalfLife); 0: it does not
	// decay.
	HalfLife unit.Time
	// Classic computes the fair-share factor as 2^(-UE/S) instead of by Fair Tree.
	Classic bool
	// Favor sets which jobs have a high size factor.
	Favor Favor
	// Accounts are the shares of accounts that do not have 1, by group.
	Accounts map[uint32]int64
	// Above are the names of the accounts above those of the jobs; an account without one is at the
	// top.
	Above map[uint32]string
	// Inner are the accounts above others, by name.
	Inner map[string]Inner
	// Users are the shares of users that do not have 1, by group and user.
	Users map[User]int64
	// Queues are the priorities of the queues, by the queue's index in batch.Site.
	Queues []int64
}

// Inner is an account that has accounts below it.
type Inner struct {
	Shares int64  // at least 1
	Above  string // the account above it; empty if it is at the top
}

// User is a user of an account.
type User struct{ Account, User uint32 }

// Favor defines which jobs have a high size factor.
type Favor uint8

// The preferences: for large jobs, for small ones (PriorityFavorSmall), and for jobs that
// are large for their time (SMALL_RELATIVE_TO_TIME).
const (
	Large Favor = iota
	Small
	RelativeToTime
)

// Age returns the age factor of a wait.
func Age(wait, limit unit.Time) float64 {
	if limit <= 0 {
		return 1
	}
	return min(1, wait.Seconds()/limit.Seconds())
}

// Size returns the size factor of a job that asks for processors of a machine with a
// total number. Slurm takes the mean of two parts, of the nodes and of the processors; a
// rigid job here asks for processors only, so both parts are equal.
func (f Favor) Size(processors, total int, estimate unit.Time) float64 {
	n, all := float64(processors), float64(max(1, total))
	switch f {
	case Small:
		return (all - n) / all
	case RelativeToTime:
		return min(1, max(0, n/(estimate.Seconds()/60)/all))
	}
	return n / all
}

// Decay returns by which factor usage decays in a time: (1 - 0.693 / half-life) to the
// power of the seconds. A half-life of 0 means no decay.
func Decay(halfLife, d unit.Time) float64 {
	if halfLife <= 0 {
		return 1
	}
	factor, power := 1-0.693/halfLife.Seconds(), 1.0
	for n := int64(d / unit.Second); n > 0; n >>= 1 {
		if n&1 == 1 {
			power *= factor
		}
		factor *= factor
	}
	return power
}

// Priority returns the weighted sum of factors as an integer from 1 to Most.
func (s *Settings) Priority(age, fairShare, size, queue float64) int64 {
	sum := float64(float64(s.Age)*age) + float64(float64(s.FairShare)*fairShare) + float64(float64(s.Size)*size) +
		float64(float64(s.Queue)*queue)
	return int64(min(max(sum, 1), MaxPriority))
}

// Queue ranks the jobs of a site. It implements batch.Ranker.
type Queue struct {
	*books
	running []*run // by batch.Handle
}

// books are the accounts that all queues of a machine share.
type books struct {
	settings   Settings
	processors int // of the machine
	tree       Tree
	users      map[User]*account
	accounts   map[uint32]int
	inner      map[string]int
	order      []*account // of users, as they came
	fresh      []*run     // began after the latest calculation
	ended      []charge
	at         unit.Time // of the latest calculation
	stale      bool      // the factors are older than the usage
	topQueue   int64
}

// account is a user of an account with its usage in processor seconds.
type account struct {
	node  int // in the tree
	usage float64
	whole float64 // processors of the jobs that run since before the latest calculation
}

// run is a running job.
type run struct {
	of         *account
	since      unit.Time
	processors float64
	whole      bool // it began before the latest calculation
	over       bool
}

// charge is usage of a job that ended since the latest calculation.
type charge struct {
	of         *account
	processors float64
	d          unit.Time
}

// New returns an order for a site of a machine with a number of processors.
func New(s Settings, processors int) *Queue {
	b := &books{
		settings: s, processors: processors, users: map[User]*account{}, accounts: map[uint32]int{},
		inner: map[string]int{},
	}
	for _, p := range s.Queues {
		b.topQueue = max(b.topQueue, p)
	}
	return &Queue{books: b}
}

// Beside returns an order for another site of the same machine: usage is common.
func (q *Queue) Beside() *Queue { return &Queue{books: q.books} }

// Resize sets how many processors the machine has.
func (q *Queue) Resize(processors int) { q.processors = processors }

// Keys implements batch.Ranker: the key is the negative priority.
func (q *Queue) Keys(now unit.Time, jobs []batch.Candidate, keys []float64) {
	q.advance(now)
	for i := range jobs { // a user that was never seen changes the shares of the others
		q.user(&jobs[i].Job)
	}
	if q.stale {
		q.factors()
	}
	for i := range jobs {
		keys[i] = -float64(q.priority(&jobs[i]))
	}
}

// priority returns a job's priority at the latest calculation, or at its submission if
// that was later.
func (b *books) priority(c *batch.Candidate) int64 {
	s := &b.settings
	queue := 0.0
	if int(c.Queue) < len(s.Queues) && b.topQueue > 0 {
		queue = float64(s.Queues[c.Queue]) / float64(b.topQueue)
	}
	age := Age(max(0, b.at-c.Submitted), s.MaxAge)
	return s.Priority(age, b.tree.Factor(b.user(&c.Job).node), s.Favor.Size(c.Processors, b.processors, c.Estimate),
		queue)
}

// Began implements batch.Ranker.
func (q *Queue) Began(now unit.Time, h batch.Handle, j *batch.Job) {
	q.advance(now)
	for int(h) >= len(q.running) {
		q.running = append(q.running, nil)
	}
	q.running[h] = &run{of: q.user(j), since: now, processors: float64(j.Processors)}
	q.fresh = append(q.fresh, q.running[h])
}

// Ended implements batch.Ranker.
func (q *Queue) Ended(now unit.Time, h batch.Handle) {
	q.advance(now)
	r := q.running[h]
	if r.over = true; r.whole {
		r.of.whole -= r.processors
	}
	q.ended = append(q.ended, charge{r.of, r.processors, now - max(r.since, q.at)})
	q.running[h] = nil
}

// advance does the calculations that were due until now. In each, usage decays by the
// period, and then every job adds its processors times the seconds that it ran in the
// period, decayed by as many seconds.
func (b *books) advance(now unit.Time) {
	for b.at+Period <= now {
		b.at += Period
		decay := Decay(b.settings.HalfLife, Period)
		for _, u := range b.order {
			u.usage = float64(u.usage*decay) + float64(u.whole*Period.Seconds()*decay)
		}
		for _, c := range b.ended {
			c.of.add(c.processors, c.d, b.settings.HalfLife)
		}
		for _, r := range b.fresh {
			if !r.over {
				r.of.add(r.processors, b.at-r.since, b.settings.HalfLife)
				r.of.whole += r.processors
				r.whole = true
			}
		}
		b.ended, b.fresh = b.ended[:0], b.fresh[:0]
		b.stale = true
	}
}

// add charges processors for a time.
func (a *account) add(processors float64, d, halfLife unit.Time) {
	a.usage += float64(processors * d.Seconds() * Decay(halfLife, d))
}

// user returns the user of a job, which may be new.
func (b *books) user(j *batch.Job) *account {
	key := User{j.Group, j.User}
	if u := b.users[key]; u != nil {
		return u
	}
	parent, known := b.accounts[j.Group]
	if !known {
		parent = b.tree.Add(b.above(b.settings.Above[j.Group]), false, sharesOf(b.settings.Accounts, j.Group))
		b.accounts[j.Group] = parent
	}
	u := &account{node: b.tree.Add(parent, true, sharesOf(b.settings.Users, key))}
	b.users[key], b.order, b.stale = u, append(b.order, u), true
	return u
}

// above returns the account of a name that has accounts below it; Root if there is no name.
func (b *books) above(name string) int {
	if name == "" {
		return Root
	}
	at, known := b.inner[name]
	if !known {
		i := b.settings.Inner[name]
		at = b.tree.Add(b.above(i.Above), false, max(1, i.Shares))
		b.inner[name] = at
	}
	return at
}

// sharesOf returns the shares of a key, 1 if there are none.
func sharesOf[K comparable](shares map[K]int64, key K) int64 {
	if n, has := shares[key]; has {
		return n
	}
	return 1
}

// factors computes the fair-share factors of all users.
func (b *books) factors() {
	for _, u := range b.order {
		b.tree.Use(u.node, u.usage)
	}
	if b.settings.Classic {
		b.tree.Classic()
	} else {
		b.tree.FairTree()
	}
	b.stale = false
}
