// Package kubernetes replays a dump of a Kubernetes cluster: its pods as a workload on its
// nodes. Package core/kube/dump reads it.
package kubernetes

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/rng"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Name is the format's name in reports and scenarios.
const Name = "kubernetes"

// window is how long before the last start of a pod a replay begins: pods that started before
// are there from the beginning.
const window = 24 * 3600

// Format returns dumps as a format for a list of formats: the pods of a cluster as a workload
// on its nodes.
func Format() trace.Format {
	return trace.Format{
		Archives: true,
		Name:     Name, Title: "dumps of a Kubernetes cluster", Detect: dump.Detect,
		Open:      func(files []trace.File, o trace.Options) (trace.Source, error) { return Open(files, o) },
		Summarise: Summarise,
	}
}

// Summary summarises a dump.
type Summary struct {
	Nodes      int            `json:"nodes"`
	Pods       int            `json:"pods"`
	Pending    int            `json:"pending"`
	Finished   int            `json:"finished"`
	Kinds      map[string]int `json:"kinds"`      // objects by kind
	Unmodelled map[string]int `json:"unmodelled"` // counts of objects that no question uses
}

// Summarise reads dumps and returns their summary.
func Summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	c, err := dump.Read(files, o.Progress)
	if err != nil {
		return trace.Report{Files: []trace.FileReport{}}, traced(err)
	}
	s := summaryOf(c)
	return trace.Report{Files: reports(files, c), Summary: s}, nil
}

// summaryOf returns the counts of a cluster.
func summaryOf(c *kube.Cluster) Summary {
	s := Summary{
		Nodes: len(c.Nodes), Pods: len(c.Pods), Finished: c.Finished, Kinds: map[string]int{},
		Unmodelled: map[string]int{},
	}
	for _, k := range c.Kinds {
		s.Kinds[k.Kind] = k.Count
	}
	for _, u := range c.Unmodelled {
		s.Unmodelled[u.Subject] = u.Count
	}
	for i := range c.Pods {
		if c.Pods[i].Pending() {
			s.Pending++
		}
	}
	return s
}

// reports returns a report for each file. The first has the rows and notes of all, because a cluster does not keep
// which file an object is from.
func reports(files []trace.File, c *kube.Cluster) []trace.FileReport {
	rows := int64(0)
	for _, k := range c.Kinds {
		rows += int64(k.Count)
	}
	all := make([]trace.FileReport, len(files))
	for i, f := range files {
		all[i] = trace.FileReport{File: f.Name, Format: Name + "/" + dump.Table, Bad: []trace.BadRow{}}
	}
	if len(all) > 0 {
		all[0].Rows = rows
		for _, u := range c.Unmodelled {
			all[0].Notes = append(all[0].Notes, strconv.Itoa(u.Count)+" "+u.Subject)
		}
	}
	return all
}

// traced returns an error as those of other formats are.
func traced(err error) error {
	e, own := err.(*dump.Error)
	if !own {
		return err
	}
	out := &trace.Error{
		Kind: trace.BadLine, File: e.File, Line: e.Line, Column: e.Field, Value: e.Value, Reason: e.Reason,
		Hint: e.Hint,
	}
	if e.Field == "" && e.Value == "" {
		out.Kind = trace.Damaged
	}
	if e.Object != "" {
		out.Reason += " (" + e.Object + ")"
	}
	return out
}

// Source is a cluster as a workload: its nodes, then its pods in the order of their starts.
type Source struct {
	c       *kube.Cluster
	options trace.Options
	files   []trace.FileReport
	names   *workload.Names // apart: a run keeps it when the dump is gone
	facts   []fact
	next    int
	counts  struct{ old, leftOut, rules int64 }

	largest  [unit.Resources]int64 // allocatable of the largest node
	counted  []int                 // resources that the run counts as supplies
	zones    map[string]int32
	owners   map[string]uint64
	spaces   map[string]uint32
	ranks    []int32 // priorities, rising
	selected map[string]bool
	taints   []kube.Taint
}

// fact is when a pod arrives.
type fact struct {
	at  unit.Time
	pod int
}

// Open reads a dump and returns it as a workload.
func Open(files []trace.File, o trace.Options) (*Source, error) {
	c, err := dump.Read(files, o.Progress)
	if err != nil {
		return nil, traced(err)
	}
	s := &Source{
		c: c, options: o.WithDefaults().OfTasks(), files: reports(files, c), names: &workload.Names{},
		zones: map[string]int32{}, owners: map[string]uint64{}, spaces: map[string]uint32{},
		selected: map[string]bool{},
	}
	name := "the dump"
	if len(files) > 0 {
		name = files[0].Name
	}
	for i := range c.Nodes {
		for r := range unit.Resources {
			s.largest[r] = max(s.largest[r], s.amount(c.Nodes[i].Allocatable, r))
		}
		for _, t := range c.Nodes[i].Taints {
			if t.Effect != kube.PreferNoSchedule && !slices.Contains(s.taints, t) {
				s.taints = append(s.taints, t)
			}
		}
	}
	switch {
	case len(c.Nodes) == 0:
		none := dump.NoNodes(name)
		return nil, &trace.Error{Kind: trace.NoTasks, File: none.File, Reason: none.Reason, Hint: none.Hint}
	case len(c.Pods) == 0:
		return nil, &trace.Error{
			Kind: trace.NoTasks, File: name, Reason: "has no pods, so there is nothing to run",
			Hint: "fetch pods too: kubectl get nodes,pods -A -o json",
		}
	case s.largest[0] == 0 || s.largest[1] == 0:
		return nil, &trace.Error{
			Kind: trace.NoTasks, File: name, Reason: "has no node with CPU and memory",
			Hint: "fetch nodes with -o json",
		}
	case len(c.Pods) > s.options.MaxTasks:
		return nil, &trace.Error{
			Kind: trace.TooLarge, File: name,
			Reason: "has more than " + strconv.Itoa(s.options.MaxTasks) + " pods",
			Hint:   "raise --max-tasks or keep a part of the workloads with --every-job",
		}
	}
	s.collect()
	s.supply()
	s.name()
	s.group()
	return s, nil
}

