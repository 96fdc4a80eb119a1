package play_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"parley/core/play"
	"parley/core/play/files"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
)

// straight plays a scenario from its start to its end.
func straight(t *testing.T, s *scenario.Scenario, files []trace.File, until unit.Time) string {
	t.Helper()
	r := opened(t, s, files)
	if err := r.Advance(until); err != nil {
		t.Fatal(err)
	}
	return r.Digest().String()
}

func opened(t *testing.T, s *scenario.Scenario, list []trace.File) *run.Run {
	t.Helper()
	var err error
	var r *run.Run
	if len(list) == 0 {
		r, err = run.Open(s, nil)
	} else {
		source, wrong := files.Reader{}.Open(s, list)
		if wrong != nil {
			t.Fatal(wrong)
		}
		r, err = run.Open(s, source)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A viewer goes to and fro, acts in the past and returns to other courses, with room
// for all snapshots and for hardly any. Wherever that ends, each course is what its
// scenario gives when it is played once from its start.
func TestToAndFro(t *testing.T) {
	sample, err := os.ReadFile("../trace/swf/testdata/samples/small.swf")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		document string
		files    []trace.File
	}{
		"negotiation": {document: `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"until":"40m","faults":[{"at":"9m","kind":"rack_down","target":"rack.1"},{"at":"19m","kind":"rack_up","target":"rack.1"}],"chaos":{"node_mtbf":"50h","mttr":"5m"}}`},
		"central":     {document: `{"v":1,"system":"central","seed":8,"cluster":{"nodes":60},"until":"40m"}`},
		"board":       {document: `{"v":1,"system":"board","seed":3,"until":"20m"}`},
		"files":       {document: `{"v":1,"system":"central","until":"3m","workload":{"trace":[{"name":"small.swf"}]}}`, files: []trace.File{file("small.swf", string(sample), false)}},
	} {
		for room, bytes := range map[string]int{"much room": 1 << 30, "little room": 1 << 20} {
			t.Run(name+" with "+room, func(t *testing.T) {
				s, err := scenario.Parse([]byte(c.document))
				if err != nil {
					t.Fatal(err)
				}
				h := &house{tick: 200 * time.Microsecond}
				forked := 0
				h.player = play.New(h.now, run.Systems(), files.Reader{}, func(e play.Event) {
					switch e.Kind {
					case play.Refused, play.Broke:
						t.Error(e.Err)
					case play.Branched:
						forked++
					}
				})
				p := h.player
				p.Keep(bytes)
				idle := func() {
					for range most {
						if p.Slice(5*time.Millisecond) == play.Idle {
							return
						}
					}
					t.Fatal("it never comes to stand")
				}
				p.Open(play.Opening{Scenario: s, Files: c.files, HasEnd: true})
				idle()
				random := rng.New(12, name)
				end := p.Run().Until()
				for range 40 {
					switch random.Intn(6) {
					case 0, 1, 2:
						at := unit.Time(1 + random.Intn(int(end)))
						p.Seek(at)
						for range random.Intn(30) { // perhaps it is left before it comes there
							p.Slice(time.Millisecond)
						}
						if random.Intn(2) == 0 {
							idle()
							if now := p.Run().Now(); now != at && !(p.Run().Done() && now < at) { // a log ends with its work
								t.Fatalf("a seek to %v ends at %v", at, now)
							}
							if got, want := p.Run().Digest().String(), straight(t, p.Run().Scenario(), c.files, at); got != want {
								t.Fatalf("after a seek to %v the digest is %v, want %v", at, got, want)
							}
						}
					case 3:
						if _, current := p.Branches(); current < 4 {
							p.Inject(scenario.Fault{Kind: []string{"node_down", "node_up"}[random.Intn(2)], Target: fmt.Sprintf("node.%d", random.Intn(6))})
						}
					case 4:
						all, _ := p.Branches()
						p.Switch(random.Intn(len(all)))
					case 5:
						p.SetSpeed(float64(random.Intn(2) * 600))
						p.Play()
						for range random.Intn(20) {
							p.Slice(2 * time.Millisecond)
						}
						p.Pause()
					}
					if n, held := play.Snapshots(p); held > bytes && n > 2 {
						t.Fatalf("%d snapshots hold %d bytes", n, held)
					}
				}
				all, _ := p.Branches()
				for _, b := range all {
					p.Switch(b.Number)
					p.Seek(end)
					idle()
					want := straight(t, p.Scenario(b), c.files, end)
					if got := p.Run().Digest().String(); got != want || p.Run().Now() != end {
						t.Errorf("course %d, of %d, from %v on with %+v, ends at %v with %v, want %v, faults %v", b.Number, b.Parent, b.At, b.Act, p.Run().Now(), got, want, b.Faults)
					}
				}
				if n, _ := play.Snapshots(p); len(all) < 3 || forked < 3 || n < 2 {
					t.Errorf("%d courses, %d changes of course, %d snapshots: nothing is tested", len(all), forked, n)
				}
			})
		}
	}
}

// A seek replays no more than lies between two snapshots, and the courses tell where
// they began and how far they were played.
func TestForkTells(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"until":"2h"}`))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{tick: 10 * time.Microsecond}
	p := play.New(h.now, run.Systems(), files.Reader{}, func(play.Event) {})
	h.player = p
	p.Open(play.Opening{Scenario: s, At: 2 * unit.Hour})
	idle := func() {
		for p.Slice(5*time.Millisecond) != play.Idle {
		}
	}
	idle()
	p.Seek(90*unit.Minute + 1)
	if at := p.Run().Now(); at < 85*unit.Minute {
		t.Errorf("a seek to 90 minutes goes on from %v", at)
	}
	idle()
	p.Inject(scenario.Fault{Kind: "rack_down", Target: "rack.1"})
	p.Seek(100 * unit.Minute)
	idle()
	all, current := p.Branches()
	if len(all) != 2 || current != 1 || all[1].Parent != 0 || all[1].At != 90*unit.Minute+1 || all[1].Act.Kind != "rack_down" || all[1].Head != 100*unit.Minute || all[0].Head != 2*unit.Hour {
		t.Errorf("the courses are %+v, %d is played", all, current)
	}
	if len(all[0].Faults) != 0 || len(all[1].Faults) != 1 || len(p.Scenario(all[0]).Faults) != 0 {
		t.Errorf("the faults are %+v", all)
	}
	p.Switch(0)
	idle()
	if _, current := p.Branches(); current != 0 || p.Run().Now() != 100*unit.Minute || len(p.Run().Scenario().Faults) != 0 {
		t.Errorf("back in course %d at %v with %+v", current, p.Run().Now(), p.Run().Scenario().Faults)
	}
	p.Seek(3 * unit.Hour)
	idle()
	p.Inject(scenario.Fault{Kind: "rack_down", Target: "rack.1"})
	if all, _ := p.Branches(); len(all) != 2 || len(all[0].Faults) != 1 {
		t.Errorf("an act at the head makes %+v", all)
	}
}

// A scenario that is opened as a fork has its parent beside it, with the acts before the
// one that began it: both are two straight runs. A number that no act has names no fork.
func TestOpensAFork(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"until":"30m","faults":[{"at":"3m","kind":"node_down","target":"node.2"},{"at":"20m","kind":"node_up","target":"node.2"},{"at":"6m","kind":"rack_down","target":"rack.1"},{"at":"8m","kind":"cluster_grow","target":"cluster","value":4}]}`))
	if err != nil {
		t.Fatal(err)
	}
	courses := 0
	h := &house{tick: 10 * time.Microsecond}
	p := play.New(h.now, run.Systems(), files.Reader{}, func(e play.Event) {
		if e.Kind == play.Branched {
			courses++
		}
	})
	h.player = p
	idle := func() {
		for p.Slice(5*time.Millisecond) != play.Idle {
		}
	}
	for _, fork := range []int{-1, 0, 5} {
		p.Open(play.Opening{Scenario: s, Fork: fork})
		idle()
		if all, current := p.Branches(); len(all) != 1 || current != 0 || courses != 0 || len(all[0].Faults) != 4 {
			t.Errorf("fork %d: %d is played of %+v", fork, current, all)
		}
	}
	p.Open(play.Opening{Scenario: s, Fork: 3, At: 10 * unit.Minute})
	idle()
	all, current := p.Branches()
	if len(all) != 2 || current != 1 || courses != 1 || all[0].Parent != -1 || all[0].Head != 6*unit.Minute || all[1].Parent != 0 || all[1].At != 6*unit.Minute || all[1].Act.Kind != "rack_down" || all[1].Shared != 2 || all[1].Head != 10*unit.Minute {
		t.Fatalf("%d is played of %+v, told %d times", current, all, courses)
	}
	parent := p.Scenario(all[0])
	if len(parent.Faults) != 2 || parent.Faults[1].Kind != "node_up" {
		t.Errorf("the parent has %+v", parent.Faults)
	}
	for course, is := range []*scenario.Scenario{parent, s, parent} {
		p.Switch(course % 2)
		p.Seek(30 * unit.Minute)
		idle()
		if got, want := p.Run().Digest().String(), straight(t, is, nil, unit.Forever); got != want {
			t.Errorf("course %d ends with %s, a straight run with %s", course%2, got, want)
		}
	}
	p.Open(play.Opening{Scenario: s}) // the next scenario is not a fork
	idle()
	if all, current := p.Branches(); len(all) != 1 || current != 0 {
		t.Errorf("%d is played of %+v", current, all)
	}
}

