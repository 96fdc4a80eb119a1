package program

import (
	"fmt"
	"math/bits"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// guard adds to the names of a program the functions that the rewriter calls, and Starlark's own
// functions with their charges. Functions of no use to programs are refused.
func guard(names starlark.StringDict, methods []string) {
	for _, op := range binary {
		names[op.String()] = starlark.NewBuiltin(op.String(), func(thread *starlark.Thread, _ *starlark.Builtin,
			args starlark.Tuple, _ []starlark.Tuple,
		) (starlark.Value, error) {
			return operate(thread, op, args[0], args[1])
		})
	}
	for _, pair := range inPlace {
		names[pair[1].String()+"="] = starlark.NewBuiltin(pair[0].String(),
			func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value,
				error,
			) {
				return operateInPlace(thread, pair[1], args[0], args[1])
			})
	}
	names["()"] = starlark.NewBuiltin("()", makeTuple)
	names["[:]"] = starlark.NewBuiltin("[:]", chargeLength)
	for _, m := range methods {
		names["."+m] = starlark.NewBuiltin("."+m, callMethod)
	}
	for name, v := range starlark.Universe {
		own, isFunction := v.(*starlark.Builtin)
		if !isFunction {
			continue
		}
		does := builtin(callUniversal)
		switch name {
		case "len", "type", "bool", "abs", "range", "chr", "ord":
			continue // a step each
		case "bytes", "dir", "getattr", "hasattr", "hash":
			does = refuse
		case "print":
			does = refusePrint
		case "sorted", "min", "max":
			does = callOrdering
		}
		names[name] = starlark.NewBuiltin(own.Name(), does)
	}
}

func refuse(_ *starlark.Thread, fn *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return nil, fmt.Errorf("there is no %s in programs", fn.Name())
}

func refusePrint(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return nil, fmt.Errorf("there is no print in programs: note(text) writes into the run's notes")
}

// operate computes a binary operator of a program. It charges the sizes of the operands first, and
// refuses a result beyond the limits.
func operate(thread *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if !quick(x) || !quick(y) {
		if err := chargeOperator(thread, op, x, y); err != nil {
			return nil, err
		}
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	case syntax.NOT_IN:
		is, err := starlark.Binary(syntax.IN, x, y)
		if err != nil {
			return nil, err
		}
		return !is.Truth(), nil
	}
	return checked(starlark.Binary(op, x, y))
}

// quick reports whether every operator takes one step with a value: a number that fills at most a half
// word, a truth value or None.
func quick(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.Float, starlark.Bool, starlark.NoneType:
		return true
	case starlark.Int:
		small, is := v.Int64()
		return is && small < 1<<31 && small > -1<<31
	}
	return false
}

// chargeOperator charges the size of the values that an operator reads or makes, before it runs: for *
// the size of the result, for % the values once for each time that the format may name them, for in the
// part that is searched.
func chargeOperator(thread *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	switch op {
	case syntax.STAR:
		for _, pair := range [2][2]starlark.Value{{x, y}, {y, x}} {
			length, times := starlark.Len(pair[0]), 0
			if text, is := pair[0].(starlark.String); is {
				length = len(text) / 8
			}
			if length < 0 {
				continue
			}
			if starlark.AsInt(pair[1], &times) != nil {
				times = MaxSteps
			}
			if high, n := bits.Mul64(uint64(max(0, length)+1), uint64(max(0, times))); high > 0 || n > MaxSteps {
				return charge(thread, MaxSteps)
			} else if err := charge(thread, int(n)); err != nil {
				return err
			}
		}
		return chargeAll(thread, 1, x, y)
	case syntax.PERCENT:
		times := 1
		if format, is := x.(starlark.String); is { // a dict's values are written as often as the format names them
			times += strings.Count(string(format), "(")
		}
		return chargeAll(thread, 4*times, x, y)
	case syntax.IN, syntax.NOT_IN:
		if _, isMap := y.(*starlark.Dict); isMap {
			return nil
		}
		if _, isSet := y.(*starlark.Set); isSet {
			return nil
		}
		if quick(x) {
			return charge(thread, max(0, starlark.Len(y)))
		}
		return chargeAll(thread, 1, x, y)
	}
	return chargeAll(thread, 1, x, y)
}

// operateInPlace does x += y and its like: a list, dict or set stays the same one.
func operateInPlace(thread *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch at := x.(type) {
	case *starlark.List:
		if iterable, is := y.(starlark.Iterable); is && op == syntax.PLUS {
			if err := charge(thread, max(0, starlark.Len(iterable))); err != nil {
				return nil, err
			}
			return x, called(thread, at, "extend", y)
		}
	case *starlark.Dict:
		if other, is := y.(*starlark.Dict); is && op == syntax.PIPE {
			if err := charge(thread, other.Len()*4); err != nil {
				return nil, err
			}
			return x, called(thread, at, "update", y)
		}
	case *starlark.Set:
		if other, is := y.(*starlark.Set); is && op == syntax.PIPE {
			if err := charge(thread, other.Len()*4); err != nil {
				return nil, err
			}
			return x, called(thread, at, "update", y)
		}
	}
	return operate(thread, op, x, y)
}

// called calls a method and returns its error alone.
func called(thread *starlark.Thread, on starlark.HasAttrs, name string, args ...starlark.Value) error {
	method, err := on.Attr(name)
	if err == nil {
		_, err = starlark.Call(thread, method, args, nil)
	}
	return err
}

