package gpu

import (
	"fmt"
	"slices"
)

// polluxCluster is Pollux's cluster.
type polluxCluster struct {
	jobs   []*polluxJob // all, in the order of the file
	now    int64        // in s
	starts int
	queues [2][]*polluxJob // of Tiresias
}

// polluxEnd bounds a simulation, in s.
const polluxEnd = 1e8

// play plays all jobs to their ends: they train, then those that are there get GPUs.
func (c *polluxCluster) play(decide func(*polluxCluster, []*polluxJob) error) error {
	for ended := 0; ended < len(c.jobs); {
		if c.now > polluxEnd {
			return fmt.Errorf("%d of %d jobs have not ended after %d days: give the files that were published",
				len(c.jobs)-ended, len(c.jobs), c.now/86400)
		}
		var active []*polluxJob
		ended = 0
		for _, j := range c.jobs {
			if err := j.train(c.now); err != nil {
				return err
			}
			switch {
			case j.end >= 0:
				ended++
			case j.submitted <= c.now+polluxInterval:
				active = append(active, j)
			}
		}
		c.now += polluxInterval
		if err := decide(c, active); err != nil {
			return err
		}
	}
	return nil
}

// polluxQueueLimit is the attained service at which a job goes down to the second queue, in GPU s.
const polluxQueueLimit = 3600 * 16

// tiresias gives GPUs to the first queue, then to the second, by count; who does not fit is skipped.
func (c *polluxCluster) tiresias(jobs []*polluxJob) error {
	for q := range c.queues {
		c.queues[q] = slices.DeleteFunc(c.queues[q], func(j *polluxJob) bool { return j.end >= 0 })
	}
	for _, j := range jobs {
		if !j.known {
			j.known = true
			c.queues[0] = append(c.queues[0], j)
		}
		if j.running {
			j.executed += polluxInterval
			if !j.low && j.executed*j.gpus >= polluxQueueLimit {
				j.low = true
				c.queues[0] = slices.DeleteFunc(c.queues[0], func(o *polluxJob) bool { return o == j })
				c.queues[1] = append(c.queues[1], j)
			}
		}
	}
	order := slices.Concat(c.queues[0], c.queues[1])
	free := int64(nodesOfPollux * gpusOfPollux)
	for _, j := range order {
		if j.running = j.gpus <= free; j.running {
			free -= j.gpus
			j.want = j.gpus
		} else {
			j.want = 0
		}
	}
	c.place(order)
	return nil
}

// optimus gives each job a GPU, then one at a time to the job whose remaining time shrinks most.
func (c *polluxCluster) optimus(jobs []*polluxJob) error {
	free := int64(nodesOfPollux * gpusOfPollux)
	for _, j := range jobs {
		j.want, j.gain = 0, 0
		if free > 0 {
			j.want = 1
			free--
		}
		if j.want > 0 && free > 0 {
			if err := j.weigh(); err != nil {
				return err
			}
		}
	}
	for free > 0 {
		var best *polluxJob
		for _, j := range jobs {
			if j.gain > 0 && (best == nil || j.gain > best.gain) {
				best = j
			}
		}
		if best == nil {
			break
		}
		best.want++
		if err := best.weigh(); err != nil {
			return err
		}
		free--
	}
	order := slices.Clone(jobs)
	slices.SortStableFunc(order, func(a, b *polluxJob) int { return int(a.want - b.want) })
	c.place(order)
	return nil
}

// weigh sets the job's gain from one more GPU.
func (j *polluxJob) weigh() error {
	j.gain = 0
	limit := j.batch / j.app.minLocal
	if j.app.name == "ncf" {
		limit = 1
	}
	if j.want+1 > limit {
		return nil
	}
	left := 1.0
	if last := j.app.epochs - 1; last > j.epoch {
		iteration := func(e epoch) float64 { return e.iteration }
		left = j.app.at(j.batch, last, iteration) - j.app.at(j.batch, j.epoch, iteration)
	}
	now, err := j.predict(j.want)
	if err != nil {
		return err
	}
	then, err := j.predict(j.want + 1)
	j.gain = float64((now - then) * left)
	return err
}

// predict returns the time of a step on GPUs that are packed on nodes.
func (j *polluxJob) predict(gpus int64) (float64, error) {
	var placement []int64
	for left := gpus; left > 0; left -= gpusOfPollux {
		placement = append(placement, min(left, gpusOfPollux))
	}
	local, more := j.app.split(j.batch, gpus, true)
	s, err := j.app.step(placement, local)
	return s.time + float64((s.time-s.sync)*float64(more)), err
}

// place gives jobs as many GPUs as they want, in order, on the nodes with most free; who has as many keeps them.
func (c *polluxCluster) place(order []*polluxJob) {
	var free [nodesOfPollux]int64
	for n := range free {
		free[n] = gpusOfPollux
	}
	stays := func(j *polluxJob) bool { return int64(len(j.nodes)) == j.want }
	for _, j := range order {
		if stays(j) {
			for _, n := range j.nodes {
				free[n]--
			}
		}
	}
	for _, j := range order {
		if stays(j) {
			continue
		}
		was := j.nodes
		var nodes []int
		for int64(len(nodes)) < j.want {
			largest := 0
			for n := range free {
				if free[n] > free[largest] {
					largest = n
				}
			}
			for range min(free[largest], j.want-int64(len(nodes))) {
				nodes = append(nodes, largest)
				free[largest]--
			}
		}
		if !slices.Equal(was, nodes) {
			j.move(nodes)
			if len(nodes) > 0 {
				c.starts++
			}
		}
	}
}
