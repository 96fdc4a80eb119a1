package protocol_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"parley/core/protocol"
	"parley/core/unit"
)

const written = `{"parley_acts":1,"welcome":{"parley":1,"name":"mine"}}
{"n":0,"at":0,"acts":[{"do":"place","task":1,"node":0,"by":"request"}]}
{"n":3,"at":60,"acts":[],"wake_at":90}
{"requests":5}
`

// TestReadLog: what a Recorder wrote is answered again at its moments.
func TestReadLog(t *testing.T) {
	log, err := protocol.ReadLog(strings.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	if s := log.Sum(); s != (protocol.Sum{Requests: 5, Answers: 2, Acts: 1}) || log.Welcome.Name != "mine" {
		t.Errorf("%+v of %q", s, log.Welcome.Name)
	}
	var again bytes.Buffer
	r := protocol.NewRecorder(log.Replay(), &again)
	if _, err := r.Begin(&protocol.Hello{}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := r.Decide(&protocol.Moment{At: unit.Time(20 * i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil || again.String() != written {
		t.Errorf("%v: %s", err, again.String())
	}
	r = protocol.NewRecorder(log.Replay(), &again)
	if _, err := r.Decide(&protocol.Moment{At: 7}); err == nil || !strings.Contains(err.Error(), "their moment 0 is at 0 µs, and here it is at 7 µs") {
		t.Errorf("acts of another run: %v", err)
	}
}

// TestReadLogErrors: each broken file is a sentence with its line.
func TestReadLogErrors(t *testing.T) {
	for _, c := range []struct {
		old, new string
		line     int64
		want     string
	}{
		{written, "", 1, "cut off"},
		{`"parley_acts":1`, `"parley_acts":2`, 1, "this program reads version 1"},
		{`"n":3`, `"n":0`, 3, "the numbers of answers rise"},
		{`"n":3`, `"n":-1`, 3, "the numbers of answers rise"},
		{`{"requests":5}` + "\n", "", 4, "cut off"},
		{`{"requests":5}`, `{"asked":3}`, 4, "an answer before it has a higher number"},
		{`{"requests":5}`, `{"requests":5}` + "\n" + `{"requests":5}`, 5, "follows the last line"},
		{`"do":"place"`, `"do":"throw"`, 2, `do is "throw"`},
		{`"task":1,`, ``, 2, "place needs task"},
		{`"task":1`, `"task":1.5`, 2, "not a whole number"},
		{`"wake_at"`, `"Wake_at"`, 3, "wake_at"},
		{`"acts":[],`, ``, 3, "acts is missing"},
		{`mine`, "mi\xffne", 1, "no UTF-8"},
	} {
		_, err := protocol.ReadLog(strings.NewReader(strings.Replace(written, c.old, c.new, 1)))
		var at *protocol.LineError
		if !errors.As(err, &at) || at.Line != c.line || !strings.Contains(at.Error(), c.want) {
			t.Errorf("%s: %v, want line %d and %q", c.new, err, c.line, c.want)
		}
	}
}

// FuzzReadLog: any bytes are a log, or a sentence.
func FuzzReadLog(f *testing.F) {
	f.Add([]byte(written))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := protocol.ReadLog(bytes.NewReader(text))
		if err == nil {
			return
		}
		if s := err.Error(); len(s) > 1000 || strings.ContainsRune(s, '\n') {
			t.Errorf("%q is no sentence", s)
		}
	})
}
