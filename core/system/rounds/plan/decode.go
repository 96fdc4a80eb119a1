package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/strict"
)

// maxDocument bounds what Decode reads: 2^20 workers of 128 characters.
const maxDocument = 128 << 20

// Decode reads the input of `parley plan rounds`:
//
//	{"load":1000000,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1,"comm_latency":0.1}]}
//
// Latencies may be left out (0). Unknown fields, a second document and values
// that Validate refuses are errors of one sentence.
func Decode(r io.Reader) (p Platform, load float64, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return Platform{}, 0, fmt.Errorf("reading the platform: %w", err)
	}
	if len(text) > maxDocument {
		return Platform{}, 0, fmt.Errorf("the platform is longer than %d bytes: leave workers out", maxDocument)
	}
	var document struct {
		Load    *float64          `json:"load"`
		Workers []json.RawMessage `json:"workers"`
	}
	if err := strict.Decode(text, &document); err != nil {
		return Platform{}, 0, fmt.Errorf("platform: %w", err)
	}
	if document.Load == nil {
		return Platform{}, 0, errors.New("the platform has no load: add \"load\" with the work units to share out")
	}
	if len(document.Workers) > MaxWorkers {
		document.Workers = document.Workers[:MaxWorkers+1] // enough for Validate to refuse
	}
	p.Workers = make([]Worker, len(document.Workers))
	for i, raw := range document.Workers {
		if err := strict.Part(raw, &p.Workers[i]); err != nil {
			return Platform{}, 0, fmt.Errorf("worker %d: %w", i, err)
		}
	}
	if err := p.Validate(*document.Load); err != nil {
		return Platform{}, 0, err
	}
	return p, *document.Load, nil
}
