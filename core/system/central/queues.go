package central

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/batch"
	"parley/core/batch/multifactor"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/words"
	"parley/core/workload"
)

// Priority are the parameters of the order multifactor; see package multifactor.
type Priority struct {
	// Age, FairShare, Size and Queue are the weights of the factors.
	Age       int `json:"age"`
	FairShare int `json:"fair_share"`
	Size      int `json:"size"`
	Queue     int `json:"queue"`
	// MaxAge is the wait at which the age factor is 1.
	MaxAge unit.Time `json:"max_age_us"`
	// HalfLife is the time in which usage halves; 0: it does not decay.
	HalfLife unit.Time `json:"half_life_us"`
	// Tree is how the fair-share factor is computed, one of trees.
	Tree string `json:"tree"`
	// Favor is which jobs have a high size factor, one of favors.
	Favor string `json:"favor"`
	// Shares are the shares of accounts and users that do not have 1.
	Shares string `json:"shares"`
}

var (
	trees  = []string{"fair-tree", "classic"}
	favors = []string{"large", "small", "relative-to-time"} // by multifactor.Favor
)

// numbered returns the number of a user, group or queue that a setting names. While a scenario
// is checked, names are nil and any name may be right.
func numbered(names *workload.Names, of workload.Numbering, name string) (uint32, error) {
	if names == nil {
		n, err := strconv.ParseUint(name, 10, 31)
		if err != nil && (name == "" || strings.ContainsAny(name, " \t")) {
			return 0, errors.New("no name")
		}
		return uint32(n), nil
	}
	n, known := names.Numbered(of, name)
	if !known {
		return 0, names.Unlabelled(of, shortened(name))
	}
	return n, nil
}

// ranker returns the order multifactor for queues with priorities.
func (p *Priority) ranker(priorities []int64, names *workload.Names) (*multifactor.Queue, error) {
	s := multifactor.Settings{
		Age: int64(p.Age), FairShare: int64(p.FairShare), Size: int64(p.Size), Queue: int64(p.Queue),
		MaxAge: p.MaxAge, HalfLife: p.HalfLife, Classic: p.Tree == "classic",
		Favor: multifactor.Favor(slices.Index(favors, p.Favor)), Queues: priorities,
	}
	if err := p.shares(&s, names); err != nil {
		return nil, err
	}
	return multifactor.New(s, 0), nil
}

// queues is the value of the setting batch.queues.
type queues struct {
	index      map[int32]int32 // from the workload's number to that of the slices
	limits     []batch.Queue   // the last one is for all other queues
	all, users []batch.Amount  // that the running jobs of a queue, and those of a user in it, hold at most
	longest    []unit.Time     // jobs with a longer estimate are refused; unit.Forever: none are
	widest     []int32         // jobs with more processors are refused
	priorities []int64
	part       []int // partition of each queue: 0, or one more than an index of ranges
	ranges     []nodeRange
}

// nodeRange are the nodes of a partition.
type nodeRange struct{ first, last unit.NodeID }

// otherQueues is how the setting spells the queues that it does not list.
const otherQueues = "*"

// readQueues reads a text such as
//
//	0: tier=2 preempts nodes=0-15; gpu: longest=2h user_jobs=4 priority=100; *: processors=64
func readQueues(text string, names *workload.Names) (*queues, error) {
	q := &queues{index: map[int32]int32{}, part: []int{0}}
	if strings.TrimSpace(text) == "" {
		return q, nil
	}
	others, listed := "", map[string]bool{}
	for part := range strings.SplitSeq(text, ";") {
		name, text, ok := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		number, bad := uint32(0), error(nil)
		if name != otherQueues {
			number, bad = numbered(names, workload.OfQueues, name)
		}
		switch {
		case strings.TrimSpace(part) == "":
			continue
		case !ok || bad != nil && names == nil:
			return nil, fmt.Errorf(`settings: batch.queues has %q: write a queue's name or number, a colon and what its jobs may do, as in "0: tier=2 preempts; gpu: user_jobs=4; *: longest=2h"`, shortened(strings.TrimSpace(part)))
		case bad != nil:
			return nil, fmt.Errorf("settings: batch.queues has %w", bad)
		case listed[name]:
			return nil, fmt.Errorf("settings: batch.queues lists queue %s twice: leave one of them out", name)
		}
		if listed[name] = true; name == otherQueues {
			others = text
			continue
		}
		if _, twice := q.index[int32(number)]; twice && names != nil {
			return nil, fmt.Errorf("settings: batch.queues lists queue %s twice, by its name and its number: leave one of them out", name)
		}
		q.index[int32(number)] = int32(len(q.limits))
		if err := q.add(name, text); err != nil {
			return nil, err
		}
	}
	return q, q.add(otherQueues, others)
}

