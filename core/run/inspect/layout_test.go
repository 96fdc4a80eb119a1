package inspect_test

import (
	"fmt"
	"testing"

	"parley/core/run/inspect"
	"parley/core/unit"
)

// Nodes stand together by what is asked for: every node is in the block of its group,
// groups follow one another, and a rack stays one block within its site.
func TestLayoutGroups(t *testing.T) {
	r := open(t, `{"v":1,"system":"negotiation","cluster":{"nodes":3000,"physical":{"site_racks":20}},"until":"1m"}`)
	advance(t, r, unit.Second)
	v := r.View()
	for by, name := range map[string]func(n unit.NodeID) string{
		inspect.BySite: func(n unit.NodeID) string { return fmt.Sprint("site ", v.Site(n)) },
		inspect.ByMachine: func(n unit.NodeID) string {
			return fmt.Sprintf("%.3g CPU · %.3g Memory", v.Capacity(n)[unit.CPU].Float(), v.Capacity(n)[unit.Memory].Float())
		},
		inspect.ByAttribute: func(n unit.NodeID) string { return fmt.Sprint("attribute 0: ", v.Attribute(n, 0)) },
	} {
		l, groups := r.LayoutIn(900, 400, 48, by)
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		if len(groups) < 2 || len(l.X) != 3000 {
			t.Fatalf("by %s: groups %q, %d cells", by, groups, len(l.X))
		}
		for i := 1; i < len(l.Blocks); i++ {
			if l.Blocks[i].Group < l.Blocks[i-1].Group {
				t.Errorf("by %s, block %d of group %d follows group %d", by, i, l.Blocks[i].Group, l.Blocks[i-1].Group)
			}
		}
		for n := range unit.NodeID(3000) {
			x, y := int(l.X[n]), int(l.Y[n])
			found := 0
			for _, b := range l.Blocks {
				if x < b.X || y < b.Y || x >= b.X+b.Width || y >= b.Y+b.Height {
					continue
				}
				found++
				if got, want := groups[b.Group], name(n); got != want {
					t.Fatalf("by %s, node %d of %q stands in a block of %q", by, n, want, got)
				}
				if by == inspect.BySite && b.Rack != v.Rack(n) {
					t.Fatalf("node %d of rack %d stands in the block of rack %d", n, v.Rack(n), b.Rack)
				}
			}
			if found != 1 {
				t.Fatalf("by %s, node %d stands in %d blocks", by, n, found)
			}
		}
	}
	for _, by := range []string{"", "rack", "colour"} {
		if l, groups := r.LayoutIn(900, 400, 48, by); groups != nil || l.Blocks[0].Rack != 0 || len(l.Blocks) != 63 {
			t.Errorf("by %q: groups %q in %d blocks", by, groups, len(l.Blocks))
		}
	}
}
