package study_test

import (
	"strings"
	"testing"

	"parley/core/study"
)

// TestZeroOnAnAxis: no row says 0 of a field that was played with its default. The sweep
// is refused, with the field, before anything is played.
func TestZeroOnAnAxis(t *testing.T) {
	for _, axis := range []string{`"workload.scale":[0.5,0,1]`, `"workload.scale":{"from":0,"to":1,"step":0.5}`, `"cluster.keep":[1,0]`, `"cluster.nodes":[50,0]`, `"chaos.mttr":["1m","0s"]`} {
		_, err := study.Parse([]byte(`{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":50}},"axes":{`+axis+`}}`), nil)
		name, _, _ := strings.Cut(strings.Trim(axis, `"`), `"`)
		if err == nil || !strings.Contains(err.Error(), name+" is 0") {
			t.Errorf("%s is answered with %v", axis, err)
		}
	}
}
