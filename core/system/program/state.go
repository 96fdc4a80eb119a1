package program

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"
)

// store is the value state of a program: names with values that its hooks may change.
// Copies of a run copy it, so it holds plain values only: numbers, texts, lists, dicts,
// sets and tuples.
type store struct{ fields starlark.StringDict }

func (s *store) String() string        { return "state" }
func (s *store) Type() string          { return "state" }
func (s *store) Freeze()               {}
func (s *store) Truth() starlark.Bool  { return len(s.fields) > 0 }
func (s *store) Hash() (uint32, error) { return 0, fmt.Errorf("state has no hash") }

// AttrNames implements starlark.HasAttrs.
func (s *store) AttrNames() []string { return slices.Sorted(maps.Keys(s.fields)) }

// Attr implements starlark.HasAttrs.
func (s *store) Attr(name string) (starlark.Value, error) {
	if v, has := s.fields[name]; has {
		return v, nil
	}
	return nil, fmt.Errorf("state has no %s: give it a value in on_start, as in state.%s = []", name, name)
}

// SetField implements starlark.HasSetField.
func (s *store) SetField(name string, v starlark.Value) error {
	if _, has := s.fields[name]; !has && len(s.fields) >= 1000 {
		return fmt.Errorf("state has 1000 names already: keep more in a dict")
	}
	s.fields[name] = v
	return nil
}

// plain looks for values that state may not hold.
type plain struct {
	seen  map[starlark.Value]bool
	count int
	root  string
	path  []step
}

// step is a step into a value. It is put into words only in an error.
type step struct {
	form string
	at   any
}

// size returns how many values state holds, and an error that names the path to the
// first that it may not hold.
func (s *store) size() (int, error) {
	p := plain{seen: map[starlark.Value]bool{}}
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		p.root = "state." + name
		if err := p.visit(s.fields[name]); err != nil {
			return 0, err
		}
	}
	return p.count, nil
}

// onlyPlain returns an error if a value holds one that cannot be kept.
func onlyPlain(name string, v starlark.Value) error {
	p := plain{seen: map[starlark.Value]bool{}, root: name}
	return p.visit(v)
}

// visit counts a value and the values in it, and returns an error that names the path to the first that
// state may not hold. Lists, dicts and sets are visited once, even if they are held twice or hold
// themselves. A text counts one more for each eight bytes.
func (p *plain) visit(v starlark.Value) error {
	if p.count++; p.count > MaxState {
		return fmt.Errorf("state holds more than %d values: keep less", MaxState)
	}
	if len(p.path) > maxDepth {
		return errDepth
	}
	switch v := v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float:
		return nil
	case starlark.String:
		p.count += len(v) / 8
		return nil
	case starlark.Tuple:
		for i, one := range v {
			if err := p.within("[%d]", i, one); err != nil {
				return err
			}
		}
		return nil
	case *starlark.List:
		if p.known(v) {
			return nil
		}
		for i := range v.Len() {
			if err := p.within("[%d]", i, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case *starlark.Dict:
		if p.known(v) {
			return nil
		}
		for key, value := range v.Entries() {
			if err := p.within("[%v] (the key)", key, key); err != nil {
				return err
			}
			if err := p.within("[%v]", key, value); err != nil {
				return err
			}
		}
		return nil
	case *starlark.Set:
		if p.known(v) {
			return nil
		}
		for one := range v.Elements() {
			if err := p.within(" (%v)", one, one); err != nil {
				return err
			}
		}
		return nil
	}
	keep := "keep a number or a text"
	if t := v.Type(); t == "task" || t == "node" || t == "job" {
		keep = "keep its " + t + ".id"
	}
	path := p.root
	for _, part := range p.path {
		path += fmt.Sprintf(part.form, part.at)
	}
	return fmt.Errorf("%s is of the type %s, which cannot be kept: %s", path, v.Type(), keep)
}

// known reports whether a value was met before, and marks it as met.
func (p *plain) known(v starlark.Value) bool {
	if p.seen[v] {
		return true
	}
	p.seen[v] = true
	return false
}

// within visits a value inside another, at a place that form describes. Numbers, None and truth values
// are counted without a step on the path, because they cannot fail; paths become text only in errors.
func (p *plain) within(form string, at any, v starlark.Value) error {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float:
		if p.count++; p.count <= MaxState {
			return nil
		}
	}
	p.path = append(p.path, step{form, at})
	err := p.visit(v)
	p.path = p.path[:len(p.path)-1]
	return err
}