// However little room there is, no part of the past is far from a snapshot, and a seek
// that somebody waited for leaves one where it ends.
func TestKeepsEvenly(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"until":"6h"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{1 << 30, 2_000_000} {
		h := &house{tick: 2 * time.Millisecond}
		p := play.New(h.now, run.Systems(), files.Reader{}, func(play.Event) {})
		p.Keep(room)
		h.player = p
		p.Open(play.Opening{Scenario: s, At: 6 * unit.Hour})
		idle := func() {
			for p.Slice(5*time.Millisecond) != play.Idle {
			}
			h.clock += time.Second
			p.Settle()
		}
		idle()
		n, held := play.Snapshots(p)
		if n < 8 || held > room {
			t.Errorf("%d snapshots hold %d bytes of %d", n, held, room)
		}
		gaps := play.Gaps(p)
		if limit := slices.Max(gaps); limit > 4*p.Run().Until()/unit.Time(n) {
			t.Errorf("with room for %d of 6 hours the gaps are %v", n, gaps)
		}
		if room == 1<<30 {
			continue
		}
		h.tick = 10 * time.Microsecond
		at := 2*unit.Minute + 7
		p.Open(play.Opening{Scenario: s, At: 1}) // so fast that there is hardly one
		idle()
		for _, to := range []unit.Time{2, 6 * unit.Hour, at} {
			p.Seek(to)
			idle()
		}
		if !slices.Contains(play.Times(p), at) {
			t.Errorf("a seek to %v leaves no snapshot: there are %v", at, play.Times(p))
		}
	}
}

// Devices with little memory keep little, and nobody knows more than 8 GB.
func TestRoom(t *testing.T) {
	for gigabytes, want := range map[float64]int{0: 256 << 20, 0.25: 64 << 20, 1: 64 << 20, 2: 128 << 20, 4: 256 << 20, 8: 512 << 20, 32: 512 << 20, -1: 256 << 20} {
		if got := play.Room(gigabytes); got != want {
			t.Errorf("with %v GB the room is %d bytes, want %d", gigabytes, got, want)
		}
	}
}
