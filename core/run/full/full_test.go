package full_test

import (
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system/program"
	"parley/core/unit"
)

// Package run names users' programs in its list of systems without having them: the name is the system's own.
func TestProgramsByName(t *testing.T) {
	if _, err := run.Systems().Find("tetris"); err == nil || !strings.HasSuffix(err.Error(), ", "+program.Entry().ID) {
		t.Errorf("the page's programs: %v", err)
	}
	if _, err := full.Systems().Find("tetris"); err == nil || strings.Count(err.Error(), program.Entry().ID) != 1 {
		t.Errorf("all systems: %v", err)
	}
}

func BenchmarkBestFit(b *testing.B) {
	for b.Loop() {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"program","seed":7,"until":"2m"}`))
		if err != nil {
			b.Fatal(err)
		}
		s.Program = program.Examples()[0].Text
		r, err := full.Systems().Open(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Advance(unit.Forever); err != nil {
			b.Fatal(err)
		}
	}
}
