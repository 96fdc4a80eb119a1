package jobtable

import (
	"strconv"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// predecessor is a job that a dependency names.
type predecessor struct {
	job     uint64
	element int64 // of its array; everyElement: all of them; sameElement: the one with the job's own index
	kind    workload.PrecedingKind
	think   unit.Time
}

const (
	everyElement = -1
	sameElement  = -2
)

// maxPreceding limits the jobs that one job waits for.
const maxPreceding = 4096

// kindsOf are the words of Slurm and PBS for the condition on a preceding job. Torque appends array.
var kindsOf = map[string]workload.PrecedingKind{
	"after": workload.AfterStart, "afterany": workload.AfterAny, "afterok": workload.AfterOK,
	"afternotok": workload.AfterNotOK,
	"aftercorr":  workload.AfterOK, "afterburstbuffer": workload.AfterAny,
}

// waiting is a parsed dependency.
type waiting struct {
	names     []predecessor
	singleton bool
	anyOf     bool // one of several is enough: not played
	unread    bool // a part is not read
}

// parse reads a text such as afterok:12:13_4,after:7+5 or singleton. What Slurm prints in brackets behind an id,
// the host that PBS prints there, and * for all elements are passed over. A delay is in minutes.
func (d *waiting) parse(text string) {
	*d = waiting{names: d.names[:0]}
	if strings.Contains(text, "?") {
		d.anyOf = true
		return
	}
	kind, corresponds, known := workload.AfterAny, false, false
	for part := range strings.SplitSeq(text, ",") {
		for i, word := range strings.Split(strings.TrimSpace(part), ":") {
			if word == "" {
				continue
			}
			if i == 0 && !isDigit(word[0]) {
				word, _, _ = strings.Cut(word, "(")
				d.singleton = d.singleton || word == "singleton"
				kind, known = kindsOf[strings.TrimSuffix(word, "array")]
				corresponds = word == "aftercorr"
				d.unread = d.unread || !known && word != "singleton"
				continue
			}
			n, ok := namedBy(word)
			if !ok || !known { // also ids behind a word that is not played
				d.unread = true
				continue
			}
			if n.kind = kind; corresponds && n.element == everyElement {
				n.element = sameElement
			}
			if len(d.names) < maxPreceding {
				d.names = append(d.names, n)
			} else {
				d.unread = true
			}
		}
	}
}

// namedBy reads an id in a dependency, such as 12, 13_4, 13_*, 13[4].server, 12+5 and 12(unfulfilled).
func namedBy(word string) (n predecessor, ok bool) {
	if i := strings.IndexAny(word, "(.@"); i > 0 {
		word = word[:i]
	}
	word, delay, delayed := strings.Cut(word, "+")
	if delayed {
		minutes, err := strconv.ParseInt(delay, 10, 31)
		if err != nil {
			return n, false
		}
		n.think = min(unit.Time(minutes)*unit.Minute, longest)
	}
	whole, part, _ := strings.Cut(strings.TrimSuffix(strings.Replace(word, "[", "_", 1), "]"), "_")
	job, err := strconv.ParseUint(whole, 10, 63)
	if err != nil {
		return n, false
	}
	n.job, n.element = job, everyElement
	if part == "" || part == "*" {
		return n, true
	}
	element, err := strconv.ParseUint(part, 10, 32)
	n.element = int64(element)
	return n, err == nil
}

// failing are the states of a job whose success nothing may wait for, as sacct and squeue write them.
var failing = map[string]bool{
	"FAILED": true, "OUT_OF_MEMORY": true, "NODE_FAIL": true, "BOOT_FAIL": true, "TIMEOUT": true, "DEADLINE": true,
	"CANCELLED": true, "PREEMPTED": true, "KILLED": true,
	"F": true, "OOM": true, "NF": true, "BF": true, "TO": true, "DL": true, "CA": true, "PR": true,
	"FAILURE": true, "FAIL": true, "EXIT": true, "ERROR": true, "ABORTED": true, "TERMINATED": true, "CANCELED": true,
}

// follow fills in the dependencies of s.job.
func (s *Source) follow(j *job) {
	c, d := &s.counts, &s.depends
	d.parse(j.depends)
	if s.job.Singleton = d.singleton && j.name > 0; d.singleton && j.name == 0 {
		c.Nameless++
	}
	s.after = s.after[:0]
	missing := false
	for _, n := range d.names {
		elements := s.elements[n.job]
		if n.element == sameElement {
			n.element = int64(j.index)
		}
		found := false
		for _, index := range elements {
			first := workload.Key{Job: n.job, Index: index}
			key := s.latest[first]
			if n.element != everyElement && n.element != int64(index) || key == s.last {
				continue
			}
			if found = true; len(s.after) < maxPreceding {
				s.after = append(s.after, workload.Preceding{Key: key, Think: n.think, Kind: n.kind})
			} else {
				d.unread = true
				break
			}
		}
		missing = missing || !found
	}
	if len(s.after) > 0 {
		s.job.After = s.after
	}
	if missing {
		c.Unpreceded++
	}
	if d.anyOf {
		c.AnyOf++
	}
	if d.unread {
		c.UnreadDependency++
	}
}

// came keeps that a job was played, for those that name it. Of several runs the last one counts.
func (s *Source) came(number uint64, index uint32) {
	if s.summary.dependent == 0 || len(s.latest) >= maxSeen {
		return
	}
	if s.latest == nil {
		s.latest, s.elements = map[workload.Key]workload.Key{}, map[uint64][]uint32{}
	}
	first := workload.Key{Job: number, Index: index}
	if _, known := s.latest[first]; !known {
		s.elements[number] = append(s.elements[number], index)
	}
	s.latest[first] = s.last
}
