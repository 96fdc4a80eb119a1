package systemtest

import (
	"pgregory.net/rapid"

	"parley/core/unit"
	"parley/core/workload"
)

// trial is a series of events in a small cell, whatever its scheduler does.
type trial struct {
	seed  uint64
	nodes []unit.Vec // capacities of the machines that are there from the start
	steps []step
}

// step is one act, after a delay. Its Do defines the meaning of its numbers, modulo the number of
// objects.
type step struct {
	After    unit.Time
	Do       deed
	Which    int // node, task or agent
	Amount   int // 0 … 99
	Request  unit.Vec
	Lifetime unit.Time // 0: until the trial ends it
	Class    workload.PriorityClass
	Picky    int // 0: no constraint, else an operator + 1
}

type deed int

const (
	submit deed = iota
	end
	change
	measure
	surge
	recordPlace
	release
	leave
	restore
	join
	resize
	attribute
	disturb
	lookAround
	deeds
)

// weights are the relative frequencies of the deeds.
var weights = [deeds]int{
	submit: 20, end: 3, change: 2, measure: 3, surge: 4, recordPlace: 3, release: 1, leave: 3,
	restore: 4, join: 1, resize: 2, attribute: 2, disturb: 4, lookAround: 1,
}

// rackSize and siteRacks keep racks small enough that there are some.
const (
	rackSize  = 3
	siteRacks = 2
)

// share draws hundredths of the reference machine, large ones as often as
// small ones.
func share(hundredths ...unit.Share) *rapid.Generator[unit.Share] {
	return rapid.Map(rapid.SampledFrom(hundredths), func(s unit.Share) unit.Share { return s * unit.Whole / 100 })
}

// trials draws them.
var trials = rapid.Custom(func(t *rapid.T) trial {
	capacity := rapid.Custom(func(t *rapid.T) unit.Vec {
		return unit.Vec{share(50, 25, 70, 100).Draw(t, "cpu"), share(50, 25, 70, 100).Draw(t, "memory")}
	})
	var bag []deed
	for d, n := range weights {
		for range n {
			bag = append(bag, deed(d))
		}
	}
	one := rapid.Custom(func(t *rapid.T) step {
		s := step{
			Do: rapid.SampledFrom(bag).Draw(t, "do"), Which: rapid.IntRange(0, 1000).Draw(t, "which"),
			Amount: rapid.IntRange(0, 99).Draw(t, "amount"),
		}
		s.After = rapid.SampledFrom([]unit.Time{
			0, 0, unit.Millisecond, unit.Second, 20 * unit.Second,
			45 * unit.Second,
		}).Draw(t, "after")
		switch s.Do {
		case submit, change, measure:
			s.Request = unit.Vec{
				share(5, 1, 10, 15, 20, 30, 45).Draw(t, "cpu"),
				share(5, 1, 10, 15, 20, 30, 45).Draw(t, "memory"),
			}
			s.Class = workload.PriorityClass(rapid.IntRange(0, 1).Draw(t, "class"))
			s.Picky = max(0, rapid.IntRange(-8, 4).Draw(t, "picky"))
			s.Lifetime = rapid.SampledFrom([]unit.Time{0, unit.Minute, 10 * unit.Minute}).Draw(t, "lifetime")
		case join, resize:
			s.Request = capacity.Draw(t, "capacity")
		}
		return s
	})
	nodes := rapid.SampledFrom([]int{1, 2, 4, 6, 9}).Draw(t, "how many nodes")
	steps := rapid.SampledFrom([]int{1, 30, 60, 100}).Draw(t, "how many steps")
	return trial{
		seed:  rapid.Uint64().Draw(t, "seed"),
		nodes: rapid.SliceOfN(capacity, nodes, nodes).Draw(t, "nodes"),
		steps: rapid.SliceOfN(one, steps, steps).Draw(t, "steps"),
	}
})

// task returns the task that a step submits, or its new values.
func (s *step) task(seed uint64, n int) *workload.Task {
	w := &workload.Task{
		Class: s.Class, Priority: uint8(s.Amount % 12), User: uint32(s.Amount % 3), Request: s.Request,
		Lifetime: s.Lifetime,
		Image:    workload.ImageOf(s.Request), Spread: s.Amount%4 == 0,
		Usage: workload.UsageModel{Key: seed + uint64(n), Mean: [unit.Resources]uint16{
			uint16(20_000 + 450*s.Amount),
			40_000,
		}, Swing: [unit.Resources]uint16{30_000, 5_000}},
	}
	if s.Picky > 0 {
		w.Constraints = []workload.Constraint{{
			Name: disk, Op: workload.Operator(s.Picky - 1),
			Value: int64(s.Amount % 3),
		}}
	}
	return w
}

// disk is the attribute that machines have and tasks ask for: 0, 1 or 2.
const disk workload.AttributeName = 0
