package system

import (
	"testing"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// TestGraphTimelineIsBounded: events are kept up to a number, each whole with its kinds.
func TestGraphTimelineIsBounded(t *testing.T) {
	l := GraphTimeline{events: make([]TimelineEvent, keptEvents-3)}
	l.Keep(cluster.Event{Kind: cluster.SubtaskStarted}, func(unit.GraphID) (uint32, *workload.Subtasks) { return 0, nil })
	if events, whole := l.Timeline(); len(events) != keptEvents || !whole {
		t.Errorf("%d events, whole: %v", len(events), whole)
	}
	l.Plan(1, 2, 3, 4, 5)
	if events, whole := l.Timeline(); len(events) != keptEvents || whole {
		t.Errorf("%d events, whole: %v", len(events), whole)
	}
}
