package remote_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/unit"
)

// moments are ten runs in which tasks move, nodes fail and messages are sent, each with a
// moment at which something of that is on the map.
var moments = []struct {
	document string
	at       unit.Time
}{
	{`"system":"negotiation","cluster":{"nodes":150,"physical":{"rack_size":10}},"workload":{"scale":1.12},"faults":[{"at":"60s","kind":"rack_down","target":"rack.2"}]`, 64 * unit.Second},
	{`"system":"negotiation","cluster":{"nodes":90},"workload":{"scale":1.3}`, 100 * unit.Second},
	{`"system":"central","cluster":{"nodes":120,"physical":{"rack_size":8}},"faults":[{"at":"60s","kind":"rack_down","target":"rack.1"}]`, 75 * unit.Second},
	{`"system":"central","cluster":{"nodes":200},"settings":{"policy":"best-fit"},"faults":[{"at":"59s","kind":"node_down","target":"node.7"},{"at":"61s","kind":"node_down","target":"node.8"}]`, 62 * unit.Second},
	{`"system":"yield","cluster":{"nodes":60},"faults":[{"at":"55s","kind":"node_down","target":"node.9"}]`, 70 * unit.Second},
	{`"system":"yield","cluster":{"nodes":40},"workload":{"scale":1.4}`, 120 * unit.Second},
	{`"system":"rounds","cluster":{"nodes":40},"workload":{"system":{"load":200000,"random":{"workers":20,"comp_latency":[0.1,0.1],"comm_latency":[0.1,0.1]}}},"faults":[{"at":"50s","kind":"node_down","target":"node.3"}]`, 60 * unit.Second},
	{`"system":"board","workload":{"graphs":{` + machines + `}},"faults":[{"at":"90s","kind":"node_down","target":"node.12"}]`, 95 * unit.Second},
	{`"system":"static","workload":{"graphs":{` + machines + `}},"faults":[{"at":"90s","kind":"rack_down","target":"rack.0"}]`, 95 * unit.Second},
	{`"system":"dispatcher","workload":{"graphs":{` + machines + `}},"faults":[{"at":"90s","kind":"node_down","target":"node.12"}]`, 95 * unit.Second},
}

const machines = `"machines":[{"count":60,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],"generate":{"shape":"mixed","vertices":[50,150],"width":10,"needs":3,"work":[10,100],"bytes":[1e5,1e6],"load":0.6},"deadline_factor":1.2`

var wanted = message.Draw{Width: 600, Height: 400, Scale: 1, Look: message.Look{Palette: "dusk", Low: 0, High: 200}, Camera: message.Camera{Zoom: 20}, Cell: unit.NoNode, Selected: unit.NoNode}

// viewer is the page of a run and its other renderer, which draws what frames tell.
type viewer struct {
	*page
	*remote.Remote
	t       *testing.T
	scene   raster.Scene
	motion  raster.Motion
	picture []byte // the latest of the run's own renderer
	frames  int
	left    int // the level of detail of its pictures
}

func (m *viewer) heard(one message.Message) {
	switch one := one.(type) {
	case message.Opened:
		m.scene.Layers, m.motion = one.Layers, raster.Motion{}
		m.lay(one.Layout)
	case message.NewLayout:
		m.lay(one.Layout)
	case message.Frame:
		m.frames++
		if err := frame.Decode(bytes.Clone(one.Buffer.Bytes), &m.scene.Frame); err != nil {
			m.t.Fatal(err)
		}
		m.motion.Follow(&m.scene, m.at)
	case message.LevelOfDetail:
		m.left = one.Left
	case message.Picture:
		m.picture = bytes.Clone(one.Buffer.Bytes)
	}
}

func (m *viewer) lay(l message.Layout) {
	m.scene.Layout = frame.Layout{Columns: l.Columns, Rows: l.Rows, X: l.X.Uint16s(), Y: l.Y.Uint16s(), Pitch: frame.Pitch(l.Pitch)}
	for _, b := range l.Blocks {
		m.scene.Layout.Blocks = append(m.scene.Layout.Blocks, frame.Block(b))
	}
}

