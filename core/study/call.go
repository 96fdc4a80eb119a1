package study

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
)

// Call is a run of a named function with its arguments, instead of a scenario.
type Call struct {
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
}

// Function computes figures from a seed and arguments only, so the same ones give the
// same figures. A figure that is not a finite number counts as missing. An error is one
// sentence.
type Function func(seed uint64, arguments json.RawMessage) (map[string]float64, error)

// Functions are the functions that a study can name.
type Functions map[string]Function

// Find returns a function by its name.
func (all Functions) Find(name string) (Function, error) {
	if f := all[name]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("function is %q, which is not known here; there are %s", shorten(name),
		shorten2(slices.Sorted(maps.Keys(all))))
}

// call returns the call with values put in place of some arguments. A path with dots leads
// into an argument that is an object.
func (s *Study) call(changes []change) (*Call, error) {
	arguments := maps.Clone(s.doc.Arguments)
	if arguments == nil {
		arguments = map[string]json.RawMessage{}
	}
	for _, c := range changes {
		if err := put(arguments, c.path, c.value); err != nil {
			return nil, fmt.Errorf("%q: %w", shorten(c.path), err)
		}
	}
	text, err := json.Marshal(arguments)
	return &Call{s.Function, text}, err
}

// put sets a value at a path of names with points between them, in an object; objects on the way that are missing
// are made.
func put(into map[string]json.RawMessage, path string, value json.RawMessage) error {
	name, rest, inner := strings.Cut(path, ".")
	if !inner {
		into[name] = value
		return nil
	}
	within := map[string]json.RawMessage{}
	if old := into[name]; old != nil {
		if err := json.Unmarshal(old, &within); err != nil {
			return fmt.Errorf("the argument %q is no object, so nothing in it can be set", shorten(name))
		}
	}
	if err := put(within, rest, value); err != nil {
		return err
	}
	text, err := json.Marshal(within)
	into[name] = text
	return err
}

// identify returns the name of a call by its content, as Identify does for a scenario.
func (c *Call) identify(seed uint64, engine string) string {
	return nameOf(fmt.Appendf(nil, "parley call 1\nengine %s\n%s %d\n%s", engine, c.Function, seed,
		canonical(c.Arguments)))
}

// Play makes the call and returns its result. The digest covers all figures.
func (all Functions) Play(r Run, engine string) (Result, error) {
	f, err := all.Find(r.Call.Function)
	if err != nil {
		return Result{}, err
	}
	figures, err := f(r.Seed, r.Call.Arguments)
	if err != nil {
		return Result{}, err
	}
	x := Result{ID: r.ID, Engine: engine, Seed: r.Seed, Figures: map[string]float64{}}
	digest := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if value := figures[name]; !math.IsNaN(value) && !math.IsInf(value, 0) {
			x.Figures[name] = value
			fmt.Fprintf(digest, "%s %x\n", name, math.Float64bits(value))
		}
	}
	x.Digest = fmt.Sprintf("%016x", digest.Sum64())
	return x, nil
}

// Player makes the calls of studies.
type Player struct {
	Functions Functions
	// Each plays the parts 0 to n-1, in any order or several at the same time, and returns
	// the error of the first part that has one; nil: one after the other.
	Each   func(n int, part func(i int) error) error
	Report func(doing string) error // receives the next call, and may end the study with an error; may be nil
	Keep   func(Result) error       // receives each result; may be nil
}

// Play makes the calls of s that are missing and adds their results to have. With an error
// the results before it are added too.
func (p Player) Play(s *Study, have *Results) error {
	queue := NewQueue(s, have, Shard{Of: 1})
	for {
		batch, err := queue.takeAll()
		if err != nil || len(batch) == 0 {
			return err
		}
		played := make([]*Result, len(batch))
		failed := p.each(len(batch), func(i int) (err error) {
			played[i], err = p.call(s, batch[i], have.Engine)
			return err
		})
		for i, r := range batch {
			if played[i] == nil {
				continue
			}
			if err := have.Add(*played[i], "this study"); err != nil {
				return err
			}
			if err := queue.Done(r, false); err != nil {
				return err
			}
		}
		if failed != nil {
			return failed
		}
	}
}

func (p Player) each(n int, part func(i int) error) error {
	if p.Each != nil {
		return p.Each(n, part)
	}
	for i := range n {
		if err := part(i); err != nil {
			return err
		}
	}
	return nil
}

// call plays one run of a function and keeps its result.
func (p Player) call(s *Study, r Run, engine string) (*Result, error) {
	if p.Report != nil {
		if err := p.Report(s.Describe(r)); err != nil {
			return nil, err
		}
	}
	x, err := p.Functions.Play(r, engine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Describe(r), err)
	}
	x.At = s.Where(r)
	if p.Keep != nil {
		err = p.Keep(x)
	}
	return &x, err
}

// Describe names a run by its cell and seed. Of axes that take their values together with
// an axis name it gives the name alone.
func (s *Study) Describe(r Run) string {
	var words []string
	values := s.Cell(r.Cell).Values
	for _, g := range s.groups {
		named := slices.IndexFunc(g.axes, func(i int) bool { return s.Axes[i].Path == "name" })
		for k, i := range g.axes {
			switch label := s.label(s.Axes[i].Path, values[i]); {
			case named < 0:
				words = append(words, s.Axes[i].Path+" "+label)
			case named == k:
				words = append(words, label)
			}
		}
	}
	return strings.Join(append(words, fmt.Sprintf("seed %d", r.Seed)), ", ")
}

// Argument reads an argument of the function into a value. It returns false if the
// argument is missing or has another type.
func (s *Study) Argument(name string, into any) bool {
	return s.doc.Arguments[name] != nil && json.Unmarshal(s.doc.Arguments[name], into) == nil
}

// With returns the study with n seeds from its first one on, if n is not 0, and with other
// arguments of its function.
func (s *Study) With(n int, arguments map[string]json.RawMessage) (*Study, error) {
	doc := s.doc
	if n > 0 {
		list := make([]uint64, n)
		for i := range list {
			list[i] = s.Seeds[0] + uint64(i)
		}
		doc.Seeds = &seeds{span[uint64]{values: list}}
	}
	doc.Arguments = maps.Clone(doc.Arguments)
	for name, value := range arguments {
		doc.Arguments[name] = value
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return Parse(text, nil)
}