// add appends a queue with the limits that a text sets. An error quotes the word that cannot be read.
func (q *queues) add(name, text string) error {
	i := len(q.limits)
	if i == 0 {
		q.part = nil
	}
	q.limits, q.longest, q.widest = append(q.limits, batch.Queue{}), append(q.longest, unit.Forever),
		append(q.widest, math.MaxInt32)
	q.priorities, q.part = append(q.priorities, 0), append(q.part, 0)
	q.all, q.users = append(q.all, batch.Amount{}), append(q.users, batch.Amount{})
	l := &q.limits[i]
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		number, err := strconv.ParseInt(value, 10, 32)
		if err == nil && number < 0 {
			err = errors.New("it is negative")
		}
		switch n := int(number); key {
		case "preempts":
			l.Preempts, err = true, nil
			if value != "" {
				err = errors.New("it has no value")
			}
		case "tier":
			l.Tier = int32(number)
		case "processors":
			q.all[i].Processors = n
		case "user_processors":
			q.users[i].Processors = n
		case "user_jobs":
			q.users[i].Jobs = n
		case "priority":
			q.priorities[i] = number
		case "widest":
			q.widest[i] = int32(number)
		case "longest":
			var d scenario.Duration
			d, err = scenario.ParseDuration(value)
			q.longest[i] = unit.Time(d)
		case "nodes":
			q.part[i], err = q.partition(value)
		default:
			return fmt.Errorf("settings: batch.queues has %q for queue %s: choose among tier, preempts, priority, longest, widest, processors, user_processors, user_jobs and nodes", shortened(word), name)
		}
		if err != nil {
			return fmt.Errorf("settings: batch.queues has %q for queue %s: write a whole number, as in tier=2, user_jobs=4; a span, as in longest=2h; nodes, as in nodes=0-15; or preempts", shortened(word), name)
		}
	}
	return nil
}

// partition returns the number of the partition of nodes such as "0-15", which is added if it is new: 0
// is that of all nodes without a range, so ranges count from 1.
func (q *queues) partition(text string) (int, error) {
	r, ok := rangeOf(text)
	if !ok {
		return 0, errors.New("it is no range")
	}
	if i := slices.Index(q.ranges, r); i >= 0 {
		return i + 1, nil
	}
	q.ranges = append(q.ranges, r)
	return len(q.ranges), nil
}

// of returns the index of the workload's queue of a number: the last one is for queues that are not
// listed; 0 without queues.
func (q *queues) of(number int32) int32 {
	if i, listed := q.index[number]; listed {
		return i
	}
	return int32(max(0, len(q.limits)-1))
}

// partOf returns the partition of a node: one more than the index of its range, or 0 for nodes in none.
func (q *queues) partOf(n unit.NodeID) int {
	for i, r := range q.ranges {
		if r.first <= n && n <= r.last {
			return i + 1
		}
	}
	return 0
}

// check returns an error if two partitions overlap without being equal, or if the policy keeps promises
// that tiers, limits or preemption would break.
func (q *queues) check(policy batch.Policy) error {
	for i, r := range q.ranges {
		for _, o := range q.ranges[:i] {
			if r.first <= o.last && o.first <= r.last {
				return fmt.Errorf("settings: batch.queues has the partitions nodes=%d-%d and nodes=%d-%d: partitions are equal or have no node in common", o.first, o.last, r.first, r.last)
			}
		}
	}
	plans := policy == batch.Slack || policy == batch.ConservativeCompress
	for i, l := range q.limits {
		if plans && (l != batch.Queue{} || q.all[i] != batch.Amount{} || q.users[i] != batch.Amount{}) &&
			(policy != batch.Slack || l.Preempts) {
			return fmt.Errorf("settings: batch.queues has tiers, limits of running jobs or preempts, and %s keeps what it promised: choose fcfs, easy, easy-sjbf or conservative, or keep nodes, longest, widest and priority", policy)
		}
	}
	return nil
}

// reservation is a block of processors of a partition that no job gets.
type reservation struct {
	processors int // 0: all
	from, to   unit.Time
	queue      int32 // of the workload; its partition is meant
	any        bool  // no queue was named
}

// readReservations reads a text such as "64 from 2d to 2d8h; all from 9d to 9d4h in 1".
func readReservations(text string, names *workload.Names) (all []reservation, err error) {
	for part := range strings.SplitSeq(text, ";") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		bad := fmt.Errorf(`settings: batch.reservations has %q: write processors and times, as in "64 from 2d to 2d8h", or "all from 9d to 9d4h in 1" for the partition of queue 1 (its name or number)`, shortened(strings.TrimSpace(part)))
		if len(words) != 5 && len(words) != 7 || words[1] != "from" || words[3] != "to" || len(words) == 7 && words[5] != "in" {
			return nil, bad
		}
		r := reservation{any: len(words) == 5}
		from, wrong := scenario.ParseDuration(words[2])
		to, err := scenario.ParseDuration(words[4])
		if err = errors.Join(err, wrong); words[0] != "all" {
			r.processors, wrong = strconv.Atoi(words[0])
			if err = errors.Join(err, wrong); r.processors < 1 {
				return nil, bad
			}
		}
		if !r.any {
			number, wrong := numbered(names, workload.OfQueues, words[6])
			if wrong != nil && names != nil {
				return nil, fmt.Errorf("settings: batch.reservations has %w", wrong)
			}
			err = errors.Join(err, wrong)
			r.queue = int32(number)
		}
		if r.from, r.to = unit.Time(from), unit.Time(to); err != nil || r.from >= r.to {
			return nil, bad
		}
		all = append(all, r)
	}
	return all, nil
}

// shortened cuts a text that an error quotes.
func shortened(text string) string { return words.Cut(text, 60) }

// checkJobs returns an error if the settings of rigid jobs are invalid, those that are texts. With a
// policy of tasks they are read too, as if the policy were EASY. Names of queues are not known yet, so
// they are not checked.
func (s Settings) checkJobs() error {
	if _, err := readReservations(s.Batch.Reservations, nil); err != nil {
		return err
	}
	if !slices.Contains(batch.PolicyNames(), s.Policy) {
		s.Policy, s.Batch.Slurm = batch.EASY.String(), Default().Batch.Slurm // they are read all the same
	}
	_, err := s.sites(nil)
	return err
}
