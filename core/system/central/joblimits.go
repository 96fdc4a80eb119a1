package central

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/batch"
	"parley/core/workload"
)

// jobLimits are the limits of running and of submitted jobs: those of batch.limits, of
// batch.queues and of arrays.
type jobLimits struct {
	rules []limitRule
	made  map[limitOf]*batch.Limit
}

// limitRule bounds a group, or each group of a kind, and perhaps each user in it.
type limitRule struct {
	kind              groupKind
	number            uint32
	each              bool // every group of the kind that has no rule of its own
	group, user       batch.Amount
	submitted, coming int // jobs of the group, and of a user in it, that wait or run
}

// groupKind is the attribute by which jobs are grouped.
type groupKind uint8

// The kinds of groups.
const (
	ofAll groupKind = iota
	ofUser
	ofGroup
	ofQOS
	ofQueue
)

var groupKinds = []string{"all", "user", "group", "qos", "queue"}

var numberings = []workload.Numbering{
	ofUser: workload.OfUsers, ofGroup: workload.OfGroups, ofQOS: workload.OfQOS,
	ofQueue: workload.OfQueues,
}

// limitOf names a limit.
type limitOf struct {
	rule      int
	number    uint64
	user      int64 // -1: of the whole group
	submitted bool  // of submitted jobs
}

// The rules that are not those of batch.limits.
const (
	ofArrays = -1 - iota
	ofQueues
)

// readLimits reads a text such as
//
//	user *: jobs=4; group chem: processors=128 memory=1T; qos high: user_jobs=1; all: submitted=1000
func readLimits(text string, names *workload.Names) (*jobLimits, error) {
	l := &jobLimits{made: map[limitOf]*batch.Limit{}}
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		bad := fmt.Errorf(`settings: batch.limits has %q: write a group of jobs, a colon and its limits, as in "user *: jobs=4; group chem: processors=128; qos high: user_jobs=1; all: submitted=1000"`, shortened(part))
		name, text, ok := strings.Cut(part, ":")
		words := strings.Fields(name)
		if !ok || len(words) == 0 {
			return nil, bad
		}
		if words[0] == "account" { // a job's group is its account
			words[0] = groupKinds[ofGroup]
		}
		var r limitRule
		kind := -1
		for i, k := range groupKinds {
			if k == words[0] {
				kind = i
			}
		}
		if kind < 0 || (groupKind(kind) == ofAll) != (len(words) == 1) || len(words) > 2 {
			return nil, bad
		}
		if r.kind = groupKind(kind); len(words) == 2 {
			if r.each = words[1] == otherQueues; !r.each {
				var err error
				if r.number, err = numbered(names, numberings[kind], words[1]); err != nil && names != nil {
					return nil, fmt.Errorf("settings: batch.limits has %w", err)
				} else if err != nil {
					return nil, bad
				}
			}
		}
		for _, o := range l.rules {
			if o.kind == r.kind && o.each == r.each && o.number == r.number &&
				(r.each || r.kind == ofAll || names != nil) {
				return nil, fmt.Errorf("settings: batch.limits lists %s twice: write its limits once", strings.Join(words, " "))
			}
		}
		fields := strings.Fields(text)
		if len(fields) == 0 {
			return nil, bad
		}
		for _, word := range fields {
			if err := r.take(word); err != nil {
				return nil, err
			}
		}
		l.rules = append(l.rules, r)
	}
	return l, nil
}

// take reads one limit such as jobs=4 or user_memory=1T into the rule. Numbers are at least 1.
func (r *limitRule) take(word string) error {
	key, value, _ := strings.Cut(word, "=")
	amount, coming := &r.group, &r.submitted
	resource, ofUsers := strings.CutPrefix(key, "user_")
	if ofUsers {
		amount, coming = &r.user, &r.coming
	}
	n, err := strconv.ParseInt(value, 10, 31)
	bad := fmt.Errorf("settings: batch.limits has %q: choose among jobs, processors, gpus, memory and submitted, for each user with user_ before it, and write a number of at least 1, as in jobs=4, or an amount, as in memory=1T", shortened(word))
	if resource == "memory" {
		var ok bool
		if amount.Memory, ok = bytesOf(value); !ok || amount.Memory < 1 {
			return bad
		}
		return nil
	}
	if err != nil || n < 1 {
		return bad
	}
	switch resource {
	case "jobs":
		amount.Jobs = int(n)
	case "processors":
		amount.Processors = int(n)
	case "gpus":
		amount.GPUs = int(n)
	case "submitted":
		*coming = int(n)
	default:
		return bad
	}
	return nil
}

// number returns the number of a job's group of a kind; 0 for the kind of all jobs.
func (k groupKind) number(j *workload.Job) uint32 {
	switch k {
	case ofUser:
		return j.User
	case ofGroup:
		return j.Group
	case ofQOS:
		return j.QOS
	case ofQueue:
		return uint32(j.Queue)
	}
	return 0
}

// of returns the limits that count a job in queue at while it runs, and those that count it from its
// submission to its end. Jobs of the same group share a Limit, which is made at the first use. A group
// with a rule of its own is not bound by the rule for each other group.
func (l *jobLimits) of(key workload.Key, j *workload.Job, q *queues, at int32) (runs, submitted []*batch.Limit) {
	runs = l.add(runs, limitOf{rule: ofArrays, number: key.Job, user: -1}, batch.Amount{Jobs: int(j.Throttle)})
	if len(q.limits) > 0 {
		runs = l.add(runs, limitOf{rule: ofQueues, number: uint64(at), user: -1}, q.all[at])
		runs = l.add(runs, limitOf{rule: ofQueues, number: uint64(at), user: int64(j.User)}, q.users[at])
	}
	for i := range l.rules {
		r := &l.rules[i]
		number := r.kind.number(j)
		if r.each && l.own(r.kind, number) || !r.each && number != r.number {
			continue
		}
		of := limitOf{rule: i, number: uint64(number), user: -1}
		runs, submitted = l.add(runs, of, r.group), l.add(submitted, of.coming(), batch.Amount{Jobs: r.submitted})
		of.user = int64(j.User)
		runs, submitted = l.add(runs, of, r.user), l.add(submitted, of.coming(), batch.Amount{Jobs: r.coming})
	}
	return runs, submitted
}

// coming returns the limit of the submitted jobs of the same group.
func (of limitOf) coming() limitOf {
	of.submitted = true
	return of
}

// add adds a limit to others if it bounds anything.
func (l *jobLimits) add(to []*batch.Limit, of limitOf, limit batch.Amount) []*batch.Limit {
	if limit == (batch.Amount{}) {
		return to
	}
	made := l.made[of]
	if made == nil {
		made = &batch.Limit{Max: limit}
		l.made[of] = made
	}
	return append(to, made)
}

// reads reports whether a rule is of a kind of groups.
func (l *jobLimits) reads(k groupKind) bool {
	return slices.ContainsFunc(l.rules, func(r limitRule) bool { return r.kind == k })
}

// own reports whether a group has a rule of its own.
func (l *jobLimits) own(k groupKind, number uint32) bool {
	for i := range l.rules {
		if r := &l.rules[i]; r.kind == k && !r.each && r.number == number {
			return true
		}
	}
	return false
}
