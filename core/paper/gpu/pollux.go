package gpu

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"parley/core/strict"
)

// The cluster of Pollux's simulations, and its times in s.
const (
	nodesOfPollux  = 16
	gpusOfPollux   = 4 // of a node
	polluxInterval = 60
	polluxRestart  = 30
)

// pollux is the function gpu/pollux: a list of jobs of Pollux's simulator under a policy that Pollux was
// compared with. A list that was not given is not played.
func (c call) pollux(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		needed
		Policy   string `json:"policy"`
		Jobs     int    `json:"jobs"`
		Workload string `json:"workload"`
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	decide := map[string]func(*polluxCluster, []*polluxJob) error{
		"tiresias": (*polluxCluster).tiresias,
		"optimus":  (*polluxCluster).optimus,
	}[of.Policy]
	if decide == nil {
		return nil, fmt.Errorf("the policy %q is none of tiresias and optimus", of.Policy)
	}
	p, err := readPollux(c)
	if err != nil {
		return nil, err
	}
	key := polluxKey(of.Jobs, of.Workload)
	jobs := p.workloads[key]
	if jobs == nil {
		return nil, nil
	}
	cluster := &polluxCluster{jobs: jobs}
	if err := cluster.play(decide); err != nil {
		return nil, err
	}
	sum, same := int64(0), 0
	published := p.published[of.Policy+" "+key]
	for _, j := range jobs {
		sum += j.end - j.submitted
		if jct, is := published[j.name]; is && jct == j.end-j.submitted {
			same++
		}
	}
	values := map[string]float64{"mean JCT": float64(sum) / float64(len(jobs)), "starts": float64(cluster.starts)}
	if published != nil {
		values["jobs as published"] = float64(same)
	}
	return values, nil
}

// step is how long a step takes, in s, with a batch on each GPU, and how much of it the GPUs exchange results.
type step struct {
	local      int64
	time, sync float64
}

// epoch has the measurements until the end of an epoch.
type epoch struct{ progress, iteration, square, variance float64 }

// course has the measurements of training with one batch size.
type course struct {
	batch  int64
	epochs []epoch
}

// application is a model that is trained, with its measurements.
type application struct {
	name               string
	epochs             int
	minLocal, maxLocal int64            // batch of a GPU
	courses            []course         // by batch size
	steps              map[int64][]step // by placement, whose digits are the GPUs of its nodes
	wide               map[[3]int64]step
}

// mostBatch is the largest batch that was measured.
func (a *application) mostBatch() int64 { return a.courses[len(a.courses)-1].batch }

// at returns the measurement at an epoch, interpolated between two measured batch sizes.
func (a *application) at(batch int64, epoch int, of func(epoch) float64) float64 {
	i, is := slices.BinarySearchFunc(a.courses, batch, func(c course, batch int64) int { return int(c.batch - batch) })
	if is {
		return of(a.courses[i].epochs[epoch])
	}
	lower, upper := a.courses[i-1], a.courses[i]
	above := float64(float64(batch-lower.batch) * of(upper.epochs[epoch]))
	return (above + float64(float64(upper.batch-batch)*of(lower.epochs[epoch]))) / float64(upper.batch-lower.batch)
}

// progress is how far a job is after some epochs, with the batch that gets least far.
func (a *application) progress(epochs int) float64 {
	lowest := math.Inf(1)
	for _, c := range a.courses {
		lowest = min(lowest, c.epochs[epochs-1].progress)
	}
	return lowest
}

// step returns the time of a step: between those of the batches that were measured, on up to four
// nodes; from Delaunay's tetrahedra on more, which the file has that SciPy makes.
func (a *application) step(placement []int64, local int64) (step, error) {
	// a placement counts as its smallest rotation
	best, gpus := placement, int64(0)
	for i := range placement {
		gpus += placement[i]
		if turned := slices.Concat(placement[i:], placement[:i]); slices.Compare(turned, best) < 0 {
			best = turned
		}
	}
	id := int64(0)
	for _, n := range best[:min(len(best), 17)] {
		id = 10*id + n
	}
	measured := a.steps[id]
	if measured == nil {
		s, is := a.wide[[3]int64{int64(len(placement)), gpus, local}]
		if !is {
			return s,
				fmt.Errorf(
					"no step time of %s with %d GPUs on %d nodes and %d examples on each is there: give interpolated-step-times.csv too, see the tutorial of gangs of GPUs", a.name, gpus, len(placement), local,
				)
		}
		return s, nil
	}
	if len(measured) < 2 || local < measured[0].local || local > measured[len(measured)-1].local {
		return step{},
			fmt.Errorf(
				"%s on placement %d was not measured with %d examples on each GPU: give the files that were published",
				a.name, id, local,
			)
	}
	i, _ := slices.BinarySearchFunc(measured, local, func(s step, local int64) int { return int(s.local - local) })
	i = max(1, i)
	lower, upper := measured[i-1], measured[i]
	part := func(from, to float64) float64 {
		slope := (to - from) / float64(upper.local-lower.local)
		return float64(slope*float64(local-lower.local)) + from
	}
	return step{local: local, time: part(lower.time, upper.time), sync: part(lower.sync, upper.sync)}, nil
}

