package workload

import (
	"math/bits"

	"parley/core/rng"
	"parley/core/unit"
)

// Movement is a Moving, in integers. It is immutable and shared by all tasks of a
// workload.
type Movement struct {
	cell                         uint64 // key of the movements common to the whole cell
	limit                        [unit.Resources]int64
	jobPhases, taskPhases, noise spread
	jobPhase, taskPhase          uint32 // mean lengths in windows
	restless, restlessMost       int64
	bursts, together             int64 // chances
	burst, burstExcess           int64 // increase by a burst, in steps; its factor less 1
	day                          [2][unit.Resources]int64
	dayMean                      [2][unit.Resources]int64 // increase of the mean by the day, in steps
	eventEvery                   int64
	eventShare, event            int64 // a chance; increase by an event, in steps
}

// spread is how far each resource moves with a deviation, and by how many steps
// that raises the mean.
type spread struct{ per, mean [unit.Resources]int64 }

func newSpread(of Ratios) (s spread) {
	for r, x := range of {
		s.per[r] = steps(x, perDeviation)
		s.mean[r] = steps(float64(x*x), halfLog2e*octave)
	}
	return s
}

// newMovement converts m to steps, the fixed-point logarithms in which Movement computes. seed decides on the
// events of the whole cell.
func newMovement(m *Moving, seed uint64) *Movement {
	out := &Movement{
		cell:      rng.Hash(seed, 0x63656c6c, 0),
		jobPhases: newSpread(m.JobPhases), taskPhases: newSpread(m.TaskPhases), noise: newSpread(m.Noise),
		jobPhase: uint32(m.JobPhase), taskPhase: uint32(m.TaskPhase),
		restless: steps(m.Restless, perDeviation), restlessMost: steps(m.MaxRestless, one),
		bursts: steps(m.Bursts, one), together: steps(m.BurstTogether, one),
		burst: log2(steps(m.BurstFactor, one)), burstExcess: steps(m.BurstFactor, one) - one,
		eventEvery: int64(m.EventEvery), eventShare: steps(m.EventShare, one), event: log2(steps(1-m.EventDepth, one)),
	}
	for class, day := range [2]Ratios{Batch: m.DayBatch, Production: m.DayProduction} {
		for r, height := range day {
			k := log2(steps(1+height, one))
			out.day[class][r] = k
			out.dayMean[class][r] = steps(float64(k*k)/(octave*octave), ln2*octave/6)
		}
	}
	for r, x := range m.MaxUse {
		out.limit[r] = steps(x, one)
	}
	return out
}

// ln2 is the natural logarithm of 2.
const ln2 = 0.69314718055994530942

// Shared holds the values common to the tasks of one job: constants of the job and, after Enter,
// the values of one window. Compute it once a job and window.
type Shared struct {
	movement    *Movement
	key         uint64
	window      int64
	block       uint64 // of the task phases that contains the window, and the place in it
	place       uint32
	constant    [unit.Resources]int32 // steps that keep the mean
	shift       [unit.Resources]int32 // steps that all tasks of the job move by in the window
	phase       [unit.Resources]int32 // how far a task's own phases and noise move it,
	noise       [unit.Resources]int32 // by the restlessness of the job
	burstChance uint32
	restless    int32
	day         [unit.Resources]int32 // steps to the job's height of the day
	dayLate     int32                 // windows by which it is late
}

// Shared returns the state that all tasks with a job's key share; call Enter for a window before its values are
// used.
func (m *Movement) Shared(job uint64) Shared {
	z, _ := deviation(rng.Hash(jobKey(job), 0, saltRestless))
	a := min(m.restlessMost, exp2(z*m.restless>>16))
	s := Shared{movement: m, key: job, window: -1, restless: int32(a), burstChance: uint32(min(one, a*m.bursts>>16))}
	square := a * a >> 16
	day := rng.Hash(jobKey(job), 0, saltDay)
	s.dayLate = int32(day%uint64(2*dayJitter+1)) - int32(dayJitter)
	follows := int64(day>>48) * 2
	burst := log2(one + int64(s.burstChance)*m.burstExcess/burstBlock*burstWindows/burstParts>>16)
	for r := range s.constant {
		moving := m.jobPhases.mean[r] + m.taskPhases.mean[r] + m.noise.mean[r]
		s.constant[r] = int32(-(square * moving >> 16) - (follows * follows >> 16 * m.dayMean[classOf(job)][r] >> 16))
		s.day[r] = int32(follows * m.day[classOf(job)][r] >> 16)
		s.phase[r] = int32(a * m.taskPhases.per[r] >> 16)
		s.noise[r] = int32(a * m.noise.per[r] >> 16)
	}
	s.constant[unit.CPU] -= int32(burst)
	return s
}

// A job's key carries in its lowest bit the class of its tasks. The classes of a job differ only in
// the effect of the day.
func jobKey(job uint64) uint64         { return job &^ 1 }
func classOf(job uint64) PriorityClass { return PriorityClass(job & 1) }

// The purposes of the hashes of one key.
const (
	saltTask = iota + 5
	saltJobRatio
	saltTaskRatio
	saltRestless
	saltPhase
	saltBurst
	saltMoment
	saltEvent
	saltDay
)

// In reports whether s is in a window.
func (s *Shared) In(window int64) bool { return s.window == window }

