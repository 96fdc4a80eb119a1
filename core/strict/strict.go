// Package strict reads JSON documents that people write for Parley: one value, no unknown fields,
// none twice or in other letters. Its errors are one sentence with the place, the value and the
// permitted values, without the names of Go's types.
//
//	err := strict.Decode([]byte(`{"hosts":2.5}`), &instance)
//	// hosts is 2.5, not a whole number (line 1)
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"parley/core/words"
)

// maxQuoted limits the quote of a document in an error, in bytes.
const maxQuoted = 160

// Former is a type with a JSON form of its own. Its UnmarshalJSON refuses a value by
// a json.UnmarshalTypeError that has its Type, to which package json adds the field.
type Former interface {
	JSONForm() string // "a duration such as \"90s\""
}

// Decode reads a whole document. Fields that the document omits keep their current values.
func Decode(doc []byte, into any) error {
	if len(bytes.TrimSpace(doc)) == 0 {
		return errors.New("it is empty")
	}
	return decode(doc, doc, into)
}

// Part reads a part of a document, or one without lines: its errors name fields alone. If the part
// is empty, into is unchanged.
func Part(doc []byte, into any) error {
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil
	}
	return decode(doc, nil, into)
}

// decode reads doc into a value strictly. shown is the text in which errors count lines; nil if they name none.
func decode(doc, shown []byte, into any) error {
	if err := Shallow(doc, shown); err != nil {
		return err
	}
	now, err := present(doc, shown, into)
	if err != nil {
		return err
	}
	if doc = now; shown != nil {
		shown = now // its lines are the same
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		place, meant := refused(doc, shown, into, err)
		if name, _, unknown := strings.Cut(strings.TrimPrefix(err.Error(), `json: unknown field "`), `"`); unknown &&
			meant != "" {
			return fmt.Errorf("unknown field %q%s: did you mean %s?", name, place, meant)
		}
		return fmt.Errorf("%w%s", Sentence(shown, err), place)
	}
	rest := doc[d.InputOffset():]
	if behind := bytes.TrimSpace(rest); len(behind) > 0 {
		at := int64(len(doc) - len(bytes.TrimLeft(rest, " \t\r\n")))
		return fmt.Errorf("%q follows the end%s; remove it", words.Cut(string(behind), 40), line(shown, at))
	}
	again := json.NewDecoder(bytes.NewReader(doc))
	again.UseNumber() // a number that no float64 holds may be one that a Former reads
	n := names{Decoder: again, shown: shown}
	return n.value(reflect.TypeOf(into), "")
}

// Sentence returns the error of package json as a sentence, with its line in doc, if doc is not
// nil. Other errors come back without a prefix, cut to a readable length.
func Sentence(doc []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	text := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) &&
		strings.HasPrefix(text, "unexpected end"):
		if doc == nil {
			return errors.New("it ends too early: is it cut off?")
		}
		return fmt.Errorf("it ends too early, in line %d: is it cut off?",
			1+bytes.Count(bytes.TrimRight(doc, " \t\r\n"), []byte("\n")))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s%s", words.Cut(text, maxQuoted), column(doc, syntax.Offset))
	case !errors.As(err, &kind):
		if strings.HasPrefix(text, "unknown field ") {
			return fmt.Errorf("%s; remove it or correct its name", words.Cut(text, maxQuoted))
		}
		return errors.New(words.Cut(text, maxQuoted))
	}
	field := kind.Field
	if field == "" {
		field = "it"
	}
	at := line(doc, kind.Offset)
	if kind.Offset == 0 { // an UnmarshalJSON knows no place
		at = ""
	}
	return fmt.Errorf("%s is %s, not %s%s", field, found(kind), form(kind), at)
}

// line returns the line of a document that contains a byte, in words.
func line(doc []byte, offset int64) string {
	if doc == nil {
		return ""
	}
	return fmt.Sprintf(" (line %d)", 1+bytes.Count(before(doc, offset), []byte("\n")))
}

// column is line with the column.
func column(doc []byte, offset int64) string {
	if doc == nil {
		return ""
	}
	head := before(doc, offset)
	return fmt.Sprintf(" (line %d, column %d)", 1+bytes.Count(head, []byte("\n")),
		len(head)-bytes.LastIndexByte(head, '\n')-1)
}

func before(doc []byte, offset int64) []byte { return doc[:min(max(offset, 0), int64(len(doc)))] }

// found names the value that did not fit: a number or a text of a form literally, others by their
// kind.
func found(e *json.UnmarshalTypeError) string {
	literal, isNumber := strings.CutPrefix(e.Value, "number ")
	switch {
	case isNumber:
		return words.Cut(literal, maxQuoted)
	case e.Value == "array":
		return "a list"
	case e.Value == "object":
		return "an object"
	case e.Value == "bool":
		return "true or false"
	case e.Value == "string":
		return "a text"
	case e.Value == "number":
		return "a number"
	}
	return words.Cut(strings.Join(strings.Fields(e.Value), " "), maxQuoted) // in one line
}

// form returns the permitted form of a value that did not fit.
func form(e *json.UnmarshalTypeError) string {
	if former, has := reflect.New(e.Type).Interface().(Former); has {
		return former.JSONForm()
	}
	literal, isNumber := strings.CutPrefix(e.Value, "number ")
	whole := isNumber && !strings.ContainsAny(literal, ".eE")
	switch kind := e.Type.Kind(); kind {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		switch {
		case whole && kind == reflect.Int: // the sentence is the same if it has 32 bits and if it has 64
			return "a whole number of a usable size"
		case whole:
			return fmt.Sprintf("a whole number of at most %d bits", e.Type.Bits())
		}
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if whole {
			return fmt.Sprintf("a whole number from 0 up to %d bits", e.Type.Bits())
		}
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		if isNumber {
			return "a number below 1.8e308"
		}
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list in brackets"
	}
	return "an object in braces"
}
