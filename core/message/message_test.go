package message_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/message"
	"parley/core/testkit/scripttest"
)

var readers = map[string]func([]byte, int) (message.Message, error){"worker": message.ToWorker, "lab": message.ToLab, "planner": message.ToPlanner, "sweep": message.ToSweep, "cluster": message.ToCluster, "view": message.ToView}

// TestScripts reads what testdata sends: to whom, with how many parts.
//
//	worker parts=1
//	{"type":"seek","at":5}
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			parts := 0
			d.MaybeScanArgs(t, "parts", &parts)
			m, err := readers[d.Cmd]([]byte(d.Input), parts)
			if err != nil {
				return err.Error() + "\n"
			}
			text, _, err := message.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			return string(text) + "\n"
		}
	})
}

// FuzzDecode: whatever comes is a message or one sentence, and a message that was
// read is written as something that is read again as the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"type":"open","scenario":{"v":1},"files":[{"part":0,"name":"a","size":1}],"play":true}`, `{"type":"seek","at":1e9}`,
		`{"type":"frame","buffer":{"part":0,"as":"ArrayBuffer"}}`, `{"type":"look","fill":1,"palette":"grey"}`, `[]`, `{"type":"plan","kind":"rounds","algorithm":"","document":""}`,
		`{"type":"layout","layout":{"columns":1,"rows":1,"x":{"part":0,"as":"Uint16Array"},"y":{"part":0,"as":""},"rack":{"part":0,"as":""},"blocks":[]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, read := range readers {
			m, err := read([]byte(text), 1)
			if err != nil {
				if s := err.Error(); strings.Contains(s, "\n") || len(s) > 400 {
					t.Errorf("%s says %q", name, s)
				}
				continue
			}
			if o, ok := m.(message.Open); ok && len(o.Files) > 0 {
				continue // its parts are files, which Encode does not number
			}
			again, parts, err := message.Encode(m)
			if err != nil {
				t.Fatalf("%q was read but cannot be written: %v", text, err)
			}
			if _, err := read(again, max(1, len(parts))); err != nil {
				t.Errorf("%q became %s: %v", text, again, err)
			}
		}
	})
}
