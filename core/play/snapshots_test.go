package play_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/play"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// empty is a cell without tasks: a snapshot of it costs hardly anything.
const empty = `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"400h"}`

// seek goes to a time at once, and stays there for a second.
func (d *desk) seek(at unit.Time) {
	for d.Seek(at); d.Slice(time.Hour) != play.Idle; {
	}
	d.clock += time.Second
	d.Settle()
}

// minutes seeks to times and leaves a snapshot at each, as it costs nothing.
func (d *desk) minutes(at ...int) {
	for _, m := range at {
		d.seek(unit.Time(m) * unit.Minute)
	}
}

// kept lists the minutes of the snapshots there are.
func (d *desk) kept() string {
	text := ""
	for _, at := range play.Times(d.Player) {
		text += fmt.Sprintf(" %g", float64(at/unit.Millisecond)/60_000)
	}
	return text
}

// Two snapshots are a minute apart, no less.
func TestSnapshotsAreAMinuteApart(t *testing.T) {
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	for _, at := range []unit.Time{30 * unit.Second, 90*unit.Second - 1, 90 * unit.Second, 149 * unit.Second, 3 * unit.Minute} {
		d.seek(at)
	}
	if got := d.kept(); got != " 0.5 1.5 3" {
		t.Errorf("there are snapshots at minutes%s", got)
	}
}

// A large cell has none in its first two minutes, and the first one only after as long
// as 40 µs a node: 5,000 nodes are 200 ms. A seek of one chunk takes two looks at the
// clock, and where somebody waited it is due after once its cost.
func TestLargeCellsSettleFirst(t *testing.T) {
	for _, c := range []struct {
		nodes int
		look  time.Duration
		want  string
	}{
		{4999, 99 * time.Millisecond, " 1.5 2.5"},
		{5000, 100 * time.Millisecond, " 2.5"},
		{5000, 99 * time.Millisecond, ""},
		{5001, 100 * time.Millisecond, ""},
	} {
		d := sit(t, nil)
		d.open(t, fmt.Sprintf(`{"v":1,"system":"central","cluster":{"nodes":%d},"workload":{"preset":"none"},"until":"1h"}`, c.nodes), play.Opening{})
		d.seek(90 * unit.Second)
		d.tick = c.look
		d.seek(2 * unit.Minute)
		d.tick = 0
		d.seek(150*unit.Second - unit.Millisecond)
		d.tick = c.look
		d.seek(150 * unit.Second)
		if got := d.kept(); got != c.want {
			t.Errorf("%d nodes, whose second seek takes %v, have snapshots at minutes%s, want%s", c.nodes, 2*c.look, got, c.want)
		}
	}
}

// Who goes back to before all snapshots waits until the run has begun again. The others
// stay, its start becomes one, and nobody has to wait for it a second time.
func TestTheStartIsKept(t *testing.T) {
	d := sit(t, nil)
	made := 0
	d.open(t, small, play.Opening{At: 20 * unit.Minute, Make: func(s *scenario.Scenario) (*run.Run, error) {
		made++
		return run.Open(s, nil)
	}})
	for d.Slice(time.Hour) != play.Idle {
	}
	digest := d.Run().Digest()
	_, one := play.Snapshots(d.Player)
	for _, c := range []struct {
		to, made int
		want     string
	}{{5, 2, " 0 5 20"}, {2, 2, " 0 2 5 20"}, {20, 2, " 0 2 5 20"}} {
		d.minutes(c.to)
		if got := d.kept(); got != c.want {
			t.Errorf("at minute %d there are snapshots at minutes%s, want%s", c.to, got, c.want)
		}
		if made != c.made {
			t.Errorf("on the way to minute %d the run was made %d times, want %d", c.to, made, c.made)
		}
	}
	if n, all := play.Snapshots(d.Player); all < one+one/2 { // two of them stand on none
		t.Errorf("%d snapshots are said to hold %d bytes, the first alone %d", n, all, one)
	}
	if d.Run().Digest() != digest {
		t.Errorf("after the way back the digest is %v, not %v", d.Run().Digest(), digest)
	}
}

