package keyframes_test

import (
	"bytes"
	"compress/flate"
	"io"
	"os"
	"path/filepath"
	"testing"

	"parley/core/frame"
	"parley/core/unit"
	"parley/tools/gallery/keyframes"
)

const root = "../../.."

// TestRecording plays the scenario again: what the page shows before the simulation
// has come is what comes out, to the byte.
func TestRecording(t *testing.T) {
	there, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(keyframes.File)))
	if err != nil {
		t.Fatal(err)
	}
	if most := 120_000; len(there) > most {
		t.Errorf("the recording has %d bytes, more than %d", len(there), most)
	}
	played, err := keyframes.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(inflated(t, there), inflated(t, played)) { // another Go may pack them otherwise
		t.Errorf("%s holds other frames than the run has; go run ./tools/gallery %s records them anew", keyframes.File, keyframes.Scenario)
	}
}

// TestFrames looks at the frames that stand there: one every five seconds from when all
// tasks are placed, and at the end nothing moves.
func TestFrames(t *testing.T) {
	there, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(keyframes.File)))
	if err != nil {
		t.Fatal(err)
	}
	head, frames, err := read(there)
	if err != nil {
		t.Fatal(err)
	}
	var f frame.Frame
	for i, encoded := range frames {
		if err := frame.Decode(encoded, &f); err != nil {
			t.Fatal(err)
		}
		if want := unit.Time(10+5*i) * unit.Second; f.At != want || len(f.Layers) != len(head.Layers) {
			t.Errorf("frame %d is of %v with %d layers, want %v with %d", i, f.At, len(f.Layers), want, len(head.Layers))
		}
		idle := bytes.Count(f.Layers[0], []byte{0})
		if f.Cells != 12_500 || idle > f.Cells/100 {
			t.Errorf("at %v %d of %d nodes use nothing", f.At, idle, f.Cells)
		}
	}
	if f.At != 120*unit.Second || len(f.Arcs) != 0 {
		t.Errorf("the last frame is of %v with %d arcs", f.At, len(f.Arcs))
	}
}

func TestReadRefusesWhatIsBroken(t *testing.T) {
	there, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(keyframes.File)))
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 1, 100, len(there) / 2} {
		if _, _, err := read(there[:length]); err == nil {
			t.Errorf("the first %d bytes are read as a recording", length)
		}
	}
}

func inflated(t *testing.T, file []byte) []byte {
	t.Helper()
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
