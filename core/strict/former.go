package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/core/words"
)

// A field that was renamed has its former name in the tag "was":
//
//	MinSeeds int `json:"min_seeds" was:"least"`
//
// Decode, Part and Unmarshal read both names. An object that has both is an error.

// Current returns the name that the field of a document has now, if of, a struct or a pointer to one, has a
// field with this former name; other names are returned as they are.
func Current(of any, name string) string {
	t := reflect.TypeOf(of)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if now, was := formerOf(t)[name]; was {
		return now
	}
	return name
}

// formerOf returns the present names of the renamed fields of a struct, by their former names.
func formerOf(t reflect.Type) map[string]string {
	var names map[string]string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			for was, now := range formerOf(f.Type) {
				if names == nil {
					names = map[string]string{}
				}
				names[was] = now
			}
		}
		if was := f.Tag.Get("was"); was != "" {
			if names == nil {
				names = map[string]string{}
			}
			names[was] = name
		}
	}
	return names
}

// present returns doc with the present names of fields in place of former ones, for a value of into's type. It
// returns doc itself if none has a former name, and if doc is not JSON: its reader says so. shown is the document
// for lines in errors, or nil.
func present(doc, shown []byte, into any) ([]byte, error) {
	t := reflect.TypeOf(into)
	if !mentions(doc, t, map[reflect.Type]bool{}) {
		return doc, nil
	}
	r := renamer{Decoder: json.NewDecoder(bytes.NewReader(doc)), doc: doc, shown: shown}
	r.UseNumber()
	if err := r.value(t, ""); err != nil {
		return nil, err
	}
	return append(r.out, doc[r.copied:]...), nil
}

// mentions reports whether a document contains a former name of a field of t, anywhere. seen has the types that
// were visited.
func mentions(doc []byte, t reflect.Type, seen map[reflect.Type]bool) bool {
	for t.Kind() == reflect.Pointer || listed(t) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return false
	}
	seen[t] = true
	for was := range formerOf(t) {
		if bytes.Contains(doc, []byte(`"`+was+`"`)) {
			return true
		}
	}
	for i := range t.NumField() {
		if mentions(doc, t.Field(i).Type, seen) {
			return true
		}
	}
	return false
}

// listed reports whether values of t have elements.
func listed(t reflect.Type) bool {
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map
}

// renamer copies a document with other names of fields.
type renamer struct {
	*json.Decoder
	doc, shown []byte
	out        []byte
	copied     int64 // bytes of doc that out has, under their present names
}

// value copies the next value, which is read into the type t. It returns an error if an object has a field under
// both names, with the field's path. Text that is not JSON ends it without an error.
func (r *renamer) value(t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	own := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) // it renames its own fields
	if own || t.Kind() != reflect.Struct && !listed(t) {
		var text json.RawMessage
		_ = r.Decode(&text)
		return nil
	}
	token, err := r.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return nil
	}
	var former map[string]string
	fields := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		former = formerOf(t)
		fieldsOf(t, fields)
	}
	var seen []string
	for i := 0; r.More(); i++ {
		of, at := reflect.TypeFor[json.RawMessage](), fmt.Sprintf("%s[%d]", path, i)
		if token == json.Delim('{') {
			key, err := r.Token()
			if err != nil {
				return nil
			}
			name := key.(string)
			if now, was := former[name]; was {
				r.rename(name, now)
				name = now
			}
			at = strings.TrimPrefix(path+"."+name, ".")
			if slices.Contains(seen, name) {
				for was, now := range former {
					if now == name {
						return fmt.Errorf("%q is given twice, and its former name is %q%s; leave one of them out",
							words.Cut(at, maxQuoted), was, line(r.shown, r.InputOffset()))
					}
				}
			}
			seen = append(seen, name)
			if f, has := fields[name]; has {
				of = f
			}
		}
		if t.Kind() != reflect.Struct {
			of = t.Elem()
		}
		if err := r.value(of, at); err != nil {
			return err
		}
		if r.InputOffset() == 0 {
			return nil
		}
	}
	_, _ = r.Token() // its end
	return nil
}

// rename copies up to the key that was read last and puts another name in its place. A key with escapes stays, so
// that it is refused as unknown.
func (r *renamer) rename(name, now string) {
	end := r.InputOffset()
	begin := end - int64(len(name)) - 2
	if begin < r.copied || string(r.doc[begin:end]) != `"`+name+`"` {
		return
	}
	r.out = append(append(append(append(r.out, r.doc[r.copied:begin]...), '"'), now...), '"')
	r.copied = end
}