// A run in which nobody goes back has no snapshots. Who does all the same waits.
func TestOnce(t *testing.T) {
	d := sit(t, nil)
	d.open(t, small, play.Opening{Once: true})
	d.minutes(20)
	digest := d.Run().Digest()
	d.minutes(60, 5, 20)
	if n, held := play.Snapshots(d.Player); n > 0 || held > 0 {
		t.Errorf("%d snapshots hold %d bytes", n, held)
	}
	if d.Run().Now() != 20*unit.Minute || d.Run().Digest() != digest {
		t.Errorf("back at %v the digest is %v, not %v", d.Run().Now(), d.Run().Digest(), digest)
	}
}

// Who leaves for a moment that is ten minutes off or more, if there is no snapshot
// yet, has one to come back to; but none of the minutes in which a large cell settles.
func TestWhoLeavesComesBack(t *testing.T) {
	for _, c := range []struct {
		from, to unit.Time
		want     string
	}{
		{3 * unit.Minute, 13 * unit.Minute, " 3 13"},
		{3 * unit.Minute, 13*unit.Minute - 1, ""},
		{2 * unit.Minute, 13 * unit.Minute, ""},
	} {
		d := sit(t, nil)
		d.open(t, `{"v":1,"system":"central","cluster":{"nodes":5000},"workload":{"preset":"none"},"until":"1h"}`, play.Opening{})
		d.seek(c.from)
		if d.seek(c.to); d.kept() != c.want {
			t.Errorf("who left %v for %v has snapshots at minutes%s, want%s", c.from, c.to, d.kept(), c.want)
		}
	}
}

// Where a seek ends a snapshot is taken once the viewer has stayed there for half a
// second: who drags the timeline does not wait for any.
func TestSettles(t *testing.T) {
	var d *desk
	arrive := func(minute int) { // by two looks at the clock, 200 ms: as long as the first snapshot of 5,000 nodes is thought to take
		at := unit.Time(minute) * unit.Minute
		for d.Seek(at - unit.Millisecond); d.Slice(time.Hour) != play.Idle; {
		}
		d.tick = 100 * time.Millisecond
		for d.Seek(at); d.Slice(time.Hour) != play.Idle; {
		}
		d.tick = 0
	}
	settle := func(after, want time.Duration, kept string) {
		t.Helper()
		d.clock += after
		if wait := d.Settle(); wait != want || d.kept() != kept {
			t.Errorf("%v later it is to be called again after %v, want %v, and there are snapshots at minutes%s, want%s", after, wait, want, d.kept(), kept)
		}
	}
	for name, visit := range map[string]func(){
		"stays": func() {
			settle(time.Second, 0, "") // nobody went anywhere
			arrive(3)
			settle(499*time.Millisecond, time.Millisecond, "")
			settle(time.Millisecond, 0, " 3")
			settle(time.Second, 0, " 3")
		},
		"goes on": func() {
			arrive(1) // if nothing is kept
			settle(499*time.Millisecond, time.Millisecond, "")
			arrive(3)
			settle(0, 500*time.Millisecond, "")
			settle(500*time.Millisecond, 0, " 3")
		},
		"plays": func() {
			arrive(3)
			d.Play()
			settle(time.Second, 0, "")
			d.Pause()
			settle(0, 0, " 3")
		},
		"is on the way": func() {
			arrive(3)
			d.Seek(9 * unit.Minute)
			settle(time.Second, 0, "")
		},
		"begins again": func() {
			arrive(3)
			d.Seek(2 * unit.Minute)
			settle(time.Second, 0, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d = sit(t, nil)
			d.open(t, `{"v":1,"system":"central","cluster":{"nodes":5000},"workload":{"preset":"none"},"until":"1h"}`, play.Opening{})
			visit()
		})
	}
}

