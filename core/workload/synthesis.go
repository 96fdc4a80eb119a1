package workload

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/core/rng"
	"parley/core/strict"
	"parley/core/unit"
)

// Usage describes how usage follows from requests if it was not measured: one of the
// two models. As JSON it is the name of a preset, or an object with "model", the
// preset, and the parameters that differ from it:
//
//	"calm"
//	{"model": "google2011", "noise": [0.25, 0.004]}
//
// An object without "model" is of the form before there was a choice: its
// parameters are those of calm.
type Usage struct {
	Moving *Moving
	Calm   *Calm
}

// The names of the usage models.
const (
	MovingUsage = "google2011"
	CalmUsage   = "calm"
)

// DefaultUsage returns the preset google2011.
func DefaultUsage() Usage {
	m := DefaultMoving()
	return Usage{Moving: &m}
}

// PresetUsage returns the preset of a name, or false if there is none.
func PresetUsage(name string) (Usage, bool) {
	switch name {
	case MovingUsage:
		return DefaultUsage(), true
	case CalmUsage:
		c := DefaultCalm()
		return Usage{Calm: &c}, true
	}
	return Usage{}, false
}

// Model returns the name of the model that u is of.
func (u Usage) Model() string {
	if u.Calm != nil {
		return CalmUsage
	}
	return MovingUsage
}

// IsPreset reports whether u equals its preset.
func (u Usage) IsPreset() bool {
	if u.Calm != nil {
		return *u.Calm == DefaultCalm()
	}
	return *u.Moving == DefaultMoving()
}

// Validate returns an error if u is invalid.
func (u Usage) Validate() error {
	var err error
	switch {
	case (u.Calm == nil) == (u.Moving == nil):
		return fmt.Errorf("usage: choose the parameters of one model, %s or %s", MovingUsage, CalmUsage)
	case u.Calm != nil:
		err = u.Calm.Validate()
	default:
		err = u.Moving.Validate()
	}
	if err != nil {
		return fmt.Errorf("usage: %w", err)
	}
	return nil
}

// MarshalJSON implements json.Marshaler: the name of a model with its defaults, or the model's parameters with its
// name.
func (u Usage) MarshalJSON() ([]byte, error) {
	switch {
	case u.IsPreset():
		return json.Marshal(u.Model())
	case u.Calm != nil:
		return json.Marshal(struct {
			Model string `json:"model"`
			*Calm
		}{CalmUsage, u.Calm})
	}
	return json.Marshal(struct {
		Model string `json:"model"`
		*Moving
	}{MovingUsage, u.Moving})
}

// UnmarshalJSON implements json.Unmarshaler. Parameters that are left out are
// those of the preset; unknown ones are errors.
func (u *Usage) UnmarshalJSON(text []byte) error {
	var name string
	if bytes.HasPrefix(text, []byte(`"`)) {
		if err := json.Unmarshal(text, &name); err != nil {
			return err
		}
		return u.preset(name)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("workload.usage is neither the name of a model, %s or %s, nor its parameters", MovingUsage,
			CalmUsage)
	}
	model, named := fields["model"]
	switch {
	case named:
		if err := json.Unmarshal(model, &name); err != nil {
			return fmt.Errorf("workload.usage.model is no text: choose %s or %s", MovingUsage, CalmUsage)
		}
	case len(fields) == 0:
		name = MovingUsage
	default:
		name = CalmUsage
	}
	if err := u.preset(name); err != nil {
		return err
	}
	delete(fields, "model")
	rest, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var into any = u.Moving
	if u.Calm != nil {
		into = u.Calm
	}
	if err := strict.Part(rest, into); err != nil {
		return fmt.Errorf("workload.usage of the model %s: %w", name, err)
	}
	return nil
}

func (u *Usage) preset(name string) error {
	preset, ok := PresetUsage(name)
	if !ok {
		return fmt.Errorf("workload.usage names the model %.40q: choose %s or %s", name, MovingUsage, CalmUsage)
	}
	*u = preset
	return nil
}

