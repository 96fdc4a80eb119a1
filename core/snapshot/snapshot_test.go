package snapshot_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/snapshot"
	_ "parley/core/testkit/scripttest/seed"
)

// world is a value with every kind of pointer.
type world struct {
	name    string
	numbers []int32
	part    []int32 // of numbers
	rest    []int32 // another part, which overlaps
	one     *int32  // one of numbers
	self    *world
	things  []thing
	chosen  *thing // one of things
	inner   *pair  // a field of chosen
	by      map[string]*thing
	of      map[*thing]int
	sets    map[int]map[string]bool
	shaper  shaper
	boxed   shaper
	any     any
	err     error
	act     func(int)
	plain   func(int) int
	none    []byte
	empty   []byte
	nowhere *thing
	grid    [3][2]*thing
	zero    map[int]struct{}
}

type thing struct {
	pair pair
	next *thing
	tags []string
}

type pair struct{ a, b int16 }

type shaper interface{ shape() int }

func (w *world) shape() int { return len(w.numbers) }

func (p pair) shape() int { return int(p.a) }

func (t thing) shape() int { return int(t.next.pair.a) }

func (w *world) add(x int) { w.numbers[0] += int32(x) }

func double(x int) int { return 2 * x }

var errKnown = errors.New("known")

func newWorld() *world {
	w := &world{name: "first", numbers: make([]int32, 1000, 1100), empty: []byte{}, err: errKnown, plain: double, any: 7}
	for i := range w.numbers {
		w.numbers[i] = int32(i)
	}
	w.part, w.rest, w.one, w.self = w.numbers[3:7:9], w.numbers[8:20], &w.numbers[5], w
	w.things = []thing{{pair: pair{1, 2}, tags: []string{"x"}}, {pair: pair{3, 4}}, {pair: pair{5, 6}}}
	w.things[0].next, w.things[1].next = &w.things[1], &w.things[0]
	w.chosen = &w.things[1]
	w.inner = &w.chosen.pair
	w.by = map[string]*thing{"zero": &w.things[0], "loose": {pair: pair{7, 8}}}
	w.of = map[*thing]int{&w.things[2]: 2, w.by["loose"]: 9}
	w.sets = map[int]map[string]bool{4: {"four": true}}
	w.shaper, w.boxed, w.act = w, thing{next: w.chosen}, w.add
	w.grid[2][1] = w.chosen
	w.zero = map[int]struct{}{3: {}}
	return w
}

