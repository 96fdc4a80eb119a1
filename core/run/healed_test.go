package run_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/rng"
)

// TestHealed plays random schedules of faults, all of them mended a quarter of an hour
// before the end, and expects the tasks to be placed again by then.
//
// Of 450 such schedules 11 end with more than a fifth as many tasks waiting as
// running. All are of one kind: under yield, which never promises more memory than
// there is, a cell whose tasks request more than all of its memory keeps the rest
// waiting, faults or none. So a run of the same scenario without a fault is the
// measure there.
func TestHealed(t *testing.T) {
	policies := []string{"best-fit", "worst-fit", "first-fit", "random", "least-allocated", "most-allocated", "balanced-allocation", "requested-to-capacity-ratio", "kube"}
	for _, system := range []string{"negotiation", "central", "yield"} {
		t.Run(system, func(t *testing.T) {
			seeds := 15
			if testing.Short() {
				seeds = 4
			}
			for seed := range seeds {
				random := rng.New(uint64(seed), "healed")
				nodes := 10 + random.Intn(31)
				settings := "{}"
				if system == "central" {
					settings = fmt.Sprintf(`{"policy":%q}`, policies[seed%len(policies)])
				}
				mended := func(faults string) (waiting, running int64) {
					r := open(t, fmt.Sprintf(`{"v":1,"system":%q,"seed":%d,"cluster":{"nodes":%d,"physical":{"rack_size":5}},"workload":{"scale":%g},"until":"1h","settings":%s,"faults":[%s]}`,
						system, seed, nodes, 0.9+0.1*float64(seed%3), settings, faults))
					if err := r.Advance(r.Until()); err != nil {
						t.Fatal(err)
					}
					totals := r.View().Totals()
					return int64(totals.Waiting), int64(totals.Running)
				}
				faults := schedule(random, system, nodes)
				waiting, running := mended(faults)
				if 5*waiting <= running {
					continue
				}
				if always, _ := mended(""); waiting > always+running/10 {
					t.Errorf("seed %d, %d nodes: %d tasks wait and %d run, without faults %d wait; the faults: %s", seed, nodes, waiting, running, always, faults)
				}
			}
		})
	}
}

// schedule returns up to eight faults in the first half hour, each mended by minute 45.
func schedule(random *rng.Stream, system string, nodes int) string {
	kinds := []struct{ down, up, target, worse, well string }{
		{"node_down", "node_up", fmt.Sprint("node.", random.Intn(nodes)), "", ""},
		{"rack_down", "rack_up", fmt.Sprint("rack.", random.Intn(nodes/5)), "", ""},
		{"partition", "partition_healed", fmt.Sprint("rack.", random.Intn(nodes/5)), "", ""},
		{"broker_down", "broker_up", "broker.0", "", ""},
		{"mail_loss", "mail_loss", "mail", `,"value":0.9`, `,"value":0`},
		{"mail_delay", "mail_delay", "mail", `,"value":600`, `,"value":0`},
	}
	if system != "negotiation" {
		kinds = kinds[:2]
	}
	var faults []string
	for range 1 + random.Intn(8) {
		k, at := kinds[random.Intn(len(kinds))], 60+random.Intn(1740)
		faults = append(faults,
			fmt.Sprintf(`{"at":"%ds","kind":%q,"target":%q%s}`, at, k.down, k.target, k.worse),
			fmt.Sprintf(`{"at":"%ds","kind":%q,"target":%q%s}`, at+30+random.Intn(2670-at), k.up, k.target, k.well))
	}
	return strings.Join(faults, ",")
}
