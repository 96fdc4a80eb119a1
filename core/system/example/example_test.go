package example_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/example"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/description.json anew")

func TestConformance(t *testing.T) {
	systemtest.Run(t, example.Entry(), nil)
	systemtest.Run(t, example.Entry(), json.RawMessage(`{"choices":1}`))
}

func TestDescription(t *testing.T) { systemtest.Describes(t, example.Entry(), example.Default()) }

// TestGolden: the page's tests draw form, charts, legend, breaker and tabs of
// this system from the same file.
func TestGolden(t *testing.T) {
	const golden = "testdata/description.json"
	got, err := json.MarshalIndent(example.Entry().Description, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *rewrite {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the description (%v); go test ./core/system/example -rewrite writes it", golden, err)
	}
}

// TestRun: a registry with one more system runs it; its setting, metric, layer,
// agent and fault do what they say.
func TestRun(t *testing.T) {
	registry := append(run.Systems(), example.Entry())
	play := func(settings, faults string) *run.Run {
		t.Helper()
		s, err := scenario.Parse([]byte(`{"v":1,"system":"choices","seed":7,"cluster":{"nodes":100},"workload":{"scale":0.5},"until":"30m","settings":` + settings + `,"faults":[` + faults + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := registry.Open(s, nil, run.KeepNotes(100))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		return r
	}
	two, eight := play(`{}`, ""), play(`{"choices":8}`, "")
	if a, b := two.Report().System["probes_per_task"].(float64), eight.Report().System["probes_per_task"].(float64); !(a >= 2 && b > a+3) {
		t.Errorf("with two choices a task is probed %v times, with eight %v", a, b)
	}
	layers := two.Layers()
	if last := layers[len(layers)-1]; last.ID != "probed" {
		t.Errorf("the last layer is %s", last.ID)
	}
	if lines := two.Lines(unit.NoNode, 10); len(lines) == 0 || lines[0].Ref == 0 {
		t.Errorf("its notes are %+v", lines)
	}
	broken := play(`{}`, `{"at":"10m","kind":"dealer_down","target":"dealer"}`)
	if without, with := two.View().Totals().Waiting, broken.View().Totals().Waiting; with < without+10 {
		t.Errorf("%d tasks wait, %d when the dealer is down", without, with)
	}
	if w := broken.Report().Warnings; len(w) > 0 {
		t.Errorf("the fault is said to be in vain: %q", w)
	}
}
