package events_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/testkit/runtest"
	"parley/core/unit"
)

// TestKindsOfEvents: a log takes every kind that it names, and no other.
func TestKindsOfEvents(t *testing.T) {
	_, err := events.New(io.Discard, []string{"nonsense"}, nil)
	if err == nil {
		t.Fatal("events of the kind nonsense are written")
	}
	_, list, _ := strings.Cut(err.Error(), "choose among ")
	kinds := strings.Split(list, ", ")
	if len(kinds) < 30 {
		t.Errorf("%d kinds: %s", len(kinds), err)
	}
	for _, kind := range kinds {
		if _, err := events.New(io.Discard, []string{kind}, nil); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// heard remembers events of some kinds.
type heard struct {
	kinds  []cluster.Kind
	events []cluster.Event
}

// Observe implements run.Observer.
func (h *heard) Observe(e cluster.Event) {
	if slices.Contains(h.kinds, e.Kind) {
		h.events = append(h.events, e)
	}
}

// TestFieldsOfEvents: the log says of a migration whether it was forced, of a task that
// is submitted its priority and class, and of one that is placed neither.
func TestFieldsOfEvents(t *testing.T) {
	var out strings.Builder
	log, err := events.New(&out, []string{"migration_began", "task_submitted", "task_placed"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := &heard{kinds: []cluster.Kind{cluster.MigrationBegan}}
	r := runtest.Open(t, `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":100},"workload":{"scale":1.5},"until":"20m"}`, run.LogEvents(log), run.Watch(seen))
	runtest.Advance(t, r, unit.Forever)
	if err := log.Flush(); err != nil {
		t.Fatal(err)
	}
	forced, agreed := 0, 0
	for _, e := range seen.events {
		if e.Detail == 1 {
			forced++
		} else {
			agreed++
		}
	}
	counts := map[string]int{}
	for lines := bufio.NewScanner(strings.NewReader(out.String())); lines.Scan(); {
		var one map[string]any
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(one["e"])
		_, told := one["priority"]
		_, classed := one["production"]
		if submitted := kind == "task_submitted"; told != submitted || classed && !submitted {
			t.Fatalf("%s", lines.Text())
		}
		if classed {
			counts["of production"]++
		}
		counts[fmt.Sprintf("%s %v", kind, one["forced"])]++
	}
	if counts["migration_began true"] != forced || counts["migration_began <nil>"] != agreed || agreed == 0 || counts["task_submitted <nil>"] == 0 || counts["task_placed <nil>"] == 0 || counts["of production"] == 0 {
		t.Errorf("%v; %d migrations were forced, %d agreed", counts, forced, agreed)
	}
}
