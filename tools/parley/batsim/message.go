package batsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/protocol"
	"parley/core/unit"
)

// message is the message of both sides: events that happened or are to be done, and when.
type message struct {
	Now    *float64 `json:"now"`
	Events []event  `json:"events"`
}

// event is an event of the simulation, or a decision of the scheduler.
type event struct {
	Timestamp *float64        `json:"timestamp"`
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
}

// seconds is a time as messages have it.
func seconds(t unit.Time) *float64 {
	s := float64(t) / 1e6
	return &s
}

// micros is a time of a message, to the nearest microsecond.
func micros(s float64) unit.Time { return unit.Time(math.Round(s * 1e6)) }

// happened returns an event that is sent.
func happened(at unit.Time, kind string, data any) event {
	text, err := json.Marshal(data)
	if err != nil {
		panic("batsim: " + err.Error()) // texts and numbers of this package
	}
	return event{seconds(at), kind, text}
}

// read reads a reply and checks its times: they ascend and are not after its now.
func read(text []byte) (*message, error) {
	var m message
	if err := protocol.Decode(text, &m); err != nil {
		return nil, err
	}
	if m.Now == nil || m.Events == nil {
		return nil, errors.New(`it needs "now" and "events"`)
	}
	last := math.Inf(-1)
	for i, e := range m.Events {
		switch {
		case e.Timestamp == nil || e.Type == "":
			return nil, fmt.Errorf("events[%d] needs timestamp and type", i)
		case *e.Timestamp < last:
			return nil, fmt.Errorf("events[%d] is at %v, before the one that comes first: timestamps ascend",
				i, *e.Timestamp)
		case *e.Timestamp > *m.Now:
			return nil, fmt.Errorf("events[%d] is at %v, after the message's now, %v", i, *e.Timestamp, *m.Now)
		}
		last = *e.Timestamp
	}
	if *m.Now > unit.Forever.Seconds()/4 {
		return nil, fmt.Errorf("now is %v s, later than any run", *m.Now)
	}
	return &m, nil
}

// maxResources limits the numbers of an allocation.
const maxResources = 10_000_000

// parseAllocation reads an allocation such as "0-3 5", in any order. The same resource twice
// is an error.
func parseAllocation(text string, limit int) ([]int, error) {
	var all []int
	for _, part := range strings.Fields(strings.ReplaceAll(text, ",", " ")) {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(last)
		}
		switch {
		case err != nil || a > b:
			return nil, fmt.Errorf("alloc is %q: write resources as in 0-3 5", text)
		case b >= limit:
			return nil, fmt.Errorf("alloc is %q: there are resources 0 to %d", text, limit-1)
		case len(all)+b-a >= limit:
			return nil, fmt.Errorf("alloc is %q: it names a resource twice", text)
		}
		for r := a; r <= b; r++ {
			all = append(all, r)
		}
	}
	slices.Sort(all)
	switch {
	case len(all) == 0:
		return nil, errors.New("alloc is empty")
	case len(slices.Compact(slices.Clone(all))) < len(all):
		return nil, fmt.Errorf("alloc is %q: it names a resource twice", text)
	}
	return all, nil
}

// formatAllocation writes an allocation: intervals as long as can be, in rising order.
func formatAllocation(resources []int) string {
	var b strings.Builder
	for i := 0; i < len(resources); {
		j := i
		for j+1 < len(resources) && resources[j+1] == resources[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(resources[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(resources[j]))
		}
		i = j + 1
	}
	return b.String()
}
