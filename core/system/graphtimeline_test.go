package system

import (
	"testing"

	"parley/core/cluster"
)

// TestGraphTimelineIsBounded: events are kept up to a number, each whole with its kinds.
func TestGraphTimelineIsBounded(t *testing.T) {
	l := GraphTimeline{events: make([]TimelineEvent, keptEvents-3)}
	l.Keep(cluster.Event{Kind: cluster.SubtaskStarted}, 1, 2)
	if events, whole := l.Timeline(); len(events) != keptEvents || !whole {
		t.Errorf("%d events, whole: %v", len(events), whole)
	}
	l.Plan(1, 2, 3, 4, 5)
	if events, whole := l.Timeline(); len(events) != keptEvents || whole {
		t.Errorf("%d events, whole: %v", len(events), whole)
	}
}
