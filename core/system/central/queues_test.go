package central_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestQueues plays small logs by hand on four nodes of two processors. A job a word:
// submission, processors, run and estimate in seconds, queue, user.
func TestQueues(t *testing.T) {
	for _, c := range []struct{ subject, settings, jobs, want string }{
		{"queues are no matter without the setting", ``, "0.8.5.0.1 1.8.5.1.1", "0 5"},
		{"a partition has nodes of its own", `"queues":"0: nodes=0-1; 1: nodes=2-3"`, "0.4.9.0.1 1.4.9.0.1 2.4.9.1.1 3.2.9.7.1", "0 9 2 never"},
		{"other queues have the rest of the nodes", `"queues":"0: nodes=0-1"`, "0.4.9.0.1 1.4.9.7.1 1.6.9.7.1", "0 1 never"},
		{"too long or too wide for its queue", `"queues":"0: longest=5s widest=4; *: longest=9s"`, "0.1.6.0.1 1.5.5.0.1 2.4.5.0.1 3.8.9.1.1 4.1.10.1.1", "never never 2 7 never"},
		{"one job of a user at a time", `"queues":"0: user_jobs=1"`, "0.1.5.0.1 0.1.5.0.1 0.1.5.0.2", "0 5 0"},
		{"a queue's processors", `"queues":"0: processors=4"`, "0.3.5.0.1 0.3.5.0.2 0.1.5.0.3 0.4.5.1.1", "0 5 0 0"},
		{"a user's processors", `"queues":"0: user_processors=4"`, "0.3.5.0.1 0.3.5.0.1 0.3.5.0.3", "0 5 0"},
		{"a higher tier first", `"queues":"1: tier=1"`, "0.8.5.0.1 1.8.5.0.1 2.8.5.1.1", "0 10 5"},
		{"a preempted job starts again from its beginning", `"queues":"1: tier=1 preempts"`, "0.8.5.0.1 3.4.2.1.1", "5 3"},
		{"maintenance of the machine", `"reservations":"all from 3s to 10s"`, "0.8.3.0.1 0.8.4.0.1", "0 10"},
		{"a reservation of some processors", `"reservations":"6 from 3s to 10s"`, "0.3.5.0.1 0.2.5.0.1", "10 0"},
		{"a reservation in a partition", `"queues":"0: nodes=0-1; 1: nodes=2-3","reservations":"all from 0s to 10s in 1"`, "0.4.5.0.1 0.4.5.1.1", "0 10"},
		{"Slurm's priority by age and size alone", `"order":"multifactor","backfill":"multifactor","priority":{"fair_share":0,"size":1000,"age":0}`, "0.8.5.0.1 1.2.5.0.1 2.7.5.0.1", "0 10 5"},
	} {
		t.Run(c.subject, func(t *testing.T) {
			var jobs []workload.Job
			var log []batch.Logged
			for word := range strings.FieldsSeq(c.jobs) {
				var submit, run int
				var j workload.Job
				if _, err := fmt.Sscanf(word, "%d.%d.%d.%d.%d", &submit, &j.Processors, &run, &j.Queue, &j.User); err != nil {
					t.Fatal(err)
				}
				j.Run, j.Estimate = unit.Time(run)*unit.Second, unit.Time(run)*unit.Second
				jobs, log = append(jobs, j), append(log, batch.Logged{Submit: unit.Time(submit) * unit.Second})
			}
			rapid.Check(t, func(t *rapid.T) {
				var got []string
				for _, at := range startsOf(t, `{"policy":"easy","batch":{`+c.settings+`}}`, []int32{2, 2, 2, 2}, jobs, log) {
					if at == unit.Forever {
						got = append(got, "never")
					} else {
						got = append(got, fmt.Sprint(int64(at/unit.Second)))
					}
				}
				if s := strings.Join(got, " "); s != c.want {
					t.Fatalf("jobs start at %s, want %s", s, c.want)
				}
			})
		})
	}
}

