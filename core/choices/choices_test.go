package choices_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/choices"
	"parley/core/unit"
)

// sample records some choices of every kind.
func sample(t testing.TB) *choices.Tape {
	t.Helper()
	tape := &choices.Tape{Head: choices.Head{Engine: "1", Run: "{}", Faults: []byte("[]")}}
	l := choices.Record(tape)
	for _, c := range recorded {
		l.Add(c)
	}
	l.AddTasks([]unit.TaskID{1 << 40, 7})
	l.AddTasks(nil)
	for _, at := range []unit.Time{1, 5} {
		if err := l.Mark(at, uint64(at)<<60); err != nil {
			t.Fatal(err)
		}
	}
	return tape
}

var recorded = []choices.Choice{
	{Node: 0},
	{Node: 255, Draws: 254},
	{Node: 256, Forced: true, Draws: 255, Looked: 300},
	{Node: unit.NoNode, Draws: 1 << 40},
	{Node: unit.NoNode, Forced: true},
	{Node: choices.MaxNodes - 1, Draws: math.MaxUint64, Looked: 65_535},
}

func TestReadsWhatWasWritten(t *testing.T) {
	file, err := sample(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	tape, err := choices.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	l := choices.Replay(tape, unit.Forever)
	for i, want := range recorded {
		if got, replayed := l.Next(4); got != want || !replayed {
			t.Errorf("choice %d: %+v, want %+v", i, got, want)
		}
	}
	if list, replayed := l.NextTasks(4); !slices.Equal(list, []unit.TaskID{1 << 40, 7}) || !replayed {
		t.Errorf("tasks %v", list)
	}
	if list, replayed := l.NextTasks(4); len(list) > 0 || !replayed {
		t.Errorf("tasks %v", list)
	}
	if _, replayed := l.Next(5); replayed {
		t.Error("a choice at the end of the tape is replayed")
	}
	if !l.Check(1, 1<<60) || !l.Check(5, 5<<60) || l.Due() != unit.Forever {
		t.Error("the digests of the recorded run are refused")
	}
}

func TestChecks(t *testing.T) {
	tape := sample(t)
	for _, c := range []struct {
		reason string
		choose int
		digest uint64
		holds  bool
	}{{"all choices", len(recorded), 5 << 60, true}, {"a choice too few", len(recorded) - 1, 5 << 60, false}, {"another digest", len(recorded), 5<<60 + 1, false}, {"a choice too many", len(recorded) + 1, 5 << 60, false}} {
		l := choices.Replay(tape, unit.Forever)
		for range c.choose {
			l.Next(0)
		}
		if first, last := l.Check(1, 1<<60), l.Check(5, c.digest); first != (c.choose <= len(recorded)) || last != c.holds {
			t.Errorf("%s: %v and %v", c.reason, first, last)
		}
	}
	l := choices.Replay(tape, unit.Forever)
	l.Stop(3)
	if l.Due() != 1 || !l.Check(1, 1<<60) || l.Due() != unit.Forever || l.Replays(3) || !l.Replays(2) {
		t.Error("a stopped replay is checked after its end, or not before")
	}
}

func TestWithoutATape(t *testing.T) {
	var none *choices.Log
	none.Add(choices.Choice{})
	none.AddTasks(nil)
	none.Stop(0)
	_, replayed := none.Next(0)
	if _, tasks := none.NextTasks(0); replayed || tasks || none.Due() != unit.Forever || !none.Check(7, 7) {
		t.Error("a Log that is nil does something")
	}
}

func TestTooLarge(t *testing.T) {
	for _, c := range []choices.Choice{{Node: choices.MaxNodes}, {Looked: 1 << 16}} {
		l := choices.Record(&choices.Tape{})
		l.Add(c)
		if err := l.Mark(1, 0); err == nil || !strings.Contains(err.Error(), "32767 nodes") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// broken returns a file with its checksum right, and something else wrong.
func broken(t testing.TB, change func([]byte) []byte) []byte {
	t.Helper()
	file, err := sample(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	file = change(file[:len(file)-4])
	return binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file))
}

func TestBrokenFiles(t *testing.T) {
	whole, _ := sample(t).Bytes()
	flipped := slices.Clone(whole)
	flipped[40] ^= 1
	for want, file := range map[string][]byte{
		"does not begin as one":  []byte("PK"),
		"checksum differs":       flipped,
		"ends within its part 7": broken(t, func(b []byte) []byte { return b[:len(b)-1] }),
		"1 bytes follow":         broken(t, func(b []byte) []byte { return append(b, 0) }),
		"head: ":                 broken(t, func(b []byte) []byte { b[21] = '['; return b }),
	} {
		if _, err := choices.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for change, want := range map[string]func(*choices.Tape){
		"no check is at the end":                     func(t *choices.Tape) { t.Until = 9 },
		"checks[1] is not after the check before it": func(t *choices.Tape) { t.Checks[1].At = 1; t.Until = 1 },
	} {
		tape := sample(t)
		want(tape)
		file, _ := tape.Bytes()
		if _, err := choices.Read(file); err == nil || !strings.Contains(err.Error(), change) {
			t.Errorf("want %q: %v", change, err)
		}
	}
}

// Whatever a file holds, reading and replaying it ends.
func FuzzRead(f *testing.F) {
	whole, _ := sample(f).Bytes()
	f.Add(whole[:len(whole)-4])
	f.Add([]byte("parley choices 1\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		tape, err := choices.Read(binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file)))
		if err != nil {
			return
		}
		l := choices.Replay(tape, unit.Forever)
		for range tape.Len() + 1 {
			l.Next(tape.Until - 1)
			l.NextTasks(tape.Until - 1)
		}
		l.Check(tape.Until, 0)
		if _, err := tape.Bytes(); err != nil {
			t.Error(err)
		}
	})
}
