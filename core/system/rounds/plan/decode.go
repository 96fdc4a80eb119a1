package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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
	if err := strict(text, &document); err != nil {
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
		if err := strict(raw, &p.Workers[i]); err != nil {
			return Platform{}, 0, fmt.Errorf("worker %d: %w", i, err)
		}
	}
	if err := p.Validate(*document.Load); err != nil {
		return Platform{}, 0, err
	}
	return p, *document.Load, nil
}

// strict decodes exactly one JSON value without unknown fields and turns the
// decoder's errors into sentences.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return sentence(text, err)
	}
	if rest := bytes.TrimSpace(text[decoder.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%q follows the end of the document: remove it", clip(rest))
	}
	return nil
}

func sentence(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("line %d is not JSON: %w", line, err)
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "the value"
		}
		return fmt.Errorf("%s is %s: it must be %s", field, kind.Value, wanted(kind))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the document ends early: expected {\"load\":…,\"workers\":[…]}")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: ")) // unknown field: the decoder names it
}

func wanted(kind *json.UnmarshalTypeError) string {
	switch kind.Type.String() {
	case "float64":
		return "a number that a float64 can hold"
	case "[]json.RawMessage":
		return "a list of workers"
	}
	return "an object"
}

func clip(text []byte) string {
	if len(text) > 40 {
		return string(text[:40]) + "…"
	}
	return string(text)
}
