package workflow

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"parley/core/trace"
)

// The Standard Task Graph format: how many tasks there are, then a line for each
// of them and for two of no work, the first and the last: number, work, how many
// it needs, and which. Lines that begin with # are about how it was drawn.

// detectSTG reports whether a file begins with one whole number on a line and at
// least three on the next.
func detectSTG(head []byte) bool {
	first, second := -1, -1
	for line := range bytes.Lines(head) {
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		for _, w := range words {
			if _, err := strconv.ParseUint(string(w), 10, 64); err != nil {
				return false
			}
		}
		if first < 0 {
			first = len(words)
			continue
		}
		second = len(words)
		break
	}
	return first == 1 && (second >= 3 || second < 0)
}

// readSTG reads a graph of the Standard Task Graph Set: the number of tasks n, then n+2 lines, for the tasks and
// for a first and a last one of no work, each with its number, its work and the tasks that it needs.
func readSTG(name string, doc []byte) (*builder, error) {
	b := newBuilder(name)
	b.noFiles = true
	stated, number := int64(-1), 0
	needs := map[int32][]int32{}
	for line := range bytes.Lines(doc) {
		number++
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		values := make([]int64, len(words))
		for i, w := range words {
			x, err := strconv.ParseInt(string(w), 10, 64)
			if err != nil || x < 0 || x > math.MaxInt32 && i != 1 {
				return nil, fault(name, number, stgColumn(i, stated < 0), string(w),
					"is not a whole number of at least 0", "correct the line")
			}
			values[i] = x
		}
		if stated < 0 {
			if len(values) != 1 {
				return nil, fault(name, number, "", string(line), "should hold the number of tasks alone",
					"correct the line")
			}
			stated = values[0]
			continue
		}
		v := int64(len(b.tasks))
		if v == stated+2 {
			return nil, fault(name, number, "number", string(words[0]),
				fmt.Sprintf("is one task too many: %d and two of no work were announced", stated),
				"correct the first line")
		}
		if len(values) < 3 || int64(len(values)) != 3+values[2] {
			return nil, fault(name, number, "", string(bytes.TrimSpace(line)),
				"does not list as many needed tasks as it says", "correct the line")
		}
		if values[0] != v {
			return nil, fault(name, number, "number", string(words[0]),
				fmt.Sprintf("should be %d: tasks are numbered in their order", v), "correct the line")
		}
		id, err := b.add(string(words[0]), number, task{})
		if err != nil {
			return nil, err
		}
		b.tasks[id].Work = float64(values[1])
		for _, from := range values[3:] {
			if from > stated+1 {
				return nil, fault(name, number, "needs", fmt.Sprint(from),
					fmt.Sprintf("is no task: the last is %d", stated+1), "correct the line")
			}
			needs[id] = append(needs[id], int32(from))
		}
	}
	if int64(len(b.tasks)) != stated+2 {
		return nil, &trace.Error{
			Kind: trace.Damaged, File: name,
			Reason: fmt.Sprintf("it announces %d tasks and two of no work, but holds %d", stated, len(b.tasks)),
			Hint:   "download it again",
		}
	}
	for to := range b.tasks {
		for _, from := range needs[int32(to)] {
			if err := b.arc(from, int32(to), b.tasks[to].line); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// stgColumn names a field of a line.
func stgColumn(i int, first bool) string {
	if first {
		return "number of tasks"
	}
	return [...]string{"number", "work", "how many it needs", "needs"}[min(i, 3)]
}