// TestFairShare: user 1 has used the machine for a day. Of the jobs that wait then the
// first and the next are of user 2, though user 1 came first; with shares of 1,000 for user 1
// the second is not, since user 2 has had more than a thousandth then.
func TestFairShare(t *testing.T) {
	const day = unit.Day
	jobs := []workload.Job{{Processors: 8, User: 1, Run: day, Estimate: day}, {Processors: 8, User: 2, Run: unit.Hour, Estimate: unit.Hour}, {Processors: 8, User: 1, Run: day, Estimate: day}, {Processors: 8, User: 2, Run: day, Estimate: day}}
	log := []batch.Logged{{}, {Submit: unit.Hour}, {Submit: 2 * unit.Hour}, {Submit: 3 * unit.Hour}}
	for shares, want := range map[string]string{"": "0 24 49 25", "0/1=1000": "0 24 25 49"} {
		for _, tree := range []string{"fair-tree", "classic"} {
			rapid.Check(t, func(t *rapid.T) {
				settings := fmt.Sprintf(`{"policy":"fcfs","batch":{"order":"multifactor","priority":{"age":0,"size":0,"tree":%q,"shares":%q}}}`, tree, shares)
				var got []string
				for _, at := range startsOf(t, settings, []int32{8}, jobs, log) {
					got = append(got, fmt.Sprint(int64(at/unit.Hour)))
				}
				if s := strings.Join(got, " "); s != want {
					t.Fatalf("%s, shares %q: jobs start at %s h, want %s", tree, shares, s, want)
				}
			})
		}
	}
}

// TestSettingsOfJobs: a text that cannot be read is refused with its place and what to
// write.
func TestSettingsOfJobs(t *testing.T) {
	for _, c := range []struct{ policy, queues, reservations, shares, want string }{
		{"easy", "0: tier=2 preempts nodes=0-15; 1: longest=2h user_jobs=4 priority=100; *: processors=64;", "64 from 2d to 2d8h; all from 9d to 9d4h in 1", "3=10 3/17=2", ""},
		{"easy", "fast", "", "", `batch.queues has "fast": write a queue's name or number, a colon`},
		{"easy", "fast lane: tier=1", "", "", `batch.queues has "fast lane: tier=1": write a queue's name or number`},
		{"easy", "fast: tier=1; fast: tier=2", "", "", "batch.queues lists queue fast twice"},
		{"easy", "1: tier=1; 1: tier=2", "", "", "batch.queues lists queue 1 twice"},
		{"easy", "1: rank=1", "", "", `batch.queues has "rank=1" for queue 1: choose among tier`},
		{"easy", "1: tier=high", "", "", `batch.queues has "tier=high" for queue 1: write a whole number`},
		{"easy", "1: user_jobs=-1", "", "", `batch.queues has "user_jobs=-1" for queue 1`},
		{"easy", "1: longest=soon", "", "", `batch.queues has "longest=soon" for queue 1`},
		{"easy", "1: preempts=yes", "", "", `batch.queues has "preempts=yes" for queue 1`},
		{"easy", "1: nodes=8-3", "", "", `batch.queues has "nodes=8-3" for queue 1`},
		{"easy", "1: nodes=0-3; 2: nodes=3-5", "", "", "partitions are equal or have no node in common"},
		{"conservative", "1: tier=1 preempts user_jobs=1", "", "", ""},
		{"conservative-compress", "1: tier=1", "", "", "conservative-compress keeps what it promised"},
		{"conservative", "1: nodes=0-3 longest=2h", "", "", ""},
		{"slack", "1: tier=1 preempts", "", "", "slack keeps what it promised"},
		{"easy", "", "64 at 2d", "", `batch.reservations has "64 at 2d": write processors and times`},
		{"easy", "", "0 from 2d to 3d", "", "batch.reservations has"},
		{"easy", "", "some from 2d to 3d", "", "batch.reservations has"},
		{"easy", "", "4 from 3d to 3d", "", "batch.reservations has"},
		{"easy", "", "4 from 3d to 4d in", "", "batch.reservations has"},
		{"easy", "", "", "3", `batch.priority.shares has "3": write a group's name or number`},
		{"easy", "", "", "3=0", "batch.priority.shares has"},
		{"easy", "", "", "3/=1", "batch.priority.shares has"},
		{"easy", "", "", "chem@science=30 science=60 bio@science=10 science@all=1 chem/ann=2", ""},
		{"easy", "", "", "chem@=30", "batch.priority.shares has"},
		{"easy", "", "", "chem@science=30 science/ann=2", "science has accounts below it and no users"},
		{"easy", "", "", "a@b=1 b@a=1", "puts the account a above itself"},
	} {
		err := set(c.policy, func(b *central.Batch) {
			b.Queues, b.Reservations, b.Priority.Shares = c.queues, c.reservations, c.shares
		})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, queues %q, reservations %q, shares %q: %v, want %q", c.policy, c.queues, c.reservations, c.shares, err, c.want)
		}
	}
}