// ceil returns the smallest whole number that is not below a quotient, up to rounding errors.
func ceil(x, by int64) int64 { return int64(math.Ceil(float64(x)/float64(by) - 1e-8)) }

// split returns the batch of each GPU in a step, and in how many parts more than one it is computed.
func (a *application) split(batch, gpus int64, alone bool) (local, more int64) {
	each := ceil(batch, gpus)
	more = ceil(each, a.maxLocal) - 1
	if gpus == 1 && alone {
		more = max(1, more)
	}
	return min(ceil(each, more+1), int64(float64(a.mostBatch())/float64(gpus*(more+1)))), more
}

// polluxJob is a job of Pollux's simulator.
type polluxJob struct {
	name                   string
	app                    *application
	submitted, gpus, batch int64
	end                    int64 // -1: it has none yet

	nodes     []int   // its GPUs' nodes, those of a node together
	placement []int64 // how many GPUs it has on each of its nodes
	local     int64   // examples of a GPU in a part of a step
	more      int64   // parts of a step but one
	restart   int64   // s until it trains
	epoch     int
	progress  float64

	known, running, low bool // of Tiresias: it was seen, runs, and is in the second queue
	executed            int64
	want                int64 // of Optimus: how many GPUs it gets
	gain                float64
}

// rescale fits the batch of a GPU to the GPUs that the job has.
func (j *polluxJob) rescale() {
	gpus := int64(len(j.nodes))
	j.local, j.more = j.app.split(j.batch, gpus, j.batch > j.app.courses[0].batch)
}

// move gives the job other GPUs, or none.
func (j *polluxJob) move(nodes []int) {
	j.nodes, j.placement = nodes, nil
	for i, n := range nodes {
		if i == 0 || n != nodes[i-1] {
			j.placement = append(j.placement, 0)
		}
		j.placement[len(j.placement)-1]++
	}
	if len(nodes) > 0 {
		j.rescale()
		j.restart = polluxRestart
	}
}

// train advances the job's training from now to the next decision.
func (j *polluxJob) train(now int64) error {
	if len(j.nodes) == 0 || j.end >= 0 {
		return nil
	}
	left := int64(polluxInterval)
	burnt := min(j.restart, left)
	j.restart -= burnt
	left -= burnt
	for left > 0 && j.end < 0 {
		if j.epoch >= j.app.epochs {
			return fmt.Errorf("%s has no epoch left and no end: give the files that were published", j.name)
		}
		batch := int64(len(j.nodes)) * j.local * (j.more + 1)
		if batch < j.app.courses[0].batch {
			return fmt.Errorf(
				"%s has a batch of %d on %d GPUs, and %s was measured from %d: give the files that were published",
				j.name, batch, len(j.nodes), j.app.name, j.app.courses[0].batch,
			)
		}
		scale := float64(batch) / float64(j.app.courses[0].batch)
		s, err := j.app.step(j.placement, j.local)
		if err != nil {
			return err
		}
		square := j.app.at(batch, j.epoch, func(e epoch) float64 { return e.square })
		variance := j.app.at(batch, j.epoch, func(e epoch) float64 { return e.variance })
		gain := (variance + square) / (variance/scale + square)
		speed := gain / (s.time + float64((s.time-s.sync)*float64(j.more)))
		next := j.app.progress(j.epoch + 1)
		if done := j.progress + float64(speed*float64(left)); done < next {
			j.progress = done
			left = 0
		} else {
			j.epoch++
			passed := int64(math.RoundToEven((next - j.progress) / speed))
			if j.epoch > j.app.epochs-1 {
				j.end = now + polluxInterval - left + passed
			}
			j.progress = next
			left -= passed
		}
		j.rescale()
	}
	return nil
}
