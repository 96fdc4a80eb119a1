package check_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/unit"
	"parley/tools/soak/check"
)

// Random faults in each system lose nothing, double nothing and put nothing on two nodes,
// and a schedule is the same each time.
func TestSchedules(t *testing.T) {
	schedules := uint64(200)
	if testing.Short() {
		schedules = 3
	}
	for _, e := range run.Systems().Offered() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			s, err := check.NewSchedules(run.Systems(), e.ID)
			if err != nil {
				t.Fatal(err)
			}
			events, faults := int64(0), 0
			for n := range schedules {
				played, err := s.Play(n, nil)
				if err != nil {
					t.Fatal(err)
				}
				events += played.Events
				faults += played.Faults
				if n == 0 {
					if again, err := s.Play(n, nil); err != nil || again != played {
						t.Errorf("%+v, then %+v, %v", played, again, err)
					}
				}
			}
			if faults < int(schedules) || events < int64(schedules)*20 {
				t.Errorf("%d faults and %d events in %d schedules: nothing was tried", faults, events, schedules)
			}
			t.Logf("%d schedules, %d faults, %d events", schedules, faults, events)
		})
	}
}

// Planted losses and doubles of five kinds are found, in each system that has such work.
func TestPlantedFaultsAreFound(t *testing.T) {
	elsewhere := func(n unit.NodeID) unit.NodeID { return n ^ 1 }
	oneOf := func(kinds ...cluster.Kind) func(cluster.Event) bool {
		return func(e cluster.Event) bool {
			for _, k := range kinds {
				if e.Kind == k {
					return true
				}
			}
			return false
		}
	}
	for _, planted := range []struct {
		name  string
		about func(cluster.Event) bool
		plant func(e cluster.Event, show func(cluster.Event))
	}{
		{"lost when it came", oneOf(cluster.TaskSubmitted, cluster.JobSubmitted, cluster.GraphArrived, cluster.LoadArrived), func(cluster.Event, func(cluster.Event)) {}},
		{"lost with its node", oneOf(cluster.TaskDisplaced, cluster.JobDisplaced, cluster.SubtaskLost, cluster.ChunkLost), func(cluster.Event, func(cluster.Event)) {}},
		{"placed twice", oneOf(cluster.TaskPlaced, cluster.JobPlaced, cluster.SubtaskAssigned, cluster.ChunkReceived), func(e cluster.Event, show func(cluster.Event)) { show(e); show(e) }},
		{"on two nodes", oneOf(cluster.TaskPlaced, cluster.ProcessorsTaken, cluster.SubtaskStarted, cluster.ChunkStarted), func(e cluster.Event, show func(cluster.Event)) {
			show(e)
			e.Node = elsewhere(e.Node)
			show(e)
			if e.Kind == cluster.ProcessorsTaken { // the job runs with more than it asked for
				e.Kind = cluster.JobPlaced
				show(e)
			}
		}},
		{"done twice", oneOf(cluster.TaskEnded, cluster.JobEnded, cluster.SubtaskFinished, cluster.ChunkDone), func(e cluster.Event, show func(cluster.Event)) { show(e); show(e) }},
	} {
		t.Run(planted.name, func(t *testing.T) {
			for _, e := range run.Systems().Offered() {
				s, err := check.NewSchedules(run.Systems(), e.ID)
				if err != nil {
					t.Fatal(err)
				}
				found, tried, wanted := 0, 0, 5
				if testing.Short() {
					wanted = 1
				}
				for n := uint64(0); n < 40 && tried < wanted; n++ {
					happened := 0
					_, err := s.Play(n, func(e cluster.Event, show func(cluster.Event)) {
						if planted.about(e) && (e.Kind != cluster.SubtaskLost || e.Detail != cluster.Stored) { // a result, of a graph that may be aborted before it is missed
							if happened++; happened == 3 || e.Kind == cluster.LoadArrived || e.Kind == cluster.ChunkLost && happened == 1 {
								happened = 3
								planted.plant(e, show)
								return
							}
						}
						show(e)
					})
					if happened >= 3 {
						if tried++; err != nil {
							found++
						}
					}
				}
				if tried == 0 || found != tried {
					t.Errorf("%s: %d of %d were found", e.ID, found, tried)
				}
			}
		})
	}
}
