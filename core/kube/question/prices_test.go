package question_test

import (
	"math"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestPricesThatMatchNothing: rows that are the price of no node and nodes without a price are
// told, shapes without a price are last, and a missing price is not a figure.
func TestPricesThatMatchNothing(t *testing.T) {
	other := strings.Replace(node("b", "z1", "8"), `"instance-type":"m"`, `"instance-type":"x"`, 1)
	other = strings.Replace(other, `instance-type":"m"`, `instance-type":"x"`, 1)
	c := read(t, list(node("a", "z1", "4"), other, pod("full", "a", "ReplicaSet", "4", ""), pod("there", "b", "ReplicaSet", "8", ""), pod("wait", "", "ReplicaSet", "2", "")))
	prices, err := question.ReadPrices("p.csv", []byte("type,price,zone,capacity\nm,9,,\nm,1,z2,\nm,1,,spot\ny,1,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	g := question.Grow(c, constraint.Default(), question.GrowOptions{Prices: prices})
	if g.Shapes[0].Like != "a" || g.Shapes[1].Like != "b" {
		t.Errorf("a shape without a price is the cheapest: %+v", g.Shapes)
	}
	text := strings.Join(g.Method.Assumptions, "\n")
	for _, want := range []string{"3 rows of the prices are the price of no node here: m z2, m spot, y.", "1 node has no price and is in no sum: x."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	nothing, err := question.ReadPrices("p.csv", []byte("type,price\ny,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := question.NewReport(c, constraint.Default(), question.ReportOptions{Prices: nothing})
	if r.Figure("price.nodes_without") != 2 || !math.IsNaN(r.Figure("price.month")) || !math.IsNaN(r.Figure("price.grow")) || r.Figure("grow.left") != 0 {
		t.Errorf("%+v", r.Figures)
	}
	if _, err := question.NewCondition("price.month > 5", r, nil); err == nil {
		t.Error("a condition on a price that is not known holds or does not")
	}
	if s := r.Grow.Sentence(); !strings.Contains(s, "what they cost is unknown, for") {
		t.Error(s)
	}
}
