package program

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"parley/core/scenario"
)

// Limits of a program. They are counts, so that a run ends at the same place everywhere.
const (
	MaxText     = scenario.MaxProgram // bytes of a program
	MaxSteps    = 10_000_000          // of one call of a hook; operations that grow or scan a value count its size
	MaxString   = 8 << 10             // bytes of a text
	MaxTuple    = 1000                // values in a tuple, counted as often as they are held
	MaxBits     = 2048                // of a whole number
	maxDepth    = 100                 // of values within values
	MaxState    = 2_000_000           // values in state
	maxSettings = 32
	MaxWakes    = 100_000 // that are to come
)

// The errors of the guard. The sentences continue "line 3, column 5: ".
var (
	errSteps = fmt.Errorf("this call needs more than %d steps: a loop does not end, or it looks at too much", MaxSteps)
	errText  = fmt.Errorf("the text would be longer than %d bytes", MaxString)
	errTuple = fmt.Errorf("the tuple would hold more than %d values: use a list", MaxTuple)
	errBits  = fmt.Errorf("the whole number would have more than %d bits", MaxBits)
	errDepth = fmt.Errorf("values are nested more than %d deep", maxDepth)
)

// charge counts n more steps, and fails if the call has too few left. Operations are charged before
// they run, so that none begins that cannot finish.
func charge(thread *starlark.Thread, n int) error {
	if n < 0 || thread.Steps+uint64(n) >= MaxSteps {
		thread.Steps = MaxSteps
		return errSteps
	}
	thread.Steps += uint64(n)
	return nil
}

// weigh returns how much an operation touches that goes through all of a value: one for
// each value in it, as often as it is held, and one for each eight bytes of text. It
// fails if that is more than limit.
func weigh(v starlark.Value, limit int) (int, error) {
	w := weight{limit: limit}
	err := w.add(v, 0)
	return w.sum, err
}

var errHeavy = errors.New("too heavy")

type weight struct {
	sum, limit int
	hashed     bool // follows hashable values only: a list in a tuple counts as one
}

// add adds the weight of a value to w.sum. It returns errHeavy as soon as the sum exceeds w.most, and
// errDepth for values nested too deep; the sum is incomplete then.
func (w *weight) add(v starlark.Value, depth int) error {
	if depth > maxDepth { // before its contents: a list may hold itself
		return errDepth
	}
	if w.sum++; w.sum > w.limit {
		return errHeavy
	}
	if _, isTuple := v.(starlark.Tuple); w.hashed && !isTuple {
		if text, is := v.(starlark.String); is {
			w.sum += len(text) / 8
		}
		return nil
	}
	switch v := v.(type) {
	case starlark.String:
		w.sum += len(v) / 8
	case starlark.Tuple:
		for _, one := range v {
			if err := w.add(one, depth+1); err != nil {
				return err
			}
		}
	case *starlark.List:
		for i := range v.Len() {
			if err := w.add(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for key, value := range v.Entries() {
			if err := w.add(key, depth+1); err != nil {
				return err
			}
			if err := w.add(value, depth+1); err != nil {
				return err
			}
		}
	case *starlark.Set:
		w.sum += v.Len() * 4 // hashable values are small
	case starlark.Sequence:
		w.sum += v.Len()
	}
	if w.sum > w.limit {
		return errHeavy
	}
	return nil
}

// chargeAll charges the weight of values, times a factor. It fails with errSteps before the call exceeds
// its steps.
func chargeAll(thread *starlark.Thread, times int, values ...starlark.Value) error {
	left := MaxSteps - int(min(thread.Steps, MaxSteps))
	for _, v := range values {
		n, err := weigh(v, left/max(1, times))
		if errors.Is(err, errHeavy) {
			err = charge(thread, MaxSteps)
		}
		if err == nil {
			err = charge(thread, n*times)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checked returns the result of an operation if it is within the limits of programs, and otherwise an
// error. An error of the operation is returned as it is.
func checked(v starlark.Value, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.String:
		if len(v) > MaxString {
			return nil, errText
		}
	case starlark.Tuple:
		w := weight{limit: MaxTuple, hashed: true}
		if err := w.add(v, 0); err != nil {
			if errors.Is(err, errHeavy) {
				err = errTuple
			}
			return nil, err
		}
	case starlark.Int:
		if _, small := v.Int64(); !small && v.BigInt().BitLen() > MaxBits {
			return nil, errBits
		}
	}
	return v, nil
}
