package main_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"parley/core/run/full"
	"parley/core/system/example"
	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// TestAnotherSystem: one more entry of the registry is all that the commands
// need to list, describe, run and compare a system.
func TestAnotherSystem(t *testing.T) {
	systems := append(full.Systems(), example.Entry())
	for _, c := range []struct {
		args  []string
		holds []string
	}{
		{[]string{"systems"}, []string{"choices", "Power of two choices"}},
		{[]string{"systems", "choices"}, []string{"choices", "1 to 16 nodes", "dealer_down/dealer_up", "probes_per_task", "probed"}},
		{[]string{"run", "--help"}, []string{"choices"}},
		{[]string{"run", "#n=50&sys=choices&x.choices=3", "--until", "9m"}, []string{"choices, seed", "probes per task", "digest"}},
		{[]string{"compare", "#n=50&sys=choices", "#n=50&sys=central", "--seeds", "1", "--until", "9m"}, []string{"choices", "central"}},
	} {
		var out, complaints bytes.Buffer
		code := parley.Main(c.args, &console.Console{In: strings.NewReader(""), Out: &out, Err: &complaints, Now: time.Now, Systems: systems})
		if code != 0 {
			t.Errorf("parley %s ends with %d: %s", strings.Join(c.args, " "), code, &complaints)
		}
		for _, word := range c.holds {
			if !strings.Contains(out.String(), word) {
				t.Errorf("parley %s does not say %q:\n%s", strings.Join(c.args, " "), word, &out)
			}
		}
		if code := parley.Main(c.args, &console.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Now: time.Now}); code == 0 && len(c.args) > 2 {
			t.Errorf("parley %s runs without the registry that has its system", strings.Join(c.args, " "))
		}
	}
}
