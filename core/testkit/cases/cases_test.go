package cases_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"parley/core/testkit/cases"
)

// TestTheSameForEver: what a seed gives is what a difference was reported for. Change the
// sums only together with the generator, and say so.
func TestTheSameForEver(t *testing.T) {
	sum := sha256.New()
	for seed := range uint64(200) {
		sum.Write(cases.Dump(seed))
		sum.Write(cases.Movable(seed))
		sum.Write(cases.Configuration(seed))
	}
	if got, want := fmt.Sprintf("%x", sum.Sum(nil))[:16], "39bae99e3fb5b373"; got != want {
		t.Errorf("the cases are %s, want %s", got, want)
	}
}

// TestSizes: a case is small enough to look at, and Movable small enough for brute force.
func TestSizes(t *testing.T) {
	for seed := range uint64(300) {
		nodes, pods := count(t, cases.Dump(seed))
		if nodes < 2 || nodes > 8 || pods < 1 || pods > 15 {
			t.Errorf("case %d has %d nodes and %d pods", seed, nodes, pods)
		}
		nodes, pods = count(t, cases.Movable(seed))
		if nodes < 2 || nodes > 6 || pods < 1 || pods > 12 {
			t.Errorf("movable case %d has %d nodes and %d pods", seed, nodes, pods)
		}
	}
}

func count(t *testing.T, dump []byte) (nodes, pods int) {
	t.Helper()
	var list struct{ Items []struct{ Kind string } }
	if err := json.Unmarshal(dump, &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		switch item.Kind {
		case "Node":
			nodes++
		case "Pod":
			pods++
		}
	}
	return nodes, pods
}
