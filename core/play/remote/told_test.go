package remote_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/trace"
	"parley/core/unit"
)

// page is a host whose clock goes on by half a millisecond a look, or by what is said,
// unless it stands still, and that notes when it was told what and what was reserved.
type page struct {
	tab
	still    bool
	look, at time.Duration
	times    []time.Duration
	pixel    func(message.Frame)
	posted   func(message.Message)
	reserved []int
}

func (p *page) Clock() time.Duration {
	if !p.still {
		p.at += cmp.Or(p.look, time.Millisecond/2)
	}
	return p.at
}

func (p *page) Reserve(bytes int) { p.reserved = append(p.reserved, bytes) }

func (p *page) Post(m message.Message) {
	if p.posted != nil {
		p.posted(m)
	}
	p.told, p.times = append(p.told, m), append(p.times, p.at)
	if f, is := m.(message.Frame); is && p.pixel != nil {
		p.pixel(f)
	}
}

// heard returns the messages of a kind and when they came.
func heard[M message.Message](p *page) (all []M, at []time.Duration) {
	for i, m := range p.told {
		if one, is := m.(M); is {
			all, at = append(all, one), append(at, p.times[i])
		}
	}
	return all, at
}

// opened opens a scenario and lets it stand at its beginning.
func opened(t *testing.T, document string, systems run.Registry) (*page, *remote.Remote) {
	t.Helper()
	host := &page{}
	r := remote.New(host, systems, nil)
	r.Receive(message.Open{Scenario: json.RawMessage(document)})
	for i := 0; r.Slice() == play.Busy && i < 10_000; i++ {
	}
	if all, _ := heard[message.Opened](host); len(all) != 1 {
		t.Fatalf("it is told %+v", host.told[1:])
	}
	return host, r
}

// forget drops what was told before.
func (p *page) forget() { p.told, p.times = nil, nil }

const calm = `{"v":1,"system":"central","until":"6h","workload":{"preset":"google2011"},"cluster":{"nodes":60}}`

// TestSeeksAreToldSeldom: who waits for a seek is told of it every 250 ms, for the first
// time after 250 ms, and of where it stops at once.
func TestSeeksAreToldSeldom(t *testing.T) {
	host, r := opened(t, calm, run.First())
	seek := func(at unit.Time, slices int) {
		r.Receive(message.Seek{At: at})
		for range slices {
			r.Slice()
			r.Receive(message.Frame{})
			host.at += 10 * time.Millisecond
		}
	}
	seek(6*unit.Hour, 100)
	host.look = 10 * time.Millisecond // a seek takes longer than it does
	host.forget()
	begin := host.at
	seek(5*unit.Hour, 12) // nearly a second
	r.Receive(message.Cancel{})
	for subject, at := range map[string][]time.Duration{"frames": second(heard[message.Frame](host)), "figures": second(heard[message.NewStatus](host))} {
		if len(at) != 4 || host.at-at[3] > 20*time.Millisecond {
			t.Fatalf("%d %s came in %v", len(at), subject, host.at-begin)
		}
		for i, before := range append([]time.Duration{begin}, at[:2]...) {
			if gap := at[i] - before; gap < 249*time.Millisecond || gap > 320*time.Millisecond { // a slice later at most
				t.Errorf("in a seek %s come %v apart", subject, gap)
			}
		}
	}
}

