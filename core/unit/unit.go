// Package unit holds the integer quantities everything else is counted in.
//
// State is integers so that sums are exact and the same on every platform:
// time in microseconds, resources in millionths of a reference machine, data
// in bytes. Floats appear only in scores, metrics and colours.
//
//	half := unit.Vec{unit.CPU: 500_000, unit.Memory: 249_300}
//	if used.Add(request).Within(half) { … }
package unit

import (
	"fmt"
	"time"
)

// Time is a moment or a span of simulated time in microseconds.
type Time int64

// The usual spans.
const (
	Microsecond Time = 1
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Minute           = 60 * Second
	Hour             = 60 * Minute
	Day              = 24 * Hour
)

// Forever is after every moment that a run can reach.
const Forever Time = 1<<63 - 1

// Seconds returns t in seconds, for display and metrics.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String prints t as days, hours, minutes and seconds, as in "6h12m40s".
func (t Time) String() string {
	if t == Forever {
		return "forever"
	}
	if t >= Day || t <= -Day {
		return fmt.Sprintf("%dd%s", t/Day, (t % Day).String())
	}
	return (time.Duration(t) * time.Microsecond).String()
}

// Share is an amount of one resource in millionths of the reference machine,
// the largest one of the cluster.
type Share int32

// Whole is one whole reference machine.
const Whole Share = 1_000_000

// ShareOf rounds x, a fraction of the reference machine, to a Share.
func ShareOf(x float64) Share {
	if x < 0 {
		return -ShareOf(-x)
	}
	return Share(float64(x*float64(Whole)) + 0.5)
}

// Float returns s as a fraction of the reference machine.
func (s Share) Float() float64 { return float64(s) / float64(Whole) }

// Vec is an amount of every resource.
type Vec [Resources]Share

// Add returns v + w.
func (v Vec) Add(w Vec) Vec {
	for r := range v {
		v[r] += w[r]
	}
	return v
}

// Sub returns v - w.
func (v Vec) Sub(w Vec) Vec {
	for r := range v {
		v[r] -= w[r]
	}
	return v
}

// Within reports whether no resource of v exceeds limit's.
func (v Vec) Within(limit Vec) bool {
	for r := range v {
		if v[r] > limit[r] {
			return false
		}
	}
	return true
}

// Bytes is an amount of data.
type Bytes int64

// The usual sizes.
const (
	KB Bytes = 1000
	MB       = 1000 * KB
	GB       = 1000 * MB
)

// Work is an amount of a divisible load in millionths of a work unit, whose meaning is the
// workload's own.
type Work int64

// WorkUnit is one work unit.
const WorkUnit Work = 1_000_000

// MaxWork is the largest amount that WorkOf returns.
const MaxWork = 9_000_000_000_000 * WorkUnit

// WorkOf rounds x work units, of either sign, to a Work, at most MaxWork.
func WorkOf(x float64) Work {
	switch {
	case x < 0:
		return -WorkOf(-x)
	case x >= MaxWork.Float():
		return MaxWork
	}
	return Work(float64(x*float64(WorkUnit)) + 0.5)
}

// Float returns w in work units.
func (w Work) Float() float64 { return float64(w) / float64(WorkUnit) }

// Money is an amount of money in millionths of a unit, whose meaning is the workload's own.
type Money int64

// MoneyUnit is one unit of money.
const MoneyUnit Money = 1_000_000

// Float returns m in units of money.
func (m Money) Float() float64 { return float64(m) / float64(MoneyUnit) }

// NodeID numbers the nodes of one run from 0 in the order they first joined;
// a node that leaves and returns keeps its number.
type NodeID int32

// NoNode marks the absence of a node.
const NoNode NodeID = -1

// TaskID names one task of one run. Its low half is a slot that later tasks
// use again, its high half counts the uses, so a stale TaskID never names a
// newer task.
type TaskID uint64

// NoTask marks the absence of a task.
const NoTask TaskID = 0

// NewTaskID joins a slot and its use, counted from 1.
func NewTaskID(slot, use uint32) TaskID { return TaskID(use)<<32 | TaskID(slot) }

// Slot returns the slot of t.
func (t TaskID) Slot() uint32 { return uint32(t) }

// Use returns which use of the slot t is, counted from 1.
func (t TaskID) Use() uint32 { return uint32(t >> 32) }

// JobID names one rigid job of one run, as TaskID names a task. Tasks and jobs are
// numbered apart.
type JobID uint64

// NewJobID joins a slot and its use, counted from 1.
func NewJobID(slot, use uint32) JobID { return JobID(use)<<32 | JobID(slot) }

// Slot returns the slot of j.
func (j JobID) Slot() uint32 { return uint32(j) }

// Use returns which use of the slot j is, counted from 1.
func (j JobID) Use() uint32 { return uint32(j >> 32) }

// GraphID names one task graph of one run, as TaskID names a task.
type GraphID uint64

// NewGraphID joins a slot and its use, counted from 1.
func NewGraphID(slot, use uint32) GraphID { return GraphID(use)<<32 | GraphID(slot) }

// Slot returns the slot of g.
func (g GraphID) Slot() uint32 { return uint32(g) }

// Use returns which use of the slot g is, counted from 1.
func (g GraphID) Use() uint32 { return uint32(g >> 32) }
