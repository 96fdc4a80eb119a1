package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"parley/core/words"
)

// names finds fields that package json accepts silently: a field that occurs twice in an object, of
// which the last counts, and one in other letters than its name.
type names struct {
	*json.Decoder
	shown []byte // the document for lines, or nil
	at    int64  // the first place of an error for which package json gives no offset; 0 if there is none
	meant string // the field that an unknown field at that place resembles; "" if none
}

// refused returns the line of the field or value that package json refused, if its error does not
// give it: a field that is unknown, or a value that a type reads by itself. It also returns the
// field that an unknown one resembles; "" if there is none.
func refused(doc, shown []byte, into any, err error) (place, meant string) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) ||
		errors.As(err, &kind) && kind.Offset > 0 {
		return "", ""
	}
	n := names{Decoder: json.NewDecoder(bytes.NewReader(doc))}
	n.UseNumber()
	_ = n.value(reflect.TypeOf(into), "") // the document is refused in any case
	if n.at == 0 {
		return "", ""
	}
	return line(shown, n.at), n.meant
}

// value looks through the next value, which is read into the type t, or into a raw
// message if t is nil. The path names it.
func (n *names) value(t reflect.Type, path string) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	raw := reflect.TypeFor[json.RawMessage]()
	if t != nil && t != raw && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		var text json.RawMessage // it looks through its own fields
		err := n.Decode(&text)
		if err == nil && n.at == 0 && json.Unmarshal(text, reflect.New(t).Interface()) != nil {
			n.at = n.InputOffset() - int64(len(text))
		}
		return err
	}
	token, err := n.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		err = n.object(t, path)
	case json.Delim('['):
		var element reflect.Type
		if t != nil && t != raw && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			element = t.Elem()
		}
		for i := 0; err == nil && n.More(); i++ {
			err = n.value(element, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		return nil
	}
	if err == nil {
		_, err = n.Token() // its end
	}
	return err
}

// object checks an object whose opening brace was read: no name may be given twice, and the name of a field of t
// must be spelled like the field, which package json does not demand. Its values are checked likewise. For the first
// name that is like none it keeps in n.meant the field that was meant.
func (n *names) object(t reflect.Type, path string) error {
	var known map[string]reflect.Type
	if t != nil && t.Kind() == reflect.Struct {
		known = map[string]reflect.Type{}
		fieldsOf(t, known)
	}
	seen := map[string]bool{}
	for n.More() {
		token, err := n.Token()
		if err != nil {
			return err
		}
		name := token.(string)
		at := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			return fmt.Errorf("%q is given twice%s; leave one of them out", words.Cut(at, maxQuoted),
				line(n.shown, n.InputOffset()))
		}
		seen[name] = true
		of, is := known[name]
		if !is && known != nil {
			if n.at == 0 && nearestField(name, known) == name { // package json knows none that is like it
				n.at = n.InputOffset()
				if like := Nearest(name, slices.Sorted(maps.Keys(known))); Distance(like, name) <= (len(name)+2)/3 {
					n.meant = like
				}
			}
			return fmt.Errorf("%q is written %q%s", words.Cut(at, maxQuoted), nearestField(name, known),
				line(n.shown, n.InputOffset()))
		}
		if t != nil && t.Kind() == reflect.Map {
			of = t.Elem()
		}
		if err := n.value(of, at); err != nil {
			return err
		}
	}
	return nil
}

// nearestField returns the field that package json took a name for.
func nearestField(name string, known map[string]reflect.Type) string {
	var found []string
	for k := range known {
		if strings.EqualFold(k, name) {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return name
	}
	return slices.Min(found)
}

// fieldsOf adds the fields of a struct as documents spell them, with their types.
func fieldsOf(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			fieldsOf(inner, into)
		case name != "":
			into[name] = f.Type
		case f.IsExported():
			into[f.Name] = f.Type
		}
	}
}