// TestHowOften: while a run plays, frames come at most every 40 ms and no more than two
// before one is thanked for, figures every 250 ms, and every sample is told once.
func TestHowOften(t *testing.T) {
	host, r := opened(t, calm, run.First())
	host.forget()
	r.Receive(message.Play{})
	r.Receive(message.Speed{Speed: 3600})
	acknowledge := false
	host.pixel = func(message.Frame) {
		if acknowledge {
			r.Receive(message.Frame{})
		}
	}
	for range 60 {
		r.Slice()
		host.at += 5 * time.Millisecond
	}
	if frames, _ := heard[message.Frame](host); len(frames) != 1 { // beside that of the beginning
		t.Errorf("%d frames are under way beside the first", len(frames))
	}
	r.Receive(message.Frame{})
	r.Receive(message.Frame{})
	r.Receive(message.Frame{}) // one too many does not let three fly
	host.forget()
	for range 60 {
		r.Slice()
		host.at += 5 * time.Millisecond
	}
	if frames, _ := heard[message.Frame](host); len(frames) != 2 {
		t.Errorf("%d frames are under way after two were thanked for", len(frames))
	}
	acknowledge = true
	r.Receive(message.Frame{})
	r.Receive(message.Frame{})
	host.forget()
	begin := host.at
	for range 400 {
		r.Slice()
		host.at += time.Millisecond
	}
	if layouts, _ := heard[message.NewLayout](host); len(layouts) > 0 {
		t.Errorf("%d layouts while no node came", len(layouts))
	}
	for subject, c := range map[string]struct {
		at    []time.Duration
		every time.Duration
	}{
		"frames":  {second(heard[message.Frame](host)), 40 * time.Millisecond},
		"figures": {second(heard[message.NewStatus](host)), 250 * time.Millisecond},
	} {
		for i := 1; i < len(c.at); i++ {
			if gap := c.at[i] - c.at[i-1]; gap < c.every-time.Millisecond {
				t.Errorf("%s come %v apart", subject, gap)
			}
		}
		if limit := float64(host.at-begin) / float64(c.every); float64(len(c.at)) < 0.5*limit {
			t.Errorf("%d %s in %v", len(c.at), subject, host.at-begin)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// TestSamples: what is told of samples, put together, is the run's own table: every moment
// once, in order, all columns as long.
func TestSamples(t *testing.T) {
	host, r := opened(t, calm, run.First())
	r.Receive(message.Play{})
	r.Receive(message.Speed{Speed: 3600})
	for i := 0; i < 20_000; i++ {
		if ended, _ := heard[remote.Ended](host); len(ended) > 0 {
			break
		}
		r.Slice()
		host.at += 3 * time.Millisecond
		r.Receive(message.Frame{})
	}
	var at []unit.Time
	latest := map[string]float64{}
	parts, _ := heard[message.Columns](host)
	for i, c := range parts {
		if c.Reset != (len(at) == 0) || i > 0 && len(c.At) == 0 {
			t.Errorf("part %d of %d: %d samples, from the first on: %v", i, len(parts), len(c.At), c.Reset)
		}
		at = append(at, c.At...)
		for _, column := range c.Columns {
			if len(column.Values) != len(c.At) {
				t.Fatalf("%d values of %s at %d moments", len(column.Values), column.ID, len(c.At))
			}
			if len(column.Values) > 0 {
				latest[column.ID] = column.Values[len(column.Values)-1]
			}
		}
	}
	statuses, _ := heard[message.NewStatus](host)
	last := statuses[len(statuses)-1].Status
	ended, _ := heard[remote.Ended](host)
	if len(parts) < 10 {
		t.Errorf("samples came in %d parts", len(parts))
	}
	if len(ended) != 1 || !last.Ended || last.Digest != ended[0].Digest || last.At != 6*unit.Hour || last.Until != 6*unit.Hour || last.Counts["nodes"] != 60 || last.Counts["down"] != 0 {
		t.Fatalf("%d ends, at last %+v", len(ended), last)
	}
	if len(at) < 30 || !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != len(at) || at[len(at)-1] > 6*unit.Hour {
		t.Errorf("samples at %v", at)
	}
	for i, x := range at {
		if x != at[0]*unit.Time(i+1) {
			t.Fatalf("sample %d is of %v, the first of %v", i, x, at[0])
		}
	}
	for count, column := range map[string]string{"idle": "idle_pct", "overloaded": "overloaded_pct"} {
		if share, told := latest[column]; !told || last.Counts[count] != math.Round(share*60/100) {
			t.Errorf("%v nodes are %s, %v %% of 60", last.Counts[count], count, share)
		}
	}
	if last.Counts["running"] == 0 || at[len(at)-1] != 6*unit.Hour {
		t.Errorf("%+v, the last sample at %v", last.Counts, at[len(at)-1])
	}
}

// TestBreak: a node that is broken is told: in the figures, in the scenario, among what was
// broken, and of itself where it is looked at.
func TestBreak(t *testing.T) {
	host, r := opened(t, calm, run.First())
	r.Receive(message.Inspect{Node: 7})
	if nodes, _ := heard[remote.Node](host); len(nodes) != 1 {
		t.Fatalf("%d reports of a node", len(nodes))
	}
	host.forget()
	r.Receive(message.Fault{Fault: "node_down", Target: "node.7"})
	r.Receive(message.Step{})
	for range 50 {
		r.Slice()
		host.at += 10 * time.Millisecond
	}
	statuses, _ := heard[message.NewStatus](host)
	scenarios, _ := heard[message.NewScenario](host)
	incidents, _ := heard[remote.Incidents](host)
	if len(statuses) == 0 || statuses[len(statuses)-1].Status.Counts["down"] != 1 {
		t.Errorf("figures %+v", statuses)
	}
	if len(scenarios) == 0 || !strings.Contains(string(scenarios[0].Scenario), "node_down") || len(incidents) == 0 || len(incidents[len(incidents)-1].Incidents) != 1 {
		t.Errorf("scenarios %+v, incidents %+v", scenarios, incidents)
	}
	host.forget()
	r.Receive(message.Inspect{Node: 60})
	if trouble, _ := heard[message.NewTrouble](host); len(trouble) != 1 || trouble[0].Trouble.Class != "setting" {
		t.Errorf("node 60 of 60: %+v", host.told)
	}
	host.forget()
	r.Receive(message.Explain{Task: "seven"})
	r.Receive(message.Explain{Task: fmt.Sprint(uint64(unit.NoTask))})
	trouble, _ := heard[message.NewTrouble](host)
	answers, _ := heard[remote.Decision](host)
	if len(trouble) != 1 || !strings.Contains(trouble[0].Trouble.Sentence, `which "seven" is not`) || len(answers) == 0 {
		t.Errorf("%+v", host.told)
	}
}

// TestPictures: pictures have the size that is asked for, up to that of a large screen,
// and come at most every 80 ms; none is drawn if none can be.
func TestPictures(t *testing.T) {
	host, r := opened(t, calm, run.First())
	draw := func(width, height int) int {
		host.forget()
		r.Receive(message.Draw{Width: width, Height: height, Scale: 1, Look: message.Look{Palette: "dusk"}, Camera: message.Camera{Zoom: 8}, Cell: -1, Selected: -1})
		pictures, _ := heard[message.Picture](host)
		for _, p := range pictures {
			if p.Width != width || p.Height != height {
				t.Errorf("a picture of %d by %d, asked was %d by %d", p.Width, p.Height, width, height)
			}
		}
		return len(pictures)
	}
	for _, c := range []struct{ width, height, pictures int }{{80, 60, 1}, {1, 1, 1}, {0, 60, 0}, {80, 0, 0}, {-1, -1, 0}, {7680 * 4320, 2, 0}, {7681 * 4320, 1, 0}, {80, 60, 1}} {
		if got := draw(c.width, c.height); got != c.pictures {
			t.Errorf("%d by %d: %d pictures", c.width, c.height, got)
		}
	}
	host.forget()
	r.Receive(message.Draw{Width: 9, Height: 9, Scale: 1, Look: message.Look{Palette: "pink"}})
	if trouble, _ := heard[message.NewTrouble](host); len(trouble) != 1 {
		t.Errorf("a palette that there is none of: %+v", host.told)
	}
	r.Receive(message.Play{})
	r.Receive(message.Speed{Speed: 3600})
	host.forget()
	begin := host.at
	for range 300 {
		r.Slice()
		host.at += time.Millisecond
		r.Receive(message.Frame{})
	}
	pictures, at := heard[message.Picture](host)
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < 79*time.Millisecond {
			t.Errorf("pictures come %v apart", at[i]-at[i-1])
		}
	}
	if len(pictures) < int((host.at-begin)/(200*time.Millisecond)) {
		t.Errorf("%d pictures in %v", len(pictures), host.at-begin)
	}
	host.forget()
	r.Receive(message.Room{Room: message.Extent{Width: 300, Height: 100, MaxCell: 20}})
	layouts, _ := heard[message.NewLayout](host)
	if pictures, _ := heard[message.Picture](host); len(layouts) != 1 || len(pictures) != 1 || layouts[0].Layout.Columns <= layouts[0].Layout.Rows {
		t.Errorf("another room: %d pictures, %+v", len(pictures), layouts)
	}
}

// TestLookOf: a ramp's ends are bytes.
func TestLookOf(t *testing.T) {
	for given, want := range map[int]byte{-5: 0, 0: 0, 7: 7, 255: 255, 256: 255, 9999: 255} {
		if l := remote.LookOf(message.Look{Low: given, High: given}, raster.Palette{}); l.Low != want || l.High != want {
			t.Errorf("%d: %+v", given, l)
		}
	}
}

// TestFramesAreWhole: each frame can be read, and has a cell for each node.
func TestFramesAreWhole(t *testing.T) {
	host, r := opened(t, calm, run.First())
	n := 0
	host.pixel = func(m message.Frame) {
		var f frame.Frame
		if err := frame.Decode(m.Buffer.Bytes, &f); err != nil || len(f.Layers) == 0 || len(f.Layers[0]) != 60 {
			t.Errorf("%v: %d layers", err, len(f.Layers))
		}
		n++
		r.Receive(message.Frame{})
	}
	r.Receive(message.Play{})
	r.Receive(message.Speed{Speed: 3600})
	for range 60 {
		r.Slice()
		host.at += 20 * time.Millisecond
	}
	if n < 5 {
		t.Errorf("%d frames", n)
	}
}

// chain is a scenario of one graph of 40 subtasks, one after the other.
func chain() string {
	tasks, arcs := []string{}, []string{}
	for i := range 40 {
		tasks = append(tasks, fmt.Sprintf(`{"name":"t%d","work":3}`, i))
		if i > 0 {
			arcs = append(arcs, fmt.Sprintf(`{"from":"t%d","to":"t%d"}`, i-1, i))
		}
	}
	return `{"v":1,"system":"board","until":"10m","workload":{"graphs":{"machines":[{"count":2,"speed":1,"bandwidth":0}],
 "list":[{"tasks":[` + strings.Join(tasks, ",") + `],"arcs":[` + strings.Join(arcs, ",") + `]}]}}}`
}

// TestGraphPictureOfAStand: where the run stands the picture of the graph is that of this
// moment, although another one was told a moment before.
func TestGraphPictureOfAStand(t *testing.T) {
	host, r := opened(t, chain(), run.Systems())
	r.Receive(message.Seek{At: unit.Second})
	for range 60 {
		r.Slice()
	}
	r.Receive(message.Graph{Number: 1})
	host.forget()
	host.look = time.Microsecond // less than a second passes
	r.Receive(message.Seek{At: 100 * unit.Second})
	for range 60 {
		r.Slice()
	}
	told, _ := heard[message.GraphPicture](host)
	r.Receive(message.Graph{Number: 1})
	now, _ := heard[message.GraphPicture](host)
	if len(told) == 0 || !slices.Equal(told[len(told)-1].Agents.Bytes, now[len(now)-1].Agents.Bytes) {
		t.Errorf("%d pictures are told, and the last one is not of where the run stands", len(told))
	}
}

// TestGraphPictures: of the graph that is looked at the shape is told once, then who has
// what at most once a second and only if it changed, then that it is over.
func TestGraphPictures(t *testing.T) {
	host, r := opened(t, chain(), run.Systems())
	r.Receive(message.Seek{At: unit.Second})
	for range 60 {
		r.Slice()
	}
	host.forget()
	r.Receive(message.Graph{Number: 1})
	r.Receive(message.Play{})
	r.Receive(message.Speed{Speed: 20})
	for range 3000 {
		r.Slice()
		host.at += 10 * time.Millisecond
		r.Receive(message.Frame{})
	}
	before := *host
	pictures, at := heard[message.GraphPicture](host)
	if len(pictures) < 3 || !pictures[0].Shape || pictures[0].Over || !pictures[len(pictures)-1].Over {
		t.Fatalf("%+v", pictures)
	}
	for i, p := range pictures[1:] {
		if p.Shape || p.Number != 1 || p.Over != (i == len(pictures)-2) {
			t.Errorf("picture %d: %+v", i+1, p)
		}
		if gap := at[i+1] - at[i]; i > 0 && gap < time.Second-time.Millisecond {
			t.Errorf("pictures come %v apart", gap)
		}
	}
	if len(pictures) < 5 {
		t.Errorf("%d pictures of what changes seven times a second", len(pictures))
	}
	courses, _ := heard[message.Course](host)
	numbers := 0
	for i, c := range courses {
		if c.Reset && i > 0 || len(c.Kinds) != int(cluster.SubtaskWithdrawn)+1 || c.Kinds[cluster.ChunkLost] != cluster.ChunkLost.String() || len(c.Marks.Bytes)%40 != 0 || len(c.Marks.Bytes) == 0 {
			t.Errorf("course %d: %+v", i, c)
		}
		numbers += len(c.Marks.Bytes) / 8
	}
	if numbers < 5*4*40 {
		t.Errorf("%d numbers of what happened to 40 subtasks", numbers)
	}
	lines, _ := heard[remote.Lines](host)
	for _, l := range lines {
		if len(l.Lines) == 0 {
			t.Error("no lines are told")
		}
	}
	if len(lines) == 0 {
		t.Error("nothing is told of what agents did")
	}
	host.forget()
	r.Receive(message.ReadStory{Ref: 1})
	if stories, _ := heard[remote.Story](host); len(stories) != 1 || len(stories[0].Story.Lines) == 0 {
		t.Errorf("the story of graph 1: %+v", stories)
	}
	none := &page{}
	remote.New(none, run.First(), nil).Receive(message.ReadStory{Ref: 1})
	if len(none.told) != 1 {
		t.Errorf("without a run it tells %+v", none.told[1:])
	}
	lists, _ := heard[remote.Graphs](&before)
	if len(lists) < 2 || len(lists[len(lists)-1].Graphs) != 0 {
		t.Errorf("lists %+v", lists)
	}
	host.forget()
	r.Receive(message.Graph{Number: 77})
	if pictures, _ := heard[message.GraphPicture](host); len(pictures) != 1 || !pictures[0].Over || pictures[0].Shape {
		t.Errorf("a graph that there is none of: %+v", pictures)
	}
}

// TestTroubleOf: what is wrong with a file is told with its place, and its value where it
// stands in a column.
func TestTroubleOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want message.Trouble
	}{
		{errors.New("no"), message.Trouble{Class: "engine", Sentence: "no"}},
		{&trace.Error{Kind: trace.BadLine, File: "f", Line: 3, Column: "c", Value: "v", Reason: "is wrong"}, message.Trouble{Class: "bad-line", File: "f", Line: 3, Column: "c", Value: "v"}},
		{&trace.Error{Kind: trace.BadLine, File: "f", Line: 3, Value: "a row", Reason: "is wrong"}, message.Trouble{Class: "bad-line", File: "f", Line: 3}},
	} {
		c.want.Sentence = c.err.Error()
		if got := remote.TroubleOf("engine", fmt.Errorf("%w", c.err)); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}
