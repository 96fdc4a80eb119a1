package full_test

import (
	"testing"

	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system/program"
	"parley/core/unit"
)

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
