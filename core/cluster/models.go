package cluster

import (
	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// model is a task's usage model, as small as it gets: see workload.UsageModel.
type model struct {
	key         uint64
	mean, swing [unit.Resources]uint16
	job         uint32 // index into models.jobs, or calm
}

// calm stands for the job of a task that shares nothing with others. A measured
// task is calm, too.
const calm = 0

func (m *model) average(request unit.Vec) unit.Vec {
	whole := workload.UsageModel{Mean: m.mean}
	return whole.Average(request)
}

// models holds the part of the usage model that the tasks of a job share while one of them is
// alive, so that it is computed once a window.
type models struct {
	jobs                   []jobModel // from 1 on
	free                   []uint32
	index                  map[jobName]uint32
	latest                 jobName // whose tasks come one after the other
	at                     uint32
	calmTasks, movingTasks int // tasks alive that are not measured
}

type jobModel struct {
	shared workload.Shared
	name   jobName
	tasks  int
}

type jobName struct {
	movement *workload.Movement
	key      uint64
}

// take counts a task of the model in.
func (m *models) take(w *workload.UsageModel) model {
	own := model{key: w.Key, mean: w.Mean, swing: w.Swing, job: calm}
	switch {
	case w.Measured:
	case w.Movement == nil:
		m.calmTasks++
	default:
		m.movingTasks++
		own.job = m.job(jobName{w.Movement, w.Job})
		m.jobs[own.job].tasks++
	}
	return own
}

// job returns the index of a job, which it makes if there is none.
func (m *models) job(name jobName) uint32 {
	if m.latest == name {
		return m.at
	}
	at, known := m.index[name]
	if !known {
		if len(m.jobs) == 0 {
			m.jobs = append(m.jobs, jobModel{}) // calm
		}
		at = slab.Take(&m.free, &m.jobs)
		m.jobs[at] = jobModel{shared: name.movement.Shared(name.key), name: name}
		m.index[name] = at
	}
	m.latest, m.at = name, at
	return at
}

// leave counts a task out whose model no longer counts.
func (m *models) leave(t *task) {
	switch job := t.model.job; {
	case t.measured:
	case job == calm:
		m.calmTasks--
	default:
		m.movingTasks--
		t.model.job = calm
		if j := &m.jobs[job]; j.tasks > 1 {
			j.tasks--
		} else {
			delete(m.index, j.name)
			if m.latest == j.name {
				m.latest = jobName{}
			}
			*j = jobModel{}
			m.free = append(m.free, job)
		}
	}
	t.measured = true
}

// use returns the usage of a task that moves, in a window.
func (m *models) use(t *task, window int64) unit.Vec {
	shared := &m.jobs[t.model.job].shared
	if !shared.In(window) {
		shared.Enter(window)
	}
	return shared.Use(t.model.key, &t.model.mean, &t.request)
}
