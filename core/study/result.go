package study

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/core/strict"
)

// Result is the stored result of a run: one line of JSON.
type Result struct {
	ID         string                     `json:"id"`
	Engine     string                     `json:"engine"`
	At         map[string]json.RawMessage `json:"at,omitempty"` // the axes' values, for people
	Seed       uint64                     `json:"seed"`
	Digest     string                     `json:"digest"`
	SimulatedS float64                    `json:"simulated_s"`
	WallS      float64                    `json:"wall_s"`
	MemoryMB   float64                    `json:"memory_mb"` // peak resident memory; 0 if unknown
	Machine    string                     `json:"machine,omitempty"`
	Figures    map[string]float64         `json:"figures"`
	Warnings   []string                   `json:"warnings,omitempty"`
	// of the line before this field, in 8 hex digits; empty: an earlier version wrote it
	Sum string `json:"crc32,omitempty"`
}

// NewResult summarises the JSON report of a run. The caller, which knows the sweep, sets
// At.
func NewResult(r Run, report []byte, memoryMB float64) (Result, error) {
	x := Result{MemoryMB: memoryMB}
	if err := json.Unmarshal(report, &x); err != nil {
		return x, fmt.Errorf("the report of the run %s cannot be read: %w", r.ID, err)
	}
	x.ID, x.Seed = r.ID, r.Seed
	var err error
	x.Figures, err = Figures(report)
	return x, err
}

// Where returns the values of the axes with which a run is played.
func (s *Study) Where(r Run) map[string]json.RawMessage {
	at := map[string]json.RawMessage{}
	for i, v := range s.Cell(r.Cell).Values {
		at[s.Axes[i].Path] = v
	}
	if r.Probe >= 0 {
		at[s.Search.Axis] = s.Search.value(r.Probe)
	}
	return at
}

// Figures returns the numbers of a report by name: metrics and figures of the system by
// their own names, others by their path (jobs.wait_s.mean). Lists and figures of single
// users are left out.
func Figures(report []byte) (map[string]float64, error) {
	var doc map[string]any
	if err := json.Unmarshal(report, &doc); err != nil {
		return nil, err
	}
	out := map[string]float64{}
	if events, is := doc["events"].(float64); is {
		out["events"] = events
	}
	for _, part := range []string{"system", "metrics"} {
		values, _ := doc[part].(map[string]any)
		for name, v := range values {
			if x, is := v.(float64); is {
				out[name] = x
			}
		}
	}
	for _, part := range []string{"tasks", "jobs", "graphs"} {
		flatten(out, part, doc[part])
	}
	return out, nil
}

func flatten(out map[string]float64, path string, v any) {
	switch v := v.(type) {
	case float64:
		out[path] = v
	case map[string]any:
		for name, inner := range v {
			if name != "by_user" {
				flatten(out, path+"."+name, inner)
			}
		}
	}
}

// Line returns r as a line of a file of results, with its checksum.
func (r Result) Line() ([]byte, error) {
	r.Sum = ""
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	line = line[:len(line)-len("}")]
	return append(append(line, sumOf(line)...), '\n'), nil
}

// sumOf returns the end of a line that begins with these bytes: its checksum.
func sumOf(line []byte) string { return fmt.Sprintf(`,"crc32":"%08x"}`, crc32.ChecksumIEEE(line)) }

// intact reports whether a line ends with its checksum.
func intact(line []byte) bool {
	line = bytes.TrimSpace(line)
	at := len(line) - len(sumOf(nil))
	return at > 0 && string(line[at:]) == sumOf(line[:at])
}

// Outcome is a result in memory.
type Outcome struct {
	Digest   string
	WallS    float64
	MemoryMB float64
	from     string // the file
	warnings []string
	names    *names
	values   []float64
}

// names are the figures that many results share, in alphabetical order.
type names struct {
	list  []string
	index map[string]int
}

// Figure returns a figure, if the run has it.
func (o *Outcome) Figure(name string) (float64, bool) {
	i, has := o.names.index[name]
	if !has {
		return 0, false
	}
	return o.values[i], true
}

// Results holds the results of one engine, from all files and machines.
type Results struct {
	Engine  string
	Others  map[string]int // results that another engine made, by its version: they count for nothing
	Repairs int            // last lines that were written by half and passed over
	NoSums  int            // lines of earlier versions, which have no checksum
	byID    map[string]*Outcome
	shared  map[string]*names
}

// NewResults returns an empty collection for an engine.
func NewResults(engine string) *Results {
	return &Results{Engine: engine, Others: map[string]int{}, byID: map[string]*Outcome{}, shared: map[string]*names{}}
}

// Len returns the number of finished runs.
func (r *Results) Len() int { return len(r.byID) }

// Get returns the outcome of a run, or nil if it is missing.
func (r *Results) Get(id string) *Outcome { return r.byID[id] }

// Conflict is the error that two results of one run differ: it was not the same program, or the
// program is not deterministic, and no table should hide it.
type Conflict struct {
	Result        Result
	Digests, From [2]string
	Figure        string // the figure that differs, if the digests are equal
}

// Error implements error.
func (c *Conflict) Error() string {
	difference := fmt.Sprintf("the digest %s in %s and %s in %s", c.Digests[0], c.From[0], c.Digests[1], c.From[1])
	if c.Figure != "" {
		difference = fmt.Sprintf("the digest %s and yet another %s in %s than in %s", c.Digests[0], c.Figure, c.From[0],
			c.From[1])
	}
	return fmt.Sprintf(
		"the run %s (%s) has %s: the two were not made by one program; remove the lines of the wrong one", c.Result.ID,
		c.Result.where(), difference,
	)
}

