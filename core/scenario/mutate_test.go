package scenario_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"parley/core/scenario"
)

// leaves lists the numbers of a document by their path.
func leaves(path string, value any, into map[string]float64) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			leaves(path+"."+name, inner, into)
		}
	case []any:
		for i, inner := range v {
			leaves(path+"."+strconv.Itoa(i), inner, into)
		}
	case float64:
		into[path] = v
	}
}

func numbersOf(t *testing.T, doc []byte) map[string]float64 {
	t.Helper()
	var value any
	if err := json.Unmarshal(doc, &value); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]float64{}
	leaves("", value, numbers)
	return numbers
}

// broken replaces, repeats and removes members, values and signs of a text.
func broken(r *rand.Rand, text, signs string, parts []string) string {
	for range 1 + r.IntN(3) {
		words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(signs, c) })
		if len(words) == 0 {
			return text
		}
		word, part := words[r.IntN(len(words))], parts[r.IntN(len(parts))]
		switch r.IntN(6) {
		case 0:
			part = words[r.IntN(len(words))]
		case 1:
			part = strings.ToUpper(word)
		case 2:
			part = word + string(signs[r.IntN(len(signs))]) + word
		case 3:
			text = text[:r.IntN(len(text))]
			continue
		}
		text = strings.Replace(text, word, part, 1)
	}
	return text
}

// TestMutations: of a scenario and of a link, whatever becomes of it, there is a sentence
// or a scenario that says every number which stood there. PARLEY_MUTATIONS is how many of
// both are tried.
func TestMutations(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 200
	}
	if text := os.Getenv("PARLEY_MUTATIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	const doc = `{"v":1,"name":"a","system":"central","seed":7,"cluster":{"nodes":50,"keep":0.5,"physical":{"rack_size":20,"dirty_rate":5}},` +
		`"workload":{"scale":1.5,"day_swing":0.1},"settings":{"policy":"easy"},"faults":[{"at":"5m","kind":"node_down","target":"node.3"},` +
		`{"at":"6m","kind":"cluster_grow","target":"cluster","value":5}],"chaos":{"node_mtbf":"30d","mttr":"10m"},"until":"1h"}`
	base, err := scenario.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	gallery := scenario.Gallery{scenario.DefaultBase: base}
	address := scenario.LinkTo(base, scenario.Gallery{})
	links := []string{
		"v=1&n=40&seed=9&sys=central&x.policy=easy&x.depth=3&f=6m.rack.1.down&f=7m.cluster.grow-5&at=6m&until=1h&sel=node.4&cam=node.7-2.5&speed=60&fill=cpu&name=b",
		address.Encode(),
	}
	parts := []string{"0", "-1", "0.5", "1e400", "1e-400", "9223372036854775808", "null", "true", "\"\"", "{}", "[]", "\"0s\"", "\"NaN\"", "é", "%00", "%", "\x00", strings.Repeat("9", 300), strings.Repeat("x", 5000)}
	sentence := func(i int, text string, err string) {
		if err == "" || strings.Contains(err, "\n") || len(err) > 1500 {
			t.Fatalf("mutation %d is answered with %q:\n%q", i, err, text)
		}
	}
	taken := 0
	try := func(i int, text, link string) {
		if s, err := scenario.Parse([]byte(text)); err != nil {
			sentence(i, text, err.Error())
		} else {
			taken++
			again, err := scenario.Parse(s.Encode())
			if err != nil || !bytes.Equal(again.Encode(), s.Encode()) {
				t.Fatalf("mutation %d does not read back (%v):\n%s", i, err, text)
			}
			stated := numbersOf(t, s.Encode())
			for path, x := range numbersOf(t, []byte(text)) {
				if got := stated[path]; got != x && !strings.HasPrefix(path, ".cluster.physical") {
					t.Fatalf("mutation %d: %s is %v and is taken as %v:\n%s", i, path, x, got, text)
				}
			}
		}
		a, problems, notes := scenario.DecodeAddress(link)
		for _, p := range append(problems, notes...) {
			sentence(i, link, p)
		}
		if _, err := a.Scenario(gallery); err != nil {
			sentence(i, link, err.Error())
		}
	}
	for i := range count {
		r := rand.New(rand.NewPCG(uint64(i), 27))
		text := broken(r, doc, `{}[]",:`, parts)
		link := broken(r, links[i%len(links)], "&=.-", parts)
		impatiently(text+"\nor the link "+link, func() { try(i, text, link) })
	}
	t.Logf("%d scenarios, of which %d were taken, and as many links", count, taken)
}