// collect orders the pods by arrival and numbers the names that tasks and nodes share.
func (s *Source) collect() {
	first, last := int64(1<<62), int64(0)
	for i := range s.c.Pods {
		if at := started(&s.c.Pods[i]); at != 0 {
			first, last = min(first, at), max(last, at)
		}
	}
	origin := max(first, last-window)
	for i := range s.c.Pods {
		p := &s.c.Pods[i]
		for _, l := range p.Spec.NodeSelector {
			s.selected[l.Key] = true
		}
		if _, at := slices.BinarySearch(s.ranks, p.Spec.Priority); !at {
			k, _ := slices.BinarySearch(s.ranks, p.Spec.Priority)
			s.ranks = slices.Insert(s.ranks, k, p.Spec.Priority)
		}
		if _, known := s.owners[s.owner(p)]; !known {
			s.owners[s.owner(p)] = uint64(len(s.owners) + 1)
		}
		if _, known := s.spaces[p.Namespace]; !known {
			s.spaces[p.Namespace] = uint32(len(s.spaces))
		}
		if e := s.options.EveryJob; e > 1 && rng.Mix(s.owners[s.owner(p)])%e != 0 {
			s.counts.leftOut++
			continue
		}
		f := fact{pod: i}
		if at := started(p) - origin; at >= 0 {
			f.at = unit.Time(at) * unit.Second
		} else {
			s.counts.old++
		}
		if n := p.Spec.NodeRequired; n != nil && !pinnedTo(n) ||
			len(p.Spec.PodRequired)+len(p.Spec.AntiRequired)+len(p.Spec.Spread)+len(p.Claims) > 0 {
			s.counts.rules++
		}
		s.facts = append(s.facts, f)
	}
	slices.SortStableFunc(s.facts, func(a, b fact) int { return cmp.Compare(a.at, b.at) })
}

// started returns when a pod started, or was made if it has not started yet.
func started(p *kube.Pod) int64 {
	if p.Started != 0 {
		return p.Started
	}
	return p.Created
}

// owner names the owner of a pod, or the pod if it has none.
func (s *Source) owner(p *kube.Pod) string {
	if p.Owner.Kind == "" {
		return p.Full()
	}
	return p.Namespace + "/" + p.Owner.Kind + "/" + p.Owner.Name
}

// pinnedTo reports whether a required affinity names nodes.
func pinnedTo(n *kube.NodeSelector) bool {
	for i := range n.Terms {
		if len(n.Terms[i].Fields) == 0 {
			return false
		}
	}
	return len(n.Terms) > 0
}

// Header is empty: a dump without nodes is not opened.
func (s *Source) Header() workload.Header { return workload.Header{} }

// HoldsTasks is true: a dump without pods is not opened.
func (s *Source) HoldsTasks() bool { return true }

// Names translates labels of nodes that pods select by.
func (s *Source) Names() *workload.Names { return s.names }

// Report returns the content of the dump; its Summary is a Summary.
func (s *Source) Report() trace.Report {
	return trace.Report{Files: s.files, Summary: summaryOf(s.c)}
}

// Close does nothing: the dump is in memory.
func (s *Source) Close() error { return nil }

// Tally returns the counts of the pods.
func (s *Source) Tally() trace.Tally {
	t := trace.NewTally("pods", nil)
	t.Rows = int64(len(s.c.Pods) + s.c.Finished)
	t.Played = t.Rows
	t.LeaveOut("finished", "have succeeded or failed", int64(s.c.Finished))
	t.LeaveOut("every_job", "of workloads that are not among the one of every few that is kept", s.counts.leftOut)
	t.Repair("before", "started more than a day before the last one, there from the beginning", s.counts.old)
	t.Repair("rules",
		"have rules about other pods, spread, volumes or node affinity, which a replay does not follow; parley cluster does", s.counts.rules)
	return t
}

// Next returns the nodes, then the pods.
func (s *Source) Next(r *workload.Record) error {
	*r = workload.Record{}
	if s.next < len(s.c.Nodes) {
		s.node(r, s.next)
		s.next++
		return nil
	}
	at := s.next - len(s.c.Nodes)
	f, recorded := at/2, at%2 == 1
	if f == len(s.facts) {
		return io.EOF
	}
	s.next++
	p := &s.c.Pods[s.facts[f].pod]
	r.At = s.facts[f].at
	r.Key = workload.Key{Job: s.owners[s.owner(p)], Index: uint32(s.facts[f].pod)}
	if recorded {
		if p.Node == kube.Nowhere {
			return s.Next(r)
		}
		r.Kind, r.Machine = workload.TaskRecorded, uint64(p.Node)
		return nil
	}
	r.Kind = workload.TaskArrives
	s.task(&r.Task, p, r.Key)
	return nil
}
