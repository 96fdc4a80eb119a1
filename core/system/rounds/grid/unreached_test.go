package grid_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/core/system/rounds/grid"
	"parley/core/trace/simgrid"
)

// TestUnreached: the sentence names three hosts without a route and counts the others.
func TestUnreached(t *testing.T) {
	for alone, want := range map[int]string{
		0: "",
		1: "no route leads from master to alone0: left out, 1 of 3 hosts",
		3: "no route leads from master to alone0, alone1, alone2: left out, 3 of 5 hosts",
		4: "no route leads from master to alone0, alone1, alone2, 1 more: left out, 4 of 6 hosts",
		6: "no route leads from master to alone0, alone1, alone2, 3 more: left out, 6 of 8 hosts",
	} {
		hosts := ""
		for i := range alone {
			hosts += fmt.Sprintf(`<host id="alone%d" speed="50Mf"/>`, i)
		}
		text := strings.Replace(`<platform version="4.1"><zone id="z" routing="Full">
			<host id="master" speed="1Gf"/><host id="a" speed="98.095Mf"/>HOSTS<link id="l" bandwidth="41.25MBps" latency="50us"/>
			<route src="master" dst="a"><link_ctn id="l"/></route></zone></platform>`, "HOSTS", hosts, 1)
		file, err := simgrid.Read("z.xml", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := grid.Unreached(file, "master"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		for _, size := range []float64{math.MaxFloat64, 0, -1, math.Inf(1), math.NaN()} {
			_, _, err := grid.Platform(file, "master", grid.Unit{Flops: size, Bytes: 1})
			_, _, other := grid.Platform(file, "master", grid.Unit{Flops: 1, Bytes: size})
			if fine := size == math.MaxFloat64; (err == nil) != fine || (other == nil) != fine {
				t.Errorf("a unit of %v: %v, %v", size, err, other)
			}
		}
	}
}