// Where names the axes and the seed of the run.
func (c *Conflict) Where() string { return c.Result.where() }

func (r Result) where() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.At)) {
		fmt.Fprintf(&b, "%s %s, ", shorten(name), shorten(string(r.At[name])))
	}
	fmt.Fprintf(&b, "seed %d", r.Seed)
	return b.String()
}

// Add adds a result that was read from a file. A result that is already there changes
// nothing, in any order; one that differs is a *Conflict.
func (r *Results) Add(x Result, from string) error {
	if err := x.check(); err != nil {
		return err
	}
	if x.Engine != r.Engine {
		r.Others[x.Engine]++
		return nil
	}
	o := r.outcome(x, from)
	old := r.byID[x.ID]
	if old == nil {
		r.byID[x.ID] = o
		return nil
	}
	if figure := old.differs(o); old.Digest != o.Digest || figure != "" {
		if old.Digest != o.Digest {
			figure = ""
		}
		return &Conflict{x, [2]string{old.Digest, o.Digest}, [2]string{old.from, from}, figure}
	}
	if o.WallS < old.WallS || o.WallS == old.WallS && o.MemoryMB < old.MemoryMB {
		old.WallS, old.MemoryMB = o.WallS, o.MemoryMB
	}
	return nil
}

func (x Result) check() error {
	switch {
	case !isHex(x.ID, 32):
		return fmt.Errorf("id is %q, not 32 hex digits", shorten(x.ID))
	case !isHex(x.Digest, 16):
		return fmt.Errorf("digest is %q, not 16 hex digits", shorten(x.Digest))
	case x.Engine == "" || len(x.Engine) > maxText:
		return fmt.Errorf("engine is %q, no version", shorten(x.Engine))
	case !(x.WallS >= 0 && x.MemoryMB >= 0 && x.SimulatedS >= 0):
		return errors.New("a time or an amount of memory is below 0")
	}
	return nil
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// outcome returns the outcome of a result. Results with the same figures share the list of names.
func (r *Results) outcome(x Result, from string) *Outcome {
	list := slices.Sorted(maps.Keys(x.Figures))
	key := strings.Join(list, "\n")
	shared := r.shared[key]
	if shared == nil {
		shared = &names{list, map[string]int{}}
		for i, name := range list {
			shared.index[name] = i
		}
		r.shared[key] = shared
	}
	o := &Outcome{
		Digest: x.Digest, WallS: x.WallS, MemoryMB: x.MemoryMB, from: from, warnings: x.Warnings,
		names: shared,
	}
	for _, name := range list {
		o.values = append(o.values, x.Figures[name])
	}
	return o
}

// differs names a figure that two outcomes do not have in common.
func (o *Outcome) differs(other *Outcome) string {
	for i, name := range o.names.list {
		if x, has := other.Figure(name); !has || math.Float64bits(x) != math.Float64bits(o.values[i]) {
			return name
		}
	}
	for _, name := range other.names.list {
		if _, has := o.Figure(name); !has {
			return name
		}
	}
	return ""
}

// maxLine limits a line of results.
const maxLine = 4 << 20

// Read takes the lines of a file of results, and refuses one that does not match its checksum.
// The last line may be incomplete if the program ended while writing it: it is counted and
// skipped. Read returns the number of bytes of whole lines; the file may be cut there and
// continued.
func (r *Results) Read(from string, text io.Reader) (whole int64, err error) {
	lines := bufio.NewReaderSize(text, 1<<16)
	summed := false
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		for long := line; errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine; {
			long = bytes.Clone(line)
			var more []byte
			more, err = lines.ReadSlice('\n')
			line = append(long, more...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return whole, fmt.Errorf("%s, line %d is longer than %d bytes: that is no file of results", from,
				number, maxLine)
		case err != nil && !errors.Is(err, io.EOF):
			return whole, fmt.Errorf("%s cannot be read: %w", from, err)
		case err != nil: // the last line has no end
			if len(bytes.TrimSpace(line)) > 0 {
				r.Repairs++
			}
			return whole, nil
		}
		whole += int64(len(line))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var x Result
		if err := strict.Part(line, &x); err != nil {
			return whole, broken(from, number, err)
		}
		if x.Sum == "" && summed {
			return whole, broken(from, number,
				errors.New("it has no checksum, and a line before it has one: somebody wrote or altered it"))
		}
		if summed = summed || x.Sum != ""; x.Sum == "" {
			r.NoSums++
		} else if !intact(line) {
			return whole, broken(from, number,
				errors.New("it was altered after it was written, for its checksum is of another line"))
		}
		if err := r.Add(x, from); errors.As(err, new(*Conflict)) {
			return whole, err
		} else if err != nil {
			return whole, broken(from, number, err)
		}
	}
}

func broken(from string, line int, err error) error {
	return fmt.Errorf("%s, line %d is no result: %w; remove the line, and its run is played again", from, line, err)
}

// leavesJobs reports whether a run of rigid jobs ended before all of them had.
func (o *Outcome) leavesJobs() bool {
	for _, name := range [...]string{"jobs.waiting", "jobs.running"} {
		if i, has := o.names.index[name]; has && o.values[i] > 0 {
			return true
		}
	}
	return false
}