func take(t *testing.T, k *snapshot.Taker, x any, tokens ...any) *snapshot.Snapshot {
	t.Helper()
	s, err := k.Take(x, tokens...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func restore[T any](t *testing.T, s *snapshot.Snapshot, tokens ...any) (T, *snapshot.Taker) {
	t.Helper()
	x, k, err := s.Restore(tokens...)
	if err != nil {
		t.Fatal(err)
	}
	return x.(T), k
}

// A copy is like the value, aliases like it, and shares nothing that changes.
func TestCopyAliasesLikeTheValue(t *testing.T) {
	w := newWorld()
	k := snapshot.New(nil, nil)
	s := take(t, k, w)
	w.numbers[5], w.things[1].pair.a, w.by["new"], w.name = -1, -1, w.chosen, "second"
	for range 2 { // a snapshot can be restored again and again
		c, _ := restore[*world](t, s)
		same := newWorld()
		c.act, same.act = nil, nil // functions are never deeply equal
		c.plain, same.plain = nil, nil
		c.of, same.of = nil, nil // nor are pointers that are keys
		if !reflect.DeepEqual(c, same) {
			t.Fatalf("the copy is %+v, want %+v", c, same)
		}
		c, _ = restore[*world](t, s)
		c.act(1000)
		c.numbers[5], c.part[1] = 55, 44
		c.rest[0] = 88
		c.chosen.pair.a = 33
		c.by["zero"].pair.b = 22
		for subject, wrong := range map[string]bool{
			"a method value acts on the copy":  c.numbers[0] != 1000 || w.numbers[0] != 0,
			"a pointer into a slice":           *c.one != 55 || c.numbers[4] != 44 || c.numbers[8] != 88 || w.numbers[4] != 4,
			"what lies behind a slice's end":   cap(c.part) != 6 || &c.part[:6][5] != &c.rest[0],
			"room of a slice":                  cap(c.numbers) != 1100,
			"itself":                           c.self != c || c.shaper != shaper(c),
			"a pointer to a field":             c.inner.a != 33 || c.things[1].pair.a != 33 || c.grid[2][1] != c.chosen,
			"a value in an interface":          c.boxed.shape() != 33,
			"a value of a map":                 c.things[0].pair.b != 22,
			"keys that point":                  c.of[&c.things[2]] != 2 || c.of[c.by["loose"]] != 9 || len(c.of) != 2,
			"a map in a map":                   !c.sets[4]["four"],
			"an error":                         c.err != errKnown,
			"a function":                       c.plain(4) != 8,
			"nothing and empty":                c.none != nil || c.empty == nil || c.nowhere != nil,
			"the value goes its own way":       w.numbers[5] != -1 || w.things[1].pair.a != -1 || len(w.by) != 3 || w.name != "second",
			"the snapshot is from before that": len(c.by) != 2 || c.name != "first",
		} {
			if wrong {
				t.Errorf("%s is wrong: %+v", subject, c)
			}
		}
	}
}

// A pointer to a value's first field and one to the value point to the same address.
func TestFirstFieldIsNoOther(t *testing.T) {
	type list struct{ all []any }
	x := &thing{tags: []string{"tag"}}
	c, _ := restore[*list](t, take(t, snapshot.New(nil, nil), &list{[]any{&x.pair, x, &x.pair}}))
	first, whole := c.all[0].(*pair), c.all[1].(*thing)
	if first.a = 7; whole.pair.a != 7 || len(whole.tags) != 1 || c.all[2] != any(first) {
		t.Errorf("the copy is %+v with %+v", first, whole)
	}
}

// What cannot be copied is named by the fields that lead to it.
func TestRefusesByName(t *testing.T) {
	x := 1
	hidden := func() int { x++; return x }
	type inner struct {
		f  func() int
		ch chan int
	}
	type outer struct {
		list []inner
		m    map[string]any
		next *outer
	}
	for want, one := range map[string]*outer{
		".list.f: parley/core/snapshot_test.TestRefusesByName.func":     {list: []inner{{}, {f: hidden}}},
		".next.list.ch: it is a chan int":                               {next: &outer{list: []inner{{ch: make(chan int)}}}},
		".m.f: parley/core/snapshot_test.TestRefusesByName.func":        {m: map[string]any{"a": inner{f: hidden}}},
		".m: parley/core/snapshot_test.shaper.shape-fm may hold":        {m: map[string]any{"a": shaper(newWorld()).shape}},
		".m: parley/core/snapshot_test.pair.shape-fm may hold variable": {m: map[string]any{"a": pair{}.shape}},
	} {
		if _, err := snapshot.New(nil, nil).Take(one); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	w := newWorld()
	type owner struct{ f func(int) }
	if _, err := snapshot.New(nil, nil).Take(&owner{w.add}); err == nil || !strings.Contains(err.Error(), "nothing else reaches it") {
		t.Errorf("a method of what is not copied: %v", err)
	}
}

// Values of types that never change are shared, others left out, tokens replaced.
func TestSharesAndReplaces(t *testing.T) {
	type table struct{ rows []int }
	type source struct{ f func() }
	type memory struct{ f func() }
	type user struct {
		memory *memory
		shared *table
		own    table
		source any
		direct *source
	}
	u := &user{memory: &memory{func() {}}, shared: &table{[]int{1}}, own: table{[]int{2}}, source: &source{f: func() {}}}
	u.direct = u.source.(*source)
	s := take(t, snapshot.New([]reflect.Type{reflect.TypeFor[table]()}, []reflect.Type{reflect.TypeFor[memory]()}), u, u.source)
	other := &source{}
	c, k := restore[*user](t, s, other)
	if c.memory != nil || c.shared != u.shared || &c.own.rows[0] != &u.own.rows[0] || c.source != any(other) || c.direct != other {
		t.Errorf("the copy is %+v of %+v", c, u)
	}
	if c, _ := restore[*user](t, take(t, k, c, other), u.source); c.direct != u.direct {
		t.Errorf("the copy of a copy has %p, want %p", c.direct, u.direct)
	}
	if _, _, err := s.Restore(&table{}); err == nil || !strings.Contains(err.Error(), "token 0 is a *snapshot_test.table, not a *snapshot_test.source") {
		t.Errorf("a token of another type: %v", err)
	}
	if _, _, err := s.Restore(); err == nil {
		t.Error("a token is missing and nobody says so")
	}
}

// node is a value that random acts change.
type node struct {
	edges []*node
	named map[int64]*node
	bytes []byte
	view  []byte // of the bytes of some node
	any   any
}

type graph struct{ all []*node }

func (g *graph) String() string {
	number := map[*node]int{}
	for i, n := range g.all {
		number[n] = i
	}
	var b strings.Builder
	for _, n := range g.all {
		fmt.Fprintf(&b, "%v %v", n.bytes, n.view)
		for _, e := range n.edges {
			fmt.Fprint(&b, " ", number[e])
		}
		for k := range int64(12) {
			if e := n.named[k]; e != nil {
				fmt.Fprint(&b, " ", k, ":", number[e])
			}
		}
		if e, is := n.any.(*node); is {
			fmt.Fprint(&b, " any ", number[e])
		} else {
			fmt.Fprint(&b, " any ", n.any)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func (g *graph) act(t *rapid.T) {
	pick := func() *node { return g.all[rapid.IntRange(0, len(g.all)-1).Draw(t, "node")] }
	switch n := pick(); rapid.IntRange(0, 7).Draw(t, "act") {
	case 0:
		g.all = append(g.all, &node{named: map[int64]*node{}, bytes: make([]byte, rapid.IntRange(0, 9000).Draw(t, "size"))})
	case 1:
		n.edges = append(n.edges, pick())
	case 2:
		n.named[rapid.Int64Range(0, 11).Draw(t, "key")] = pick()
	case 3:
		n.any = pick()
	case 4:
		n.any = rapid.Int().Draw(t, "value")
	case 5:
		if o := pick(); len(o.bytes) > 0 {
			i := rapid.IntRange(0, len(o.bytes)-1).Draw(t, "from")
			n.view = o.bytes[i:rapid.IntRange(i, len(o.bytes)).Draw(t, "to")]
		}
	case 6:
		for i := range n.view {
			n.view[i]++
		}
	case 7:
		delete(n.named, rapid.Int64Range(0, 11).Draw(t, "key"))
	}
}

// However a value changes, every snapshot of it and of its copies gives back what it
// was taken of, after others were dropped too, and when all are dropped none is counted.
func TestRandomValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type kept struct {
			s    *snapshot.Snapshot
			text string
		}
		g := &graph{all: []*node{{named: map[int64]*node{}}}}
		k := snapshot.New(nil, nil)
		var all []kept
		restored := func(one kept) (*graph, *snapshot.Taker) {
			x, k, err := one.s.Restore()
			if err != nil {
				t.Fatal(err)
			}
			if got := x.(*graph).String(); got != one.text {
				t.Fatalf("restored is\n%s\nwant\n%s", got, one.text)
			}
			return x.(*graph), k
		}
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			for range rapid.IntRange(0, 12).Draw(t, "acts") {
				g.act(t)
			}
			s, err := k.Take(g)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, kept{s, g.String()})
			i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
			switch rapid.IntRange(0, 2).Draw(t, "then") {
			case 0:
				g, k = restored(all[i])
			case 1:
				all[i].s.Drop()
				all = append(all[:i], all[i+1:]...)
			}
		}
		for _, one := range all {
			restored(one)
		}
		for _, one := range all {
			one.s.Drop()
		}
		if k.Bytes() != 0 {
			t.Fatalf("without snapshots %d bytes are counted", k.Bytes())
		}
	})
}

// A snapshot after which little changed costs little.
func TestSharesPages(t *testing.T) {
	w := &world{numbers: make([]int32, 1_000_000)}
	for i := range w.numbers {
		w.numbers[i] = int32(i)
	}
	k := snapshot.New(nil, nil)
	take(t, k, w)
	first := k.Bytes()
	w.numbers[500_000]++
	second := take(t, k, w)
	if more := k.Bytes() - first; first < 4_000_000 || more > 10_000 {
		t.Errorf("the first costs %d bytes, the second %d more", first, more)
	}
	c, k := restore[*world](t, second)
	before := k.Bytes()
	c.numbers[7]++
	take(t, k, c)
	if more := k.Bytes() - before; more > 10_000 {
		t.Errorf("one of a copy costs %d bytes", more)
	}
}

// herd holds many blocks of two kinds.
type herd struct {
	sheep []*[6]uint64
	goats []*[5]uint64
}

// Blocks that stay where they are keep their numbers: where one of thousands changes, goes
// or comes, the next snapshot says nothing of the others.
func TestBlocksKeepTheirNumbers(t *testing.T) {
	random, h := rand.New(rand.NewPCG(1, 2)), &herd{}
	come := func() {
		sheep, goat := &[6]uint64{}, &[5]uint64{}
		for i := range goat {
			sheep[i], goat[i] = random.Uint64(), random.Uint64()
		}
		h.sheep, h.goats = append(h.sheep, sheep), append(h.goats, goat)
	}
	for range 4000 {
		come()
	}
	k := snapshot.New(nil, nil)
	take(t, k, h)
	first := k.Bytes()
	for subject, change := range map[string]func(){
		"nothing changes": func() {},
		"one changes":     func() { h.sheep[1000][3]++ },
		"one goes":        func() { h.goats[700] = h.goats[701] },
	} {
		before := k.Bytes()
		change()
		take(t, k, h)
		if more := k.Bytes() - before; more > 10_000 { // a byte a block that stays
			t.Errorf("%s: %d bytes more, after %d for all", subject, more, first)
		}
	}
}

// Snapshots taken one after the other stand on a few others each, half of them bear
// none, and dropping such a one frees what it holds.
func TestStandsOnFew(t *testing.T) {
	w := &world{numbers: make([]int32, 10_000)}
	k := snapshot.New(nil, nil)
	var all []*snapshot.Snapshot
	for i := range 64 {
		for j := range 50 {
			w.numbers[(i*1000+j*7)%10_000] += int32(i + j)
		}
		all = append(all, take(t, k, w))
	}
	first, bare := 40_000, 0
	if limit := first + 64*3*1000; k.Bytes() > limit {
		t.Errorf("64 snapshots hold %d bytes, more than %d", k.Bytes(), limit)
	}
	for i, s := range all {
		if !s.Bare() {
			continue
		}
		bare++
		before := k.Bytes()
		if s.Drop(); k.Bytes() >= before {
			t.Errorf("dropping snapshot %d frees nothing", i)
		}
	}
	if bare != 32 {
		t.Errorf("%d of 64 bear no other", bare)
	}
	c, _ := restore[*world](t, all[62])
	if c.numbers[62_000%10_000] == w.numbers[62_000%10_000] && c.numbers[63_000%10_000] == w.numbers[63_000%10_000] {
		t.Error("the one before the last is as the last")
	}
}