// What is played for the first time has a snapshot when it took twice as long as the
// one before took, what is played again when it took twelve times as long: here a snapshot
// takes one look at the clock and a slice two.
func TestSnapshotsAreDue(t *testing.T) {
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	apart := func() (list []int) {
		d.Play()
		d.tick = chunkGrows
		for range 13 { // a second, two, four … an hour
			d.Slice(1)
		}
		d.tick = chunkStays
		n, _ := play.Snapshots(d.Player)
		for since := 1; len(list) < 4; since++ {
			d.Slice(1)
			if now, _ := play.Snapshots(d.Player); now > n {
				list, n, since = append(list, since), now, 0
			}
		}
		d.Pause()
		d.tick = 0
		return list[1:] // the first began while chunks grew
	}
	if got := apart(); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("played for the first time, snapshots are so many slices apart: %v", got)
	}
	d.Play()
	d.tick = chunkStays / 2 // slices take half as long as the ones in which the latest was taken
	n, _ := play.Snapshots(d.Player)
	for slice := 1; slice <= 2; slice++ {
		d.Slice(1)
		if now, _ := play.Snapshots(d.Player); now-n != slice/2 {
			t.Errorf("after %d slices that take half as long there are %d more", slice, now-n)
		}
	}
	d.Pause()
	d.tick = 0
	d.seek(d.Run().Until())
	d.seek(1) // nothing is before it: by the start, where the snapshots end
	if got := apart(); !slices.Equal(got, []int{6, 6, 6}) {
		t.Errorf("played again, snapshots are so many slices apart: %v", got)
	}
}

// With these looks a chunk is twice as long the next time, or as long.
const (
	chunkGrows = 500 * time.Microsecond
	chunkStays = 2 * time.Millisecond
)

