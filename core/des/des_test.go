package des_test

import (
	"container/heap"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/core/des"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

type recorder struct{ fired []string }

func (r *recorder) Fire(now unit.Time, arg uint64) {
	r.fired = append(r.fired, fmt.Sprintf("%d:%d", now, arg))
}

// oracle is the obvious second implementation: the standard library's binary
// heap over (time, call order).
type oracle []event

type event struct {
	at  unit.Time
	seq int
	arg uint64
}

func (o oracle) Len() int { return len(o) }
func (o oracle) Less(i, j int) bool {
	return o[i].at < o[j].at || o[i].at == o[j].at && o[i].seq < o[j].seq
}
func (o oracle) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *oracle) Push(x any)   { *o = append(*o, x.(event)) }
func (o *oracle) Pop() any {
	old := *o
	e := old[len(old)-1]
	*o = old[:len(old)-1]
	return e
}

func TestOrderAgainstContainerHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, o, r := des.New(), &oracle{}, &recorder{}
		tickets, cancelled := []des.Ticket{}, map[int]bool{}
		n := rapid.IntRange(0, 200).Draw(t, "n")
		for i := range n {
			at := unit.Time(rapid.IntRange(0, 20).Draw(t, "at"))
			tickets = append(tickets, k.At(at, r, uint64(i)))
			heap.Push(o, event{at, i, uint64(i)})
			if rapid.IntRange(0, 4).Draw(t, "cancel") == 0 {
				j := rapid.IntRange(0, i).Draw(t, "which")
				k.Cancel(tickets[j])
				cancelled[j] = true
			}
		}
		for k.Step(100) {
		}
		var want []string
		for o.Len() > 0 {
			if e := heap.Pop(o).(event); !cancelled[e.seq] {
				want = append(want, fmt.Sprintf("%d:%d", e.at, e.arg))
			}
		}
		if fmt.Sprint(r.fired) != fmt.Sprint(want) {
			t.Fatalf("fired %v, want %v", r.fired, want)
		}
		if k.Now() != 100 {
			t.Fatalf("clock stands at %v after Step(100)", k.Now())
		}
	})
}

func TestSpentTicketCancelsNothing(t *testing.T) {
	k, r := des.New(), &recorder{}
	spent := k.At(1, r, 1)
	k.Step(10)
	k.At(20, r, 2) // uses the slot again
	k.Cancel(spent)
	k.Cancel(0)
	k.Step(30)
	if fmt.Sprint(r.fired) != "[1:1 20:2]" {
		t.Fatalf("fired %v", r.fired)
	}
}

func TestLimitIsExclusive(t *testing.T) {
	k, r := des.New(), &recorder{}
	k.At(10, r, 1)
	if k.Step(10) {
		t.Fatal("an event at the limit fired")
	}
	if k.At(3, r, 2); k.Next() != 10 {
		t.Fatalf("an event in the past is due at %v, want now (10)", k.Next())
	}
}

type chain struct{ k *des.Kernel }

func (c chain) Fire(now unit.Time, arg uint64) {
	c.k.At(now+unit.Time(arg*2654435761%1000), c, arg+1)
}

func BenchmarkEvent(b *testing.B) {
	k := des.New()
	c := chain{k}
	for i := range 100_000 {
		k.At(unit.Time(i), c, uint64(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		k.Step(unit.Forever)
	}
}

// seer is a Prefetcher that remembers what it was told ahead.
type seer struct {
	told  map[uint64]bool
	fired map[uint64]bool
}

func (s *seer) Fire(_ unit.Time, arg uint64) { s.fired[arg] = true }

func (s *seer) Prefetch(args []uint64) {
	for _, arg := range args {
		if s.told[arg] || s.fired[arg] {
			panic(fmt.Sprintf("%d was told, or came, before", arg))
		}
		s.told[arg] = true
	}
}

// TestPrefetch: who wants to know is told once of every far event that comes, before
// it comes, and of no event that is not its own or was cancelled.
func TestPrefetch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		seers := [2]*seer{{map[uint64]bool{}, map[uint64]bool{}}, {map[uint64]bool{}, map[uint64]bool{}}}
		others, whose, cancelled := &recorder{}, map[uint64]int{}, map[uint64]bool{}
		for arg := range uint64(rapid.IntRange(0, 60).Draw(t, "events")) {
			at := unit.Minute + unit.Time(rapid.Int64Range(0, int64(10*unit.Hour)).Draw(t, "at"))
			who := rapid.IntRange(0, 2).Draw(t, "who")
			handler := des.Handler(others)
			if who < 2 {
				handler = seers[who]
			}
			whose[arg] = who
			if ticket := k.At(at, handler, arg); rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
				k.Cancel(ticket)
				cancelled[arg] = true
			}
		}
		for k.Step(unit.Forever) {
		}
		for arg, who := range whose {
			for i, s := range seers {
				if want := i == who && !cancelled[arg]; s.told[arg] != want || s.fired[arg] != want {
					t.Fatalf("event %d of %d: handler %d was told %v, fired %v, want %v", arg, who, i, s.told[arg], s.fired[arg], want)
				}
			}
		}
	})
}