// makeTuple is the function "()" of the rewriter: it returns its arguments as a tuple, charged by
// weight.
func makeTuple(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value,
	error,
) {
	v, err := checked(args, nil)
	if err != nil {
		return nil, err
	}
	return v, chargeAll(thread, 1, v)
}

// chargeLength charges the length of a value before it is sliced.
func chargeLength(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple,
) (starlark.Value, error) {
	return args[0], charge(thread, max(0, starlark.Len(args[0])))
}

// callMethod is the function ".name" of the rewriter: it calls a method of its first argument with the
// others. It charges the receiver and the arguments first, and refuses a result beyond the limits.
func callMethod(thread *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	name, on := fn.Name()[1:], args[0]
	owner, has := on.(starlark.HasAttrs)
	var method starlark.Value
	var err error
	if has {
		if method, err = owner.Attr(name); err != nil {
			return nil, err
		}
	}
	if method == nil {
		return nil, noAttribute(on, name)
	}
	args = args[1:]
	times := 1
	if text, is := on.(starlark.String); is {
		times = timesOf(string(text), name, args)
	}
	if err := chargeReceiver(thread, on, name, len(args), times); err != nil {
		return nil, err
	}
	if err := chargeAll(thread, times, args...); err != nil {
		return nil, err
	}
	for _, pair := range kwargs {
		if err := chargeAll(thread, times, pair[1]); err != nil {
			return nil, err
		}
	}
	return each(checked(starlark.Call(thread, method, args, kwargs)))
}

// chargeReceiver charges a method for the part of its receiver that it reads.
func chargeReceiver(thread *starlark.Thread, on starlark.Value, name string, args, times int) error {
	switch v := on.(type) {
	case *starlark.List:
		switch {
		case name == "index" || name == "remove":
			return chargeAll(thread, 1, v) // compares
		case name == "extend" || name == "pop" && args == 0:
			return nil
		}
		return charge(thread, v.Len())
	case *starlark.Dict:
		if name == "pop" || name == "update" {
			return nil
		}
		return charge(thread, v.Len())
	case *starlark.Set:
		if name == "pop" || name == "remove" || name == "update" {
			return nil
		}
		return charge(thread, 4*v.Len())
	}
	return chargeAll(thread, times, on)
}

// timesOf returns how often a method of a text may go through it and its arguments.
func timesOf(text, name string, args starlark.Tuple) int {
	switch name {
	case "format":
		return 4 * (1 + strings.Count(text, "{"))
	case "join":
		if len(args) == 1 {
			return 1 + max(0, starlark.Len(args[0]))
		}
	case "replace":
		if len(args) > 0 {
			if old, is := args[0].(starlark.String); is {
				return 1 + strings.Count(text, string(old))
			}
		}
	case "count", "find", "rfind", "index", "rindex", "split", "rsplit":
		return 8
	}
	return 1
}

// each checks the tuples and texts in a list that a function of Starlark made, which may
// be new.
func each(v starlark.Value, err error) (starlark.Value, error) {
	list, is := v.(*starlark.List)
	for i := 0; err == nil && is && i < list.Len(); i++ {
		_, err = checked(list.Index(i), nil)
	}
	return v, err
}

// callUniversal calls a function of Starlark's own after charging its arguments.
func callUniversal(thread *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	times := 1
	switch fn.Name() {
	case "str", "repr", "fail":
		times = 4
	case "set", "dict", "int":
		times = 2
	}
	if err := chargeAll(thread, times, args...); err != nil {
		return nil, err
	}
	for _, pair := range kwargs {
		if err := chargeAll(thread, times, pair[1]); err != nil {
			return nil, err
		}
	}
	return each(checked(starlark.Call(thread, starlark.Universe[fn.Name()], args, kwargs)))
}

// callOrdering calls sorted, min or max. The keys of a sort are charged when they are
// there: a comparison goes through both.
func callOrdering(thread *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	times := 1
	if fn.Name() == "sorted" && len(args) > 0 {
		times = 1 + bits.Len(uint(max(0, starlark.Len(args[0]))))
	}
	if err := chargeAll(thread, times, args...); err != nil {
		return nil, err
	}
	own := kwargs
	for i, pair := range kwargs {
		if pair[0] == starlark.String("key") && pair[1] != starlark.None {
			own = append([]starlark.Tuple{}, kwargs...)
			own[i] = starlark.Tuple{pair[0], &weighedKey{key: pair[1], times: times}}
		}
	}
	return starlark.Call(thread, starlark.Universe[fn.Name()], args, own)
}

// weighedKey is the key function of a sort, whose results are charged.
type weighedKey struct {
	key   starlark.Value
	times int
}

func (k *weighedKey) String() string        { return k.key.String() }
func (k *weighedKey) Type() string          { return k.key.Type() }
func (k *weighedKey) Freeze()               {}
func (k *weighedKey) Truth() starlark.Bool  { return true }
func (k *weighedKey) Hash() (uint32, error) { return 0, fmt.Errorf("a key function has no hash") }
func (k *weighedKey) Name() string          { return "key" }

// CallInternal implements starlark.Callable.
func (k *weighedKey) CallInternal(thread *starlark.Thread, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	v, err := starlark.Call(thread, k.key, args, kwargs)
	if err != nil {
		return nil, err
	}
	return v, chargeAll(thread, k.times, v)
}