// A run that came to its end leaves a snapshot there, one that broke does not.
func TestEndIsKept(t *testing.T) {
	d := sit(t, nil)
	d.open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"2h"}`, play.Opening{})
	d.minutes(60, 120)
	if got := d.kept(); got != " 0 60 120" || !d.Run().Done() {
		t.Errorf("at the end there are snapshots at minutes%s", got)
	}
	d = sit(t, &tape{tasks: 600, tears: []int{500}})
	d.open(t, taped, play.Opening{Files: tapes})
	d.minutes(5, 10)
	if got := d.kept(); got != " 5" || !slices.Contains(d.kinds(), play.Broke) {
		t.Errorf("after a tear at 500 s there are snapshots at minutes%s, and was heard %v", got, d.kinds())
	}
}

// There may be as many as fill the room, and two if there is none. Copies of the same
// run may differ by some bytes, as what they hold lies in memory.
func TestRoomIsFilled(t *testing.T) {
	fill := func(room int) (kept string, held int) {
		d := sit(t, nil)
		d.open(t, empty, play.Opening{})
		d.Keep(room)
		d.minutes(1, 2, 3)
		_, held = play.Snapshots(d.Player)
		return d.kept(), held
	}
	const some = 400
	_, held := fill(1 << 30)
	for room, want := range map[int]string{held + some: " 1 2 3", held - some: " 1 3", 0: " 1 3"} {
		if got, _ := fill(room); got != want {
			t.Errorf("with room for %d bytes of %d there are snapshots at minutes%s, want%s", room, held, got, want)
		}
	}
}

// One goes first on which no other stands, for only that frees memory: of six in a row
// the second, the fourth and the last. Of those it is the one whose neighbours are
// nearest to one another, the earlier of two alike. The first and the last stay. New
// ones are as far apart as those neighbours.
func TestThins(t *testing.T) {
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	d.minutes(1, 4, 5, 6, 8, 11)
	for _, want := range []string{
		" 1 4 5 8 11, every 3", // 5 to 8; the neighbours of 5 are nearer, but 6 stands on it
		" 1 5 8 11, every 4",   // 1 to 5, as 4 to 8
		" 1 8 11, every 7",     // 1 to 8; 11 stands on 8
		" 1 11, every 10",
	} {
		play.Thin(d.Player)
		if got := fmt.Sprintf("%s, every %d", d.kept(), play.Every(d.Player)/unit.Minute); got != want {
			t.Errorf("thinned to%s, want%s", got, want)
		}
	}
}

// The end of a course has no neighbour behind it, and says nothing of how far apart new
// ones are.
func TestThinsTheEndOfACourse(t *testing.T) {
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	d.minutes(1, 20)
	d.seek(90 * unit.Second)
	d.Inject(scenario.Fault{Kind: "node_down", Target: "node.1"})
	d.minutes(12) // of the second course
	if got := d.kept(); got != " 1 12 20" {
		t.Fatalf("there are snapshots at minutes%s", got)
	}
	play.Thin(d.Player)
	if got := fmt.Sprintf("%s, every %d", d.kept(), play.Every(d.Player)/unit.Minute); got != " 1 20, every 1" {
		t.Errorf("thinned to%s", got)
	}
}

// A seek goes to the latest snapshot up to its end: the very moment is there at once.
// Forward it does so only if that saves more than two snapshots are apart.
func TestSeekTakesASnapshot(t *testing.T) {
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	d.minutes(1, 2, 3, 10)
	for _, c := range []struct{ to, at unit.Time }{
		{3, 3},   // back, to a snapshot
		{1, 1},   // back to the first
		{2, 1},   // forward, by a minute: played
		{1, 1},   //
		{3, 3},   // forward, by two
		{8, 3},   // forward, if no other is before it
		{20, 10}, // by the last
	} {
		d.Seek(c.to * unit.Minute)
		if got := d.Run().Now(); got != c.at*unit.Minute {
			t.Errorf("a seek to minute %d goes on from %v, want minute %d", c.to, got, c.at)
		}
		for d.Slice(time.Hour) != play.Idle {
		}
	}
}

// A switch is to another course that there is; anything else is passed over. That
// the course changed is told once, whether a snapshot leads there or the start does.
func TestSwitch(t *testing.T) {
	for _, byStart := range []bool{false, true} {
		d := sit(t, nil)
		d.open(t, empty, play.Opening{})
		d.minutes(5, 10, 6)
		d.Inject(scenario.Fault{Kind: "node_down", Target: "node.1"})
		d.minutes(8)
		if byStart {
			play.WithoutPast(d.Player)
		}
		for _, c := range []struct {
			to, want int
			at       unit.Time
			told     int
		}{
			{-1, 1, 8, 0}, {2, 1, 8, 0}, {1, 1, 8, 0}, {0, 0, 8, 1}, {0, 0, 8, 0}, {1, 1, 8, 1},
		} {
			d.heard = nil
			d.Switch(c.to)
			if passed := c.told == 0; passed && d.Slice(time.Hour) != play.Idle || passed && len(d.heard) > 0 {
				t.Errorf("a switch from course %d to %d does %v", c.want, c.to, d.kinds())
			}
			for d.Slice(time.Hour) != play.Idle {
			}
			told := 0
			for _, kind := range d.kinds() {
				if kind == play.Branched {
					told++
				}
			}
			if _, now := d.Branches(); now != c.want || d.Run().Now() != c.at*unit.Minute || told != c.told {
				t.Errorf("by the start %v: a switch to %d leads to course %d at %v and tells it %d times, want course %d at minute %d and %d times", byStart, c.to, now, d.Run().Now(), told, c.want, c.at, c.told)
			}
		}
	}
	d := sit(t, nil)
	d.open(t, empty, play.Opening{})
	d.minutes(5, 10, 6)
	d.Inject(scenario.Fault{Kind: "node_down", Target: "node.1"})
	d.minutes(8)
	play.WithoutPast(d.Player)
	d.Switch(0)
	d.Switch(1) // before the other has come
	for d.Slice(time.Hour) != play.Idle {
	}
	if _, now := d.Branches(); now != 1 {
		t.Errorf("who turns back on the way to another course is in course %d", now)
	}
	d.heard = nil
	d.seek(7 * unit.Minute)
	if slices.Contains(d.kinds(), play.Branched) {
		t.Errorf("a seek by the start tells of another course: %v", d.kinds())
	}
}