// Enter takes s into a window.
func (s *Shared) Enter(window int64) {
	m := s.movement
	s.window = window
	length := uint64(m.taskPhase)
	s.block, s.place = uint64(window)/length, uint32(uint64(window)%length)
	z := s.jobPhase(uint64(window))
	tri := triangle(window - int64(s.dayLate))
	for r := range s.shift {
		s.shift[r] = s.constant[r] + int32(z*(int64(s.restless)*m.jobPhases.per[r]>>16)>>16) +
			int32(tri*int64(s.day[r])>>16)
	}
	if s.bursting(uint64(window)) {
		s.shift[unit.CPU] += int32(m.burst)
	}
	if s.inEvent(window) {
		s.shift[unit.CPU] += int32(m.event)
	}
}

// jobPhase returns the deviation of the job's phase in a window.
func (s *Shared) jobPhase(window uint64) int64 {
	length := uint64(s.movement.jobPhase)
	key := jobKey(s.key) ^ saltPhase
	window += rng.Mix(key) % length
	z, _ := deviation(phaseBits(key, window/length, uint32(window%length), uint32(length)))
	return z
}

// phaseBits returns the random bits of the phase that the given place of a block
// belongs to. Each block of windows has one place at which a phase ends and
// another begins, drawn evenly: phases last 1 to 2·length - 1 windows, and length
// in the mean.
func phaseBits(key, block uint64, place, length uint32) uint64 {
	current, next := rng.Mix(key+block*weyl), rng.Mix(key+(block+1)*weyl)
	if place >= border(current, length) {
		return next
	}
	return current
}

// weyl is the step of counters that are hashed, as in SplitMix64.
const weyl = 0x9e3779b97f4a7c15

// border chooses a place in 0 … length-1 from the bits that count least in deviation, so that the
// length of a phase is independent of its height.
func border(bits uint64, length uint32) uint32 {
	return uint32(bits&0x3f|bits>>10&0xfc0) * length >> 12
}

// Bursts: one chance in each block of six hours, lengths of 1, 2, 4 and 8 windows
// for a half, a quarter, an eighth and an eighth of them, 2.5 in the mean.
const (
	burstBlock   = 72
	burstWindows = 5
	burstParts   = 2
	burstGroups  = 4 // number of groups of jobs that share a moment
)

// bursting reports whether a burst of the job covers a window.
func (s *Shared) bursting(window uint64) bool {
	block := window / burstBlock
	return s.burst(block, window) || block > 0 && s.burst(block-1, window)
}

func (s *Shared) burst(block, window uint64) bool {
	key := jobKey(s.key)
	h := rng.Hash(key, block, saltBurst)
	if uint32(h&0xffff) >= s.burstChance {
		return false
	}
	start := h >> 48 * burstBlock >> 16
	if int64(h>>16&0xffff) < s.movement.together {
		start = rng.Hash(s.movement.cell, block, saltMoment+key>>1%burstGroups<<8) % burstBlock
	}
	length := uint64(1) << min(3, bits.TrailingZeros64(^(h>>32)))
	start += block * burstBlock
	return window >= start && window < start+length
}

// inEvent reports whether the job takes part in an event of the cell in a window.
func (s *Shared) inEvent(window int64) bool {
	m := s.movement
	if m.eventEvery == 0 {
		return false
	}
	event := uint64(window / m.eventEvery)
	h := rng.Hash(m.cell, event, saltEvent)
	if h>>16%uint64(m.eventEvery) != uint64(window%m.eventEvery) {
		return false
	}
	part := 2 * m.eventShare * int64(h&0xffff) >> 16
	return int64(rng.Hash(jobKey(s.key), event, saltEvent)&0xffff) < part
}

// dayWindows is the number of windows of a day; jobs reach its height two hours before or after the
// cell's, and follow it between not at all and twice as far as stated.
const (
	dayWindows = int64(unit.Day / UsageWindow)
	dayJitter  = int64(2 * unit.Hour / UsageWindow)
)

// triangle is the course of a day as a ratio in -1 … 1: it rises from its mean at
// window 0 to its height after a quarter, falls to its depth and returns.
func triangle(window int64) int64 {
	at := (window + dayWindows + dayWindows/4) % dayWindows * 4 * one / dayWindows // 0 … 4, depth at 0
	if at >= 2*one {
		at = 4*one - at
	}
	return at - one
}

// Use returns the usage of one task in the window that s is in: of its request, with
// the mean ratio that is its constant.
func (s *Shared) Use(key uint64, mean *[unit.Resources]uint16, request *unit.Vec) (use unit.Vec) {
	length := s.movement.taskPhase
	block, place := s.block, s.place+uint32(key>>32*uint64(length)>>32)
	if place >= length {
		place -= length
		block++
	}
	var phase, noise [2]int64
	phase[0], phase[1] = deviation(phaseBits(key, block, place, length))
	noise[0], noise[1] = deviation(rng.Mix(^key + uint64(s.window)*weyl))
	for r := range use {
		e := int64(s.shift[r]) + (phase[r&1]*int64(s.phase[r])+noise[r&1]*int64(s.noise[r]))>>16
		ratio := min(exp2(e)*whole(mean[r])>>16, s.movement.limit[r])
		use[r] = unit.Share(int64(request[r]) * ratio >> 16)
	}
	return use
}
