// Package queue is a resource's batch queue as its agent sees it. It answers when n cores
// are free, how loaded the resource is then, and whether a block of cores can be reserved.
//
// Package batch runs the queue itself, with FCFS, EASY or another policy around the
// reservations. The forecast of free cores is computed on demand and kept until the next
// change. It counts running jobs until their estimated ends and waiting jobs, as the paper's
// resources do, at their planned starts, so that a reservation delays no job. Protect
// chooses which jobs count.
package queue

import (
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/system/market/price"
	"parley/core/unit"
)

// Protect defines which jobs a reservation may not delay.
type Protect uint8

// Whom it protects. Those that run are always protected.
const (
	Waiting Protect = iota // every waiting job, at its planned start
	First                  // the first waiting job, which EASY has promised a start
	NoJob
	protections
)

var protectNames = [protections]string{"queue", "head", "none"}

// String returns the name of one.
func (p Protect) String() string { return protectNames[p] }

// ProtectNames lists them as settings spell them.
func ProtectNames() []string { return slices.Clone(protectNames[:]) }

// ParseProtect returns the one of a name.
func ParseProtect(name string) (Protect, error) {
	if i := slices.Index(protectNames[:], name); i >= 0 {
		return Protect(i), nil
	}
	return 0, fmt.Errorf("the protection is %q: choose one of %v", name, protectNames)
}

// maxPlanned bounds how many waiting jobs an outlook plans.
const maxPlanned = 2000

// Queue is one resource's. Use New.
type Queue struct {
	*batch.Site
	protect Protect
	outlook batch.Profile
	fresh   bool
	drawnAt unit.Time
}

// New returns an empty queue before a given number of cores.
func New(policy batch.Policy, cores int, protect Protect) *Queue {
	return &Queue{Site: batch.NewSite(policy, cores), protect: protect}
}

// Touch records that the queue changed: the next question computes a new forecast.
func (q *Queue) Touch() { q.fresh = false }

// look updates the outlook.
func (q *Queue) look(now unit.Time) {
	if q.fresh {
		return
	}
	waiting := [protections]int{maxPlanned, 1, 0}[q.protect]
	q.Outlook(now, &q.outlook, waiting)
	q.fresh, q.drawnAt = true, now
}

// Fits reports whether a given number of cores are free from a time on, for a while.
func (q *Queue) Fits(now, from, length unit.Time, cores int) bool {
	q.look(now)
	return from >= now && q.outlook.Fits(from, length, cores)
}

// Earliest returns the first time not before from at which a given number of cores are free
// for a while; unit.Forever if there is none.
func (q *Queue) Earliest(now, from, length unit.Time, cores int) unit.Time {
	q.look(now)
	return q.outlook.Earliest(max(now, from), length, cores)
}

// Load returns how many cores are taken at a time.
func (q *Queue) Load(now, at unit.Time) price.Load {
	q.look(now)
	size := q.Processors()
	return price.Load{Taken: max(0, size-q.outlook.Free(max(at, now))), Size: size}
}

// Reserve reserves a block if no job that it may not delay is in the way.
func (q *Queue) Reserve(now unit.Time, b batch.Block) bool {
	if b.Start >= b.End || b.Processors < 1 || !q.Fits(now, b.Start, b.End-b.Start, b.Processors) || !q.Book(now, b) {
		return false
	}
	q.outlook.Add(b.Start, b.End, -b.Processors)
	return true
}

// Holds reports whether the cores of a block that is reserved are still there: some may
// be lost since.
func (q *Queue) Holds(now unit.Time, b batch.Block) bool {
	from := max(now, b.Start)
	return from >= b.End || q.Fits(now, from, b.End-from, 0)
}

// Release gives a block up. The outlook is drawn anew after it.
func (q *Queue) Release(b batch.Block) bool {
	q.fresh = false
	return q.Site.Release(b)
}

// Reserved returns the latest start of the first waiting job by the present plan, and whether one
// waits.
func (q *Queue) Reserved(now unit.Time) (batch.Handle, unit.Time, bool) {
	h, waits := q.Head()
	if !waits {
		return 0, 0, false
	}
	var p batch.Profile
	return h, q.Outlook(now, &p, 1), true
}