// watch opens a run at a moment; draws says whether the run's own renderer draws from the start.
func watch(t *testing.T, document string, at unit.Time, draws bool) *viewer {
	t.Helper()
	palette, err := raster.PaletteNamed("dusk", false)
	if err != nil {
		t.Fatal(err)
	}
	m := &viewer{page: &page{still: true}, t: t}
	m.scene = raster.Scene{Look: remote.LookOf(wanted.Look, palette), Camera: raster.Camera(wanted.Camera), Cursor: unit.NoNode, Selected: unit.NoNode, Motion: &m.motion}
	m.posted = m.heard
	m.Remote = remote.New(m.page, run.Systems(), nil)
	if draws {
		m.Receive(wanted)
	}
	m.Receive(message.Open{Scenario: json.RawMessage(document), At: at, Room: &message.Extent{Width: 600, Height: 400, MaxCell: 40}})
	m.settle()
	return m
}

// turn lets a slice pass, and gives back the frames that came.
func (m *viewer) turn() play.Next {
	next := m.Slice()
	m.at += 40 * time.Millisecond
	for ; m.frames > 0; m.frames-- {
		m.Receive(message.Frame{})
	}
	return next
}

func (m *viewer) settle() {
	m.t.Helper()
	for i := 0; m.turn() == play.Busy; i++ {
		if i == 100_000 {
			m.t.Fatal("it does not come to rest")
		}
	}
}

// goTo seeks a moment.
func (m *viewer) goTo(at unit.Time) {
	m.Receive(message.Seek{At: at})
	m.settle()
}

// shown returns what both renderers show once nothing moves any more: nobody asks for another picture.
func (m *viewer) shown() (list raster.List, picture []byte) {
	m.t.Helper()
	if m.picture == nil {
		m.Receive(wanted)
	}
	for wait := m.Turn(); wait >= 0; wait = m.Turn() {
		m.at += wait
	}
	m.at += time.Minute
	if m.motion.Tick(m.at) {
		m.t.Fatal("something moves on a picture that stands")
	}
	m.scene.Overlay(&list, wanted.Width, wanted.Height, 1)
	return list, m.picture
}

// TestOneMomentOnePicture: what is drawn of a moment is what the run is at that moment, whatever way led
// there: it was played, sought, opened by a link, gone back to, drawn slowly with fewer details, or drawn
// only when it stood. Both renderers draw it.
func TestOneMomentOnePicture(t *testing.T) {
	all := moments
	if testing.Short() {
		all = moments[:4]
	}
	arcs, slow := 0, 0
	for i, c := range all {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			document := `{"v":1,"seed":5,` + c.document + `,"until":"30m"}`
			played := watch(t, document, c.at-10*unit.Second, true)
			played.Receive(message.Speed{Speed: 4})
			played.Receive(message.Play{})
			for played.scene.Frame.At < c.at {
				played.turn()
			}
			played.Receive(message.Pause{})
			played.settle()
			at := played.scene.Frame.At
			want, picture := played.shown()
			for _, shape := range want.Shapes {
				if shape.Name == "arc" {
					arcs++
				}
			}
			same := raster.Scene(played.scene)
			if p := new(raster.Canvas).Draw(&same, wanted.Width, wanted.Height, 1); !bytes.Equal(p.Pix, picture) {
				t.Error("the two renderers draw different pictures of the run that was played")
			}
			ways := map[string]func() *viewer{
				"seek": func() *viewer { m := watch(t, document, 0, true); m.goTo(at); return m },
				"back": func() *viewer {
					m := watch(t, document, 0, true)
					m.goTo(at + 2*unit.Minute)
					m.goTo(at)
					return m
				},
				"slow": func() *viewer {
					m := watch(t, document, at-10*unit.Second, true)
					m.still, m.look = false, 100*time.Millisecond
					m.Receive(message.Speed{Speed: 4})
					m.Receive(message.Play{})
					for i := 0; i < 1000 && m.left < int(raster.NoTails); i++ {
						m.turn()
					}
					if m.left == int(raster.NoTails) {
						slow++
					}
					m.Receive(message.Pause{})
					m.still = true
					m.goTo(at)
					return m
				},
				"link":       func() *viewer { return watch(t, document, at, true) },
				"drawn late": func() *viewer { return watch(t, document, at, false) },
			}
			for name, way := range ways {
				m := way()
				if m.scene.Frame.At != at {
					t.Fatalf("%s: at %v, not %v", name, m.scene.Frame.At, at)
				}
				list, there := m.shown()
				if !reflect.DeepEqual(list, want) {
					t.Errorf("%s: %d shapes, %d when it was played", name, len(list.Shapes), len(want.Shapes))
				}
				if !bytes.Equal(there, picture) {
					t.Errorf("%s: the run's own renderer draws another picture", name)
				}
			}
		})
	}
	if arcs == 0 {
		t.Error("no arc is on any of them")
	}
	if slow == 0 {
		t.Error("no run omits details because its pictures are slow")
	}
}
