package batch

// Steps is how many steps the staircase has.
func (p *Profile) Steps() int { return len(p.steps) }

// QueueCapacity is how many jobs the memory of the queue has room for.
func QueueCapacity(s *Site) (jobs int) {
	for _, c := range s.queue.chunks[:cap(s.queue.chunks)] {
		jobs += cap(c.jobs)
	}
	return jobs
}
