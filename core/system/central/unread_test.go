package central_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
)

// Settings that were changed and that the policy does not read are named: nothing is ignored in silence.
func TestUnreadSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`: "",
		`{"policy":"best-fit","fill":0.8,"rescheduler":{"most_per_node":3}}`:           "",
		`{"policy":"best-fit","kube":{"fit_weight":2},"gang":{"slowdown":1.5}}`:        "best-fit does not read, so that they have no effect: kube.…, gang.…",
		`{"policy":"kube","kube":{"fit_weight":2},"formula":{"score":"cpu.free"}}`:     "kube does not read, so that they have no effect: formula.score",
		`{"policy":"formula","formula":{"score":"cpu.free","order":"job.wait"}}`:       "formula does not read, so that they have no effect: formula.order",
		`{"policy":"easy","batch":{"order":"formula"},"formula":{"order":"job.wait"}}`: "",
		`{"policy":"easy","batch":{"slack":2,"priority":{"age":5}},"preempt":false}`:   "easy does not read, so that they have no effect: preempt, batch.slack, batch.priority.…",
		`{"policy":"slack","batch":{"slack":2}}`:                                       "",
		`{"policy":"srtf","fill":0.5}`:                                                 "srtf does not read, so that they have no effect: fill",
	} {
		kernel := des.New()
		c := cluster.New(cluster.Default(), kernel)
		s, err := central.New(system.Env{Clock: kernel, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(settings))
		if err != nil {
			t.Errorf("%s: %v", settings, err)
			continue
		}
		got := strings.Join(s.(system.WarningSource).Warnings(), "\n")
		if want != "" {
			want = "settings that the policy " + want
		}
		if got != want {
			t.Errorf("%s: warned %q, want %q", settings, got, want)
		}
	}
}
