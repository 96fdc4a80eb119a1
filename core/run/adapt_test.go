package run_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// log is what a log of rigid jobs brings: a machine and a job on it.
type log struct{ records []workload.Record }

func newLog() *log {
	return &log{[]workload.Record{
		{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 4}},
		{Kind: workload.JobArrives, At: unit.Second, Job: &workload.Job{Processors: 2, Run: unit.Minute, Estimate: unit.Minute}},
	}}
}

func (*log) Header() workload.Header { return workload.Header{Shape: workload.ShapeJobs} }

func (l *log) Next(r *workload.Record) error {
	if len(l.records) == 0 {
		return io.EOF
	}
	*r, l.records = l.records[0], l.records[1:]
	return nil
}

// A system completes settings for what files bring, says so, and the scenario that runs
// has them; what somebody chose stays.
func TestSettingsAreAdaptedToFiles(t *testing.T) {
	for settings, want := range map[string]string{
		``:                              `{"policy":"easy"}`,
		`,"settings":{"fill":0.5}`:      `{"fill":0.5,"policy":"easy"}`,
		`,"settings":{"policy":"fcfs"}`: `{"policy":"fcfs"}`,
	} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"1h"` + settings + `}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Systems().Open(s, newLog())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(r.Until()); err != nil {
			t.Fatal(err)
		}
		report := r.Report()
		stated := strings.Contains(strings.Join(report.Warnings, "\n"), "EASY backfilling")
		if got := string(report.Scenario.Settings); got != want || report.Jobs == nil || report.Jobs.Ended != 1 || stated == strings.Contains(settings, "policy") {
			t.Errorf("%q: settings %s, jobs %+v, warnings %q", settings, got, report.Jobs, report.Warnings)
		}
	}
}

// asked are jobs without machines, as requests for quotation bring them.
type asked struct{ *log }

func (asked) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeJobs, Machineless: true}
}

// untold is a workload that does not say what it is of.
type untold struct{}

func (untold) Next(*workload.Record) error { return io.EOF }

// The files decide: what they bring is played by the system that runs if that schedules
// it as it is, with settings that suit it, else by one that does; if none can, it is
// left to Open to say so.
func TestStandIn(t *testing.T) {
	for _, c := range []struct {
		system, settings string
		source           workload.Source
		want             string
	}{
		{"negotiation", `{"brokers":2}`, newLog(), `central : [Agent negotiation cannot schedule the files' jobs, so Parley uses Central scheduler]`},
		{"rounds", ``, newLog(), `central : [Divisible-load rounds cannot schedule the files' jobs, so Parley uses Central scheduler]`},
		{"central", ``, newLog(), `central {"policy":"easy"}: [no policy was chosen, so EASY backfilling (easy) schedules the files' jobs]`},
		{"central", `{"policy":"kube","fill":0.5}`, newLog(), `central {"fill":0.5,"policy":"easy"}: [kube cannot schedule jobs, so EASY backfilling (easy) schedules those of the files]`},
		{"central", `{"policy":"fcfs"}`, newLog(), `central {"policy":"fcfs"}: []`},
		{"central", `{"policy":"none"}`, newLog(), `central {"policy":"none"}: []`},
		{"market", ``, newLog(), `central : [the files have jobs, so Parley uses Central scheduler instead of Auction market]`},
		{"central", ``, asked{newLog()}, `market : [Central scheduler cannot schedule the files' jobs, so Parley uses Auction market]`},
		{"rounds", ``, untold{}, `rounds : []`},
		{"nobody", ``, newLog(), `nobody : []`},
	} {
		s := &scenario.Scenario{System: c.system, Settings: []byte(c.settings)}
		own, stated := run.Systems().StandIn(s, c.source)
		if got := fmt.Sprintf("%s %s: %v", own.System, own.Settings, stated); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.system, c.settings, got, c.want)
		}
		if s.System != c.system || string(s.Settings) != c.settings {
			t.Errorf("%s: the scenario itself was changed to %s %s", c.system, s.System, s.Settings)
		}
	}
}

// A setting of another system is said to be that one's.
func TestSettingsOfAnotherSystem(t *testing.T) {
	for document, want := range map[string]string{
		`{"v":1,"system":"negotiation","settings":{"policy":"easy"}}`:  "settings: negotiation has no policy, which is a setting of the system central: choose that system, or leave the setting out",
		`{"v":1,"system":"negotiation","settings":{"rescheduler":{}}}`: "settings: negotiation has no rescheduler, which is a setting of the system central: choose that system, or leave the setting out",
		`{"v":1,"system":"central","settings":{"polycy":"easy"}}`:      `settings: unknown field "polycy": did you mean policy?`,
		`{"v":1,"system":"central","settings":{"fill":7}}`:             "settings: fill is 7: choose 0 to 1",
	} {
		s, err := scenario.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Open(s, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// Nodes that a setting names and the machine does not have are named in the report.
func TestNodesThatNeverCame(t *testing.T) {
	for document, want := range map[string]string{
		`"cluster":{"power":{"busy_w":2,"kinds":[{"nodes":"0","busy_w":3}]}}`:                   "",
		`"cluster":{"power":{"busy_w":2,"kinds":[{"nodes":"0","busy_w":3},{"nodes":"1-999"}]}}`: "cluster.power.kinds[1] has nodes up to 999, and the cluster has 1",
		`"settings":{"policy":"easy","batch":{"nodes":"0: memory=1G"}}`:                         "",
		`"settings":{"policy":"easy","batch":{"nodes":"0-1: memory=1G"}}`:                       "batch.nodes has nodes up to 1, and the machine has 1",
	} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"1h",` + document + `}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Systems().Open(s, newLog())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(r.Until()); err != nil {
			t.Fatal(err)
		}
		stated := strings.Join(r.Report().Warnings, "\n")
		if !strings.Contains(stated, want) || want == "" && strings.Contains(stated, "have no effect") {
			t.Errorf("%s: the report says %q, not %q", document, stated, want)
		}
	}
}
