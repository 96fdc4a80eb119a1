package metric

import "slices"

// AliveJobs is of how many jobs j has kept anything.
func AliveJobs(j *Jobs) int { return len(j.alive) }

// Spiked is spiked.
var Spiked = spiked

// Queue returns how many entries the queue of waiting jobs has.
func Queue(j *Jobs) int { return j.queue.Len() }

// Values are values for tests from outside.
type Values struct{ values }

// NewValues returns values of which so many are listed.
func NewValues(limit int) *Values { return &Values{values{limit: limit}} }

// Add adds one.
func (f *Values) Add(x float64) { f.add(x) }

// Distribution returns that of all.
func (f *Values) Distribution() Distribution { return f.distribution() }

// Listed returns how many are listed.
func (f *Values) Listed() int { return len(slices.Concat(f.list...)) }
