package main_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/run/full"
	"parley/core/study"
	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// TestFiguresOfRunsAreDescribed plays some minutes of each system and finds each number
// that a sweep would keep of the report among the figures that are described.
func TestFiguresOfRunsAreDescribed(t *testing.T) {
	samples := filepath.Join(checkout, "docs", "samples")
	log, workflow := filepath.Join(samples, "log.swf"), filepath.Join(samples, "montage.xml")
	played := map[string]bool{}
	for _, args := range [][]string{
		{"negotiation", "google-calm", "--set", "cluster.nodes=200", "--until", "10m"},
		{"central", "central-kube", "--set", "cluster.nodes=200", "--until", "10m"},
		{"central", log, "--system", "central", "--set", "settings.policy=easy", "--until", "3d"},
		{"yield", "yield-fair", "--until", "20m"},
		{"rounds", "rounds-one", "--until", "5m"},
		{"market", "market-auction", "--until", "10m"},
		{"board", workflow, "--system", "board", "--until", "2h"},
		{"static", workflow, "--system", "static", "--until", "2h"},
		{"dispatcher", workflow, "--system", "dispatcher", "--until", "2h"},
		{"program", "central-kube", "--program", filepath.Join(samples, "policy.star"), "--set", "cluster.nodes=200", "--until", "10m"},
	} {
		var out, complaints bytes.Buffer
		code := parley.Main(append([]string{"run", "--json"}, args[1:]...), &console.Console{In: strings.NewReader(""), Out: &out, Err: &complaints, Now: time.Now})
		if code != 0 {
			t.Errorf("%s: %s", args, &complaints)
			continue
		}
		figures, err := study.Figures(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for name := range figures {
			if err := full.Systems().CheckFigure(args[:1], name); err != nil {
				t.Errorf("%s: %v", args, err)
			}
		}
		played[args[0]] = len(figures) > 10
	}
	for _, e := range full.Systems().Offered() {
		if !played[e.ID] {
			t.Errorf("no run of %s was played, or it has hardly a figure", e.ID)
		}
	}
}

// TestUnknownMetricsAreRefused before a run is played, with the nearest name.
func TestUnknownMetricsAreRefused(t *testing.T) {
	document := func(more string) string {
		return `{"v":1,"base":"central-best-fit","axes":{"cluster.nodes":[100,200],"until":["5m"]},"seeds":[1],` + more + `}`
	}
	for more, want := range map[string]string{
		`"metrics":["waiting","overloded_pct"]`:           `metrics[1]: "overloded_pct" is no metric of central: did you mean overloaded_pct? parley metrics central lists them`,
		`"metrics":["jobs.wait_s"]`:                       "did you mean jobs.wait_s.mean?",
		`"metrics":["min_yield"]`:                         `"min_yield" is no metric of central`,
		`"stop":{"metric":"tasks_wating","half_width":1}`: `stop.metric: "tasks_wating" is no metric of central: did you mean tasks_waiting?`,
		`"search":{"axis":"workload.scale","from":1,"to":2,"step":1,"find":"largest","fits":{"idle":{"at_most":1}}}`: `search.fits: "idle" is no metric of central`,
	} {
		var complaints bytes.Buffer
		code := parley.Main([]string{"sweep", "-"}, &console.Console{In: strings.NewReader(document(more)), Out: io.Discard, Err: &complaints, Now: time.Now})
		if code != 1 || !strings.Contains(complaints.String(), want) {
			t.Errorf("%s ends with %d and says %q, want %q", more, code, &complaints, want)
		}
	}
	if err := full.Systems().CheckFigure([]string{"central"}, "jobs.by_class.queue 3.wait_s"); err != nil {
		t.Errorf("a group's figure is refused: %v", err)
	}
}
