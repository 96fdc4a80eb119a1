package central

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/core/batch"
	"parley/core/batch/gang"
	"parley/core/cluster"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// Gang are the settings of gangs of GPUs: rigid jobs whose processors are the GPUs of nodes, with
// a placement, and policies that stop jobs.
type Gang struct {
	// Place is the rule that finds GPUs, one of gang.PlaceNames.
	Place string `json:"place"`
	// Restart is the time that a stopped or moved job loses when it resumes.
	Restart unit.Time `json:"restart_us"`
	// Slowdown is how many times as long a job takes on more nodes than it needs.
	Slowdown float64 `json:"slowdown"`
	// Running is whether a job that runs keeps its nodes: anew or stay.
	Running string `json:"running"`
	// Every lets jobs start and stop only at its multiples; 0: whenever something happens.
	Every unit.Time `json:"every_us"`
	// Limits are the GPU times at which a job leaves a queue of 2D-LAS, ascending.
	Limits string `json:"limits"`
	// Promote is how many times as long as it ran a job waits until it comes to the first queue.
	Promote float64 `json:"promote"`
	// Demote is when a job of several GPUs leaves its queue: late or exact.
	Demote string `json:"demote"`
	// Samples are the GPU times that 2D-Gittins knows.
	Samples string `json:"samples"`
	// Delta is the time ahead in which 2D-Gittins hopes that a job ends.
	Delta unit.Time `json:"delta_us"`
}

// runningWords are the words for Gang.Running.
var runningWords = []string{"anew", "stay"}

// demotions are the words for Gang.Demote.
var demotions = []string{"late", "exact"}

func defaultGang() Gang {
	return Gang{
		Place: gang.Pool.String(), Slowdown: 1, Running: runningWords[0], Limits: "3250s 7200s", Demote: demotions[0],
		Samples: "2m 10m 1h 8h", Delta: 3250 * unit.Second,
	}
}

// described returns the settings with their meanings.
func (g *Gang) described() []system.Setting {
	const group = "Gangs of GPUs"
	return []system.Setting{
		{ID: "gang.place", Name: "Placement", Group: group, Value: g.Place, Choices: gang.PlaceNames(), About: "where a job's processors, the GPUs of nodes, are: pool, on any nodes; first-node, on the lowest node that has them, a wider job on whole free nodes; consolidated, on the fullest node that has them; spread, on the emptiest. All but pool are for fcfs, easy, fit-first and the policies that stop jobs"},
		{ID: "gang.restart_us", Name: "Restart costs", Group: group, Value: g.Restart, Range: system.Between(0, float64(unit.Day)), About: "under srtf, srsf, 2d-las and 2d-gittins: what a job that was stopped or moved loses when it goes on; what it had done is kept"},
		{ID: "gang.slowdown", Name: "Slower when spread", Group: group, Value: g.Slowdown, Range: system.Between(1, cluster.MaxPace/1000), About: "how many times as long a job takes while its GPUs are on more nodes than it needs, in thousandths: Pollux's artefact measured 1.0 to 2.6 for two GPUs on two nodes, by model and batch; limits are stretched alike. 1: where GPUs are changes no speed"},
		{ID: "gang.running", Name: "Running jobs", Group: group, Value: g.Running, Choices: runningWords, About: "under srtf, srsf, 2d-las and 2d-gittins with a placement other than pool: anew, all jobs are placed anew at each decision and may move, as in the simulators of Tiresias and Muri; stay, a job keeps its nodes if no job before it takes them"},
		{
			ID: "gang.every_us", Name: "Decides every", Group: group, Value: g.Every,
			Range: system.ZeroOr(float64(unit.Second), float64(unit.Day)), About: "gangs start and stop at multiples of it only; 0: at each arrival and end",
		},
		{ID: "gang.limits", Name: "Queue limits", Group: group, Value: g.Limits, About: "under 2d-las and 2d-gittins: the GPU times (GPUs × time) at which a job goes down to the next queue, such as 1h 8h"},
		{ID: "gang.promote", Name: "Promote after", Group: group, Value: g.Promote, Range: system.Between(0, 1_000_000), About: "under 2d-las and 2d-gittins: a job comes back to the first queue when it has waited this number times as long as it ran; 0: it never does"},
		{ID: "gang.demote", Name: "Goes down", Group: group, Value: g.Demote, Choices: demotions, About: "under 2d-las and 2d-gittins: exact, when a job reaches its limit; late, as the simulator of Tiresias, whose queues are looked at later for jobs of several GPUs"},
		{ID: "gang.samples", Name: "Samples", Group: group, Value: g.Samples, About: "under 2d-gittins: GPU times that jobs took, such as 10m 10m 3h, by which it expects what others take"},
		{
			ID: "gang.delta_us", Name: "Looks ahead", Group: group, Value: g.Delta,
			Range: system.Between(float64(unit.Second), float64(365*unit.Day)), About: "under 2d-gittins: the GPU time ahead in which a job is hoped to end",
		},
	}
}

// gangs reports whether a policy with these settings plays gangs on nodes: one that only they
// have, or another placement than that of the batch system.
func (s *Settings) gangs() bool {
	return !placesTasks(s.Policy) && (s.Gang.Place != gang.Pool.String() ||
		!slices.Contains(batch.PolicyNames(), s.Policy))
}

