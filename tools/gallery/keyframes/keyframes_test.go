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
	if limit := 120_000; len(there) > limit {
		t.Errorf("the recording has %d bytes, more than %d", len(there), limit)
	}
	played, err := keyframes.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(inflated(t, there), inflated(t, played)) { // another Go may pack them otherwise
		t.Errorf("%s holds other frames than the run has; go run ./tools/gallery %s records them anew", keyframes.File, keyframes.Scenario)
	}
}

// TestFrames looks at what stands there: one frame of a full cell, when all tasks are placed and hardly
// one moves.
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
	if len(frames) != 1 {
		t.Fatalf("%d frames", len(frames))
	}
	if err := frame.Decode(frames[0], &f); err != nil {
		t.Fatal(err)
	}
	if f.At != 4*unit.Second || len(f.Layers) != len(head.Layers) || len(f.Arcs) > 2 {
		t.Errorf("it is of %v with %d layers and %d arcs, want 4 s with %d and at most 2", f.At, len(f.Layers), len(f.Arcs), len(head.Layers))
	}
	if idle := bytes.Count(f.Layers[0], []byte{0}); f.Cells != 12_500 || idle > f.Cells/100 {
		t.Errorf("%d of %d nodes use nothing", idle, f.Cells)
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