// TestSettingsOfNodes: what is wrong with nodes and limits is said in one sentence.
func TestSettingsOfNodes(t *testing.T) {
	for _, c := range []struct{ policy, nodes, limits, want string }{
		{"easy", "memory=256G gpus=4; 0-15: memory=1.5T; 16: gpus=0; alone", "user *: jobs=4; user ann: submitted=10; account chem: processors=128 memory=1T; qos high: user_jobs=1 gpus=2; queue 3: jobs=1; all: submitted=1000", ""},
		{"conservative", "shared", "user *: jobs=4", ""},
		{"easy", "memory=much", "", `batch.nodes has "memory=much": write what each node has`},
		{"easy", "memory=-1", "", `batch.nodes has "memory=-1"`},
		{"easy", "memory=1E30", "", `batch.nodes has`},
		{"easy", "3-1: memory=1G", "", `batch.nodes has "3-1: memory=1G"`},
		{"easy", "0-3: memory=1G; 3: gpus=1", "", "batch.nodes lists node 3 twice"},
		{"easy", "0: alone", "", `batch.nodes has "0: alone"`},
		{"easy", "processors=4", "", "processors are those of the machine"},
		{"slack", "memory=1G", "", "batch.nodes is not played by slack"},
		{"conservative-compress", "memory=1G", "", "batch.nodes is not played by conservative-compress"},
		{"easy", "", "ann: jobs=1", `batch.limits has "ann: jobs=1": write a group of jobs, a colon`},
		{"easy", "", "user ann", `batch.limits has "user ann"`},
		{"easy", "", "user ann:", `batch.limits has "user ann:"`},
		{"easy", "", "all *: jobs=1", `batch.limits has "all *: jobs=1"`},
		{"easy", "", "user *: jobs=1; user *: jobs=2", "batch.limits lists user * twice"},
		{"easy", "", "user *: jobs=0", `batch.limits has "jobs=0": choose among jobs, processors`},
		{"easy", "", "user *: cores=1", `batch.limits has "cores=1"`},
		{"conservative-compress", "", "user *: jobs=1", "batch.limits is not played by conservative-compress"},
	} {
		err := set(c.policy, func(b *central.Batch) { b.Nodes, b.Limits = c.nodes, c.limits })
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, nodes %q, limits %q: %v, want %q", c.policy, c.nodes, c.limits, err, c.want)
		}
	}
	if err := set("easy", func(b *central.Batch) { b.Nodes, b.Pass = "memory=1G", "event" }); err == nil || !strings.Contains(err.Error(), "choose instant") {
		t.Errorf("nodes with a pass after each event: %v", err)
	}
	if err := set("srtf", func(b *central.Batch) { b.Nodes = "memory=1G" }); err == nil || !strings.Contains(err.Error(), "batch.nodes does nothing") {
		t.Errorf("nodes under srtf: %v", err)
	}
}

// set checks the default settings after a change.
func set(policy string, change func(*central.Batch)) error {
	s := central.Default()
	s.Policy = policy
	change(&s.Batch)
	return s.Validate()
}
