package swf

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/words"
)

// Header holds the values of a log's header lines that a run or a reader needs.
// Numbers are 0 if it says nothing.
type Header struct {
	Version       string `json:"version"`
	Computer      string `json:"computer"`
	MaxJobs       int64  `json:"max_jobs"`
	MaxRecords    int64  `json:"max_records"`
	MaxNodes      int64  `json:"max_nodes"`
	MaxProcs      int64  `json:"max_procs"`
	UnixStartTime int64  `json:"unix_start_time"`
	TimeZone      string `json:"time_zone,omitempty"`
	procs         string // MaxProcs as it stands there; empty: it does not
	queues        []namedQueue
}

// namedQueue is a queue with a name: Queue: 1 batch.
type namedQueue struct {
	number uint32
	name   string
}

// maxQueues limits the queues of a header.
const maxQueues = 1000

// maxText limits the bytes kept of a header's text.
const maxText = 200

// read takes a header line.
func (h *Header) read(line []byte) {
	name, value, _ := bytes.Cut(bytes.TrimLeft(line, "; \t"), []byte(":"))
	value = bytes.TrimSpace(value)
	text := string(value[:min(len(value), maxText)])
	switch string(bytes.TrimSpace(name)) {
	case "Version":
		h.Version = text
	case "Computer":
		h.Computer = text
	case "TimeZoneString":
		h.TimeZone = text
	case "MaxJobs":
		h.MaxJobs = leadingNumber(value)
	case "MaxRecords":
		h.MaxRecords = leadingNumber(value)
	case "MaxNodes":
		h.MaxNodes = leadingNumber(value)
	case "MaxProcs":
		h.MaxProcs, h.procs = leadingNumber(value), text
	case "UnixStartTime":
		h.UnixStartTime = leadingNumber(value)
	case "Queue":
		number, name, _ := bytes.Cut(value, []byte(" "))
		n, reason := trace.Whole(number, math.MaxInt32)
		if text := string(bytes.TrimSpace(name)); reason == "" && text != "" && len(text) <= maxText &&
			len(h.queues) < maxQueues {
			if _, digits := trace.Whole([]byte(text), math.MaxInt64); digits != "" { // "Queue: 2 0" names none
				h.queues = append(h.queues, namedQueue{uint32(n), text})
			}
		}
	}
}

// leadingNumber returns the number that a header's value begins with, 0 if it begins with none; some are
// followed by a remark. 1e3 and 1,000 are a thousand.
func leadingNumber(value []byte) int64 {
	end := bytes.IndexFunc(value, func(c rune) bool {
		return c != ',' && c != '.' && c != 'e' && c != 'E' && c != '+' && (c < '0' || c > '9')
	})
	if end < 0 {
		end = len(value)
	}
	word := string(bytes.TrimRight(value[:end], ",."))
	if n, reason := trace.Whole([]byte(word), 1<<40); reason == "" {
		return int64(n)
	}
	if x, err := strconv.ParseFloat(strings.ReplaceAll(word, ",", ""), 64); err == nil && x == math.Trunc(x) &&
		x <= 1<<40 {
		return int64(x)
	}
	return 0
}

// Machine is the machine that a log is played on.
type Machine struct {
	Nodes      int64  `json:"nodes"`
	Processors int64  `json:"processors"`
	PerNode    int64  `json:"processors_per_node"` // of all but perhaps the last
	From       string `json:"from"`                // the source of the numbers, for people
}

// maxNodes limits the nodes of an assumed machine: as many as a picture has.
const maxNodes = 100_000

// hasProcessors reports whether MaxProcs is a number of processors.
func (h *Header) hasProcessors() bool { return h.MaxProcs > 0 && h.MaxProcs <= maxProcessors }

// machineOf returns the machine of a header; without MaxProcs that of the largest
// job.
func machineOf(h *Header, largest int64) Machine {
	m := Machine{Processors: h.MaxProcs, From: "MaxProcs of the header"}
	if !h.hasProcessors() {
		m.Processors, m.From = max(1, largest), "the largest job, since the header has no MaxProcs"
		if h.procs != "" {
			m.From = "the largest job, since the header's MaxProcs is " + strconv.Quote(h.procs) + " and not from 1 to " + strconv.Itoa(maxProcessors)
		}
	}
	m.PerNode = 1
	if h.MaxNodes > 0 && h.MaxNodes < m.Processors {
		m.PerNode = (m.Processors + h.MaxNodes - 1) / h.MaxNodes
		m.From += " and MaxNodes"
	}
	m.PerNode = max(m.PerNode, (m.Processors+maxNodes-1)/maxNodes)
	m.Nodes = (m.Processors + m.PerNode - 1) / m.PerNode
	return m
}

// String returns a sentence about the machine that was assumed.
func (m Machine) String() string {
	return "machines assumed: " + words.Count(m.Nodes, "node") + " of " + words.Count(m.PerNode, "processor") +
		", " + strconv.FormatInt(m.Processors, 10) + " in all, from " + m.From
}