// Synthesis makes the usage models of tasks. Use NewSynthesis.
type Synthesis struct {
	calm        *Calm
	movement    *Movement
	seed        uint64
	mean        [2][unit.Resources]int64 // by class, in units of UsageModel
	jobs, tasks spread
	square      float64 // mean square of the restlessness of jobs
}

// NewSynthesis prepares the usage models of u. Those of tasks that move depend on the seed too.
func NewSynthesis(u Usage, seed uint64) (*Synthesis, error) {
	if err := u.Validate(); err != nil {
		return nil, err
	}
	if u.Calm != nil {
		calm := *u.Calm
		return &Synthesis{calm: &calm}, nil
	}
	s := &Synthesis{
		movement: newMovement(u.Moving, seed), seed: rng.Hash(seed, 0x6a6f62, 0),
		jobs: newSpread(u.Moving.Jobs), tasks: newSpread(u.Moving.Tasks),
	}
	s.square = s.movement.meanSquare()
	for class, mean := range [2]Ratios{Batch: u.Moving.Batch, Production: u.Moving.Production} {
		for r, x := range mean {
			s.mean[class][r] = steps(x, one)
		}
	}
	return s, nil
}

// Model returns the usage model of one task, a pure function of its key and class.
func (s *Synthesis) Model(key Key, class PriorityClass) UsageModel {
	if s.calm != nil {
		return s.calm.model(key, class)
	}
	job := jobKey(rng.Hash(s.seed, key.Job, 0))
	m := UsageModel{Key: rng.Hash(job, uint64(key.Index), saltTask), Job: job | uint64(class), Movement: s.movement}
	var ofJob, ofTask [2]int64
	ofJob[0], ofJob[1] = deviation(rng.Hash(job, 0, saltJobRatio))
	ofTask[0], ofTask[1] = deviation(rng.Hash(m.Key, 0, saltTaskRatio))
	for r := range m.Mean {
		e := (ofJob[r&1]*s.jobs.per[r]+ofTask[r&1]*s.tasks.per[r])>>16 - s.jobs.mean[r] - s.tasks.mean[r]
		ratio := s.mean[class][r] * exp2(e) >> 16
		m.Mean[r] = uint16(min(ratio, s.movement.limit[r], one-1))
	}
	return m
}

// character is the shared tendency of a job's tasks that makes a cell more or less loaded and
// restless, each as the part above the mean.
type character struct {
	use      Ratios
	restless float64
}

// character returns that of a job.
func (s *Synthesis) character(job uint64, class PriorityClass) (c character) {
	if s.calm != nil {
		m := s.calm.model(Key{Job: job}, class)
		for r, mean := range s.calm.means(class) {
			if mean > 0 {
				c.use[r] = float64(m.Mean[r])/one/mean - 1
			}
		}
		return c
	}
	key := jobKey(rng.Hash(s.seed, job, 0))
	var of [2]int64
	of[0], of[1] = deviation(rng.Hash(key, 0, saltJobRatio))
	for r := range c.use {
		c.use[r] = float64(float64(exp2(of[r&1]*s.jobs.per[r]>>16-s.jobs.mean[r]))/one) - 1
	}
	c.restless = s.movement.square(key)/s.square - 1
	return c
}

// square returns how much more than usual the square of a job's restlessness makes
// its use vary.
func (m *Movement) square(job uint64) float64 {
	z, _ := deviation(rng.Hash(jobKey(job), 0, saltRestless))
	a := float64(min(m.restlessMost, exp2(z*m.restless>>16))) / one
	return float64(a * a)
}

// meanSquare returns about the mean of square.
func (m *Movement) meanSquare() float64 {
	const jobs = 4096
	sum := 0.0
	for i := range uint64(jobs) {
		sum += m.square(rng.Hash(1, i, 0))
	}
	return sum / jobs
}