// gangSite returns an empty site with the settings. It returns an error if they are invalid together: a
// policy that needs another placement, or a setting that does nothing with this policy and placement.
func (s *Settings) gangSite() (*gang.Site, error) {
	g, d := &s.Gang, Default()
	policy, err := gang.ParsePolicy(s.Policy)
	if err != nil {
		return nil, fmt.Errorf("settings: policy is %s and gang.place %s: only the placement pool goes with it; choose that, or one of %s", s.Policy, g.Place, strings.Join(gang.PolicyNames(), ", "))
	}
	place, err := gang.ParsePlace(g.Place)
	if err != nil {
		return nil, err
	}
	order, err := batch.ParseOrder(s.Batch.Order)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		changed      bool
		id, policies string
	}{
		{s.Batch.Off != d.Batch.Off, "batch.off", "fcfs, easy, easy-sjbf, slack, conservative and slurm with the placement pool"},
		{s.Batch.Order != d.Batch.Order && policy.Preemptive(), "batch.order", "fcfs, easy and fit-first"},
		{order == batch.ByFormula || order == batch.Multifactor, "batch.order=" + s.Batch.Order, "placement pool with the policies of the batch system"},
		{s.Batch.Backfill != d.Batch.Backfill, "batch.backfill", "placement pool with easy"},
		{s.Batch.Pass != d.Batch.Pass, "batch.pass", "placement pool with the policies of the batch system"},
		{s.Batch.Queues != "", "batch.queues", "placement pool with the policies of the batch system"},
		{s.Batch.Reservations != "", "batch.reservations", "placement pool with the policies of the batch system"},
		{s.Batch.Preempt != d.Batch.Preempt, "batch.preempt", "placement pool with the policies of the batch system"},
		{s.Batch.Slurm != d.Batch.Slurm, "batch.slurm.…", "the policy slurm"},
		{s.Batch.Nodes != "", "batch.nodes", "placement pool with the policies of the batch system"},
		{s.Batch.Limits != "", "batch.limits", "placement pool with the policies of the batch system"},
		{g.Restart != 0 && !policy.Preemptive(), "gang.restart_us", "srtf, srsf, 2d-las and 2d-gittins, which stop jobs"},
		{g.Running != d.Gang.Running && (!policy.Preemptive() || place == gang.Pool), "gang.running", "srtf, srsf, 2d-las and 2d-gittins with a placement other than pool"},
		{(g.Limits != d.Gang.Limits || g.Promote != 0 || g.Demote != d.Gang.Demote) && !policy.Queues(), "gang.limits, promote or demote", "2d-las and 2d-gittins, which have queues"},
		{(g.Samples != d.Gang.Samples || g.Delta != d.Gang.Delta) && policy != gang.Gittins, "gang.samples or delta_us", "2d-gittins"},
	} {
		if c.changed {
			return nil, fmt.Errorf("settings: %s does nothing with the policy %s and the placement %s: it is for %s; leave it out, or choose one of these", c.id, s.Policy, g.Place, c.policies)
		}
	}
	levels := gang.Levels{Promote: g.Promote, Exact: g.Demote == demotions[1]}
	if levels.Limits, err = spans("gang.limits", g.Limits); err != nil {
		return nil, err
	}
	if policy.Queues() && (levels.Limits == nil || !slices.IsSorted(levels.Limits)) {
		return nil, fmt.Errorf("settings: gang.limits is %q: write GPU times in rising order, as in 1h 8h", shortened(g.Limits))
	}
	samples := gang.Samples{Delta: g.Delta}
	if samples.Times, err = spans("gang.samples", g.Samples); err != nil {
		return nil, err
	}
	if policy == gang.Gittins && samples.Times == nil {
		return nil, errors.New("settings: gang.samples is empty: 2d-gittins expects of jobs what earlier ones took; write some GPU times, as in 10m 10m 3h, or choose 2d-las")
	}
	return gang.NewSite(gang.Settings{
			Policy: policy, Place: place, Order: order, Every: g.Every, Restart: g.Restart,
			Slow: int64(float64(g.Slowdown*1000) + 0.5), KeepNodes: g.Running == runningWords[1], Levels: levels,
			Gittins: samples,
		}),
		nil
}

// spans reads times above 0, separated by spaces.
func spans(id, text string) (all []unit.Time, err error) {
	for _, word := range strings.Fields(text) {
		d, err := scenario.ParseDuration(word)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("settings: %s has %q: write times above 0 with spaces between them, as in 90s 10m 3h", id, shortened(word))
		}
		all = append(all, unit.Time(d))
	}
	return all, nil
}

// checkGangs returns an error if the settings of gangs are invalid. Policies that place tasks read
// neither these settings nor those of the batch system.
func (s *Settings) checkGangs() error {
	if s.gangs() {
		_, err := s.gangSite()
		return err
	}
	if !placesTasks(s.Policy) && s.Gang != defaultGang() {
		return fmt.Errorf("settings: gang.… does nothing with the policy %s and the placement %s: leave these settings out, or choose another placement or one of %s", s.Policy, s.Gang.Place, strings.Join(gangPolicies, ", "))
	}
	return nil
}

// gangPolicies are the policies of gangs alone.
var gangPolicies = slices.DeleteFunc(gang.PolicyNames(),
	func(name string) bool { return slices.Contains(batch.PolicyNames(), name) })

// jobPolicies are all policies for rigid jobs.
var jobPolicies = slices.Concat(batch.PolicyNames(), gangPolicies)
