package batch

import "parley/core/unit"

// Amount is a total of held resources.
type Amount struct {
	Jobs, Processors, GPUs int
	Memory                 unit.Bytes
}

// Limit bounds the resources that the running jobs of a group hold together: those of a user, an
// account, a queue or an array. A job beyond one of its limits is held: it waits and delays no
// other job until jobs of the group end. A Limit may be shared by the sites of one machine.
type Limit struct {
	Max  Amount // 0: any number
	held Amount
}

// Allows reports whether the group may hold more.
func (l *Limit) Allows(more Amount) bool {
	exceeds := func(limit, n int) bool { return limit > 0 && n > limit }
	return !exceeds(l.Max.Jobs, l.held.Jobs+more.Jobs) &&
		!exceeds(l.Max.Processors, l.held.Processors+more.Processors) &&
		!exceeds(l.Max.GPUs, l.held.GPUs+more.GPUs) && !exceeds(int(l.Max.Memory), int(l.held.Memory+more.Memory))
}

// Count adds sign times an amount to the group's holdings.
func (l *Limit) Count(more Amount, sign int) {
	h := &l.held
	h.Jobs, h.Processors, h.GPUs = h.Jobs+sign*more.Jobs, h.Processors+sign*more.Processors, h.GPUs+sign*more.GPUs
	h.Memory += unit.Bytes(sign) * more.Memory
}

// amount returns the resources of a running job. Each part of a heterogeneous job counts as a job,
// as in Slurm.
func (j *Job) amount() Amount {
	a := Amount{Jobs: max(1, len(j.Components)), Processors: j.Processors, GPUs: int(j.GPUs), Memory: j.Memory}
	for i := range j.Components {
		a.GPUs, a.Memory = a.GPUs+int(j.Components[i].GPUs), a.Memory+j.Components[i].Memory
	}
	return a
}

// count adds a job to the groups of its limits, or removes it.
func (s *Site) count(e *entry, sign int) {
	for _, l := range e.Limits {
		l.Count(e.amount(), sign)
	}
}

// held reports whether its limits keep a job from starting.
func (s *Site) held(h Handle) bool {
	e := &s.jobs[h]
	for _, l := range e.Limits {
		if !l.Allows(e.amount()) {
			return true
		}
	}
	return false
}
