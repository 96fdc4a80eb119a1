package snapshot

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

type (
	pointer = unsafe.Pointer
	address = uintptr
)

// kind is a kind of word that points somewhere.
type kind uint8

const (
	toValue  kind = iota // a pointer to one value
	toArray              // the first word of a slice
	toTable              // a map
	toAny                // an interface: two words, the second one points
	toCode               // a function
	toShared             // an object that is not copied
	toOwner              // the receiver in a method value: its block is reached otherwise
	toLeft               // nil in copies
	refused              // must be nil
)

// slot is a word of a type that points somewhere.
type slot struct {
	at   uintptr // its distance from the beginning
	kind kind
	typ  reflect.Type // of its target; of toTable, toAny and toCode its own
	to   *layout      // of typ; nil: not yet looked for
	name string       // path of fields
}

// word is the place of the pointer itself.
func (s *slot) word() uintptr {
	if s.kind == toAny {
		return s.at + 8
	}
	return s.at
}

// layout lists the places of pointers in the values of a type.
type layout struct {
	number     int // from 1 on
	typ        reflect.Type
	size       uintptr
	slots      []slot
	key, value *layout      // of the contents of a map; nil: it is not a map
	many       reflect.Type // slice of typ, once there was one
}

// methodValue is a function that is a method of a pointer, as the compiler lays it out: the value
// x.method, not called.
type methodValue struct {
	_     uintptr // its code
	owner pointer
}

// types are the layouts met so far.
type types struct {
	all     []*layout // by number, from 1 on
	layouts map[reflect.Type]*layout
	tables  map[reflect.Type]*layout // of the contents of maps
	shared  map[reflect.Type]bool
	left    map[reflect.Type]bool // that pointers to are nil in copies
	dynamic map[address]*slot     // of the contents of interfaces, by their first word
	code    map[uintptr]kind      // of functions, by their code
}

var (
	errorType  = reflect.TypeFor[error]()
	methodType = reflect.TypeFor[methodValue]()
)

func newTypes() *types {
	return &types{
		nil,
		map[reflect.Type]*layout{},
		map[reflect.Type]*layout{},
		map[reflect.Type]bool{},
		map[reflect.Type]bool{},
		map[address]*slot{},
		map[uintptr]kind{},
	}
}

// of returns the layout of a type.
func (k *types) of(t reflect.Type) *layout {
	if l := k.layouts[t]; l != nil {
		return l
	}
	l := k.add(&layout{typ: t, size: t.Size()})
	k.layouts[t] = l
	if t == methodType {
		l.slots = []slot{{at: unsafe.Offsetof(methodValue{}.owner), kind: toOwner, name: "its receiver"}}
	} else {
		l.slots = k.slots(nil, t, 0, "")
	}
	return l
}

// add gives a layout its number.
func (k *types) add(l *layout) *layout {
	k.all = append(k.all, l)
	l.number = len(k.all)
	return l
}

// table returns the layout of the contents of a map. Nothing points into them: their size only has
// to differ from 0.
func (k *types) table(t reflect.Type) *layout {
	l := k.tables[t]
	if l == nil {
		l = k.add(&layout{typ: t, size: 1, key: k.of(t.Key()), value: k.of(t.Elem())})
		k.tables[t] = l
	}
	return l
}

// slots appends those of a value of a type that is at this distance from the beginning.
func (k *types) slots(all []slot, t reflect.Type, at uintptr, name string) []slot {
	from := len(all)
	s := slot{at: at, typ: t, name: name}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			all = k.slots(all, f.Type, at+f.Offset, name+"."+f.Name)
		}
	case reflect.Array:
		for i := range t.Len() {
			before := len(all)
			if all = k.slots(all, t.Elem(), at+uintptr(i)*t.Elem().Size(), name+"[]"); len(all) == before {
				break
			}
		}
	case reflect.Pointer:
		s.typ = t.Elem()
		all = append(all, s)
	case reflect.Slice:
		s.kind, s.typ = toArray, t.Elem()
		all = append(all, s)
	case reflect.Map:
		s.kind = toTable
		all = append(all, s)
	case reflect.Interface:
		s.kind = toAny
		all = append(all, s)
	case reflect.Func:
		s.kind = toCode
		all = append(all, s)
	case reflect.String:
		s.kind = toShared
		all = append(all, s)
	case reflect.Chan, reflect.UnsafePointer:
		s.kind = refused
		all = append(all, s)
	}
	for i := range all[from:] {
		s := &all[from+i]
		if k.shared[t] || t == errorType || s.kind == toValue && k.shared[s.typ] {
			s.at, s.kind = s.word(), toShared
		} else if s.kind == toValue && k.left[s.typ] {
			s.kind = toLeft
		}
	}
	return all
}

// to returns the layout of a slot's target.
func (k *types) to(s *slot) *layout {
	if s.to == nil && s.kind == toTable {
		s.to = k.table(s.typ)
	} else if s.to == nil {
		s.to = k.of(s.typ)
	}
	return s.to
}

// held returns the slot for the second word of an interface, which depends on the value in it.
func (k *types) held(s *slot, at pointer) *slot {
	first := *(*address)(at)
	if d := k.dynamic[first]; d != nil {
		return d
	}
	t := reflect.NewAt(s.typ, at).Elem().Elem().Type()
	d := &slot{typ: t, name: "(" + t.String() + ")"}
	if within := k.slots(nil, t, 0, d.name); direct(t) {
		*d = within[0]
	} else if len(within) == 0 || k.shared[t] {
		d.kind = toShared // a value in an interface cannot be changed
	}
	k.dynamic[first] = d
	return d
}

// direct reports whether values of a type are a pointer, which interfaces hold as it is.
func direct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && direct(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && direct(t.Elem())
	}
	return false
}

// function returns the kind of a function by its code: a function without variables is shared, a
// method value has an owner, and any other is refused, with its name.
func (k *types) function(code uintptr) (kind, string) {
	if found, known := k.code[code]; known {
		return found, ""
	}
	name, of := "unknown", refused
	if f := runtime.FuncForPC(code); f != nil {
		name = f.Name()
		method := strings.HasSuffix(name, "-fm")
		switch {
		case strings.Contains(name, "[") || strings.Contains(name, ".func"):
		case !method:
			of = toShared
		case strings.Contains(name, ".(*"):
			of = toOwner
		}
	}
	if of == refused {
		return of, name
	}
	k.code[code] = of
	return of, name
}

// wordOf is the second word of an interface.
func wordOf(x any) pointer { return (*[2]pointer)(pointer(&x))[1] }
