package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/words"
)

// ToWorker reads a message of the page to the worker, which came with n
// parts. The error is one sentence.
func ToWorker(text []byte, parts int) (Message, error) {
	return decode(text, parts, Open{}, Play{}, Pause{}, Step{}, Speed{}, SlowHealing{}, Seek{}, Switch{}, Inspect{},
		NearbyNodes{}, Formulas{}, Graph{}, Explain{}, ReadStory{}, Fault{}, Cancel{}, Room{}, Draw{}, Frame{},
		LookAtTable{}, Compare{})
}

// ToWhole reads the first message to the whole program, which selects its role.
func ToWhole(text []byte, parts int) (Message, error) {
	return decode(text, parts, Begin{})
}

// ToLab reads a message of the page to the lab.
func ToLab(text []byte, parts int) (Message, error) {
	return decode(text, parts, RunExperiment{})
}

// ToPlanner reads a message of the page to the planner.
func ToPlanner(text []byte, parts int) (Message, error) {
	return decode(text, parts, MakePlan{}, ReadPlatform{})
}

// ToSweep reads a message of the page to the sweep.
func ToSweep(text []byte, parts int) (Message, error) {
	return decode(text, parts, ReadSweep{}, ReadResults{}, TakeRuns{}, RunDone{}, TabulateSweep{}, LookAtCell{},
		SaveSweep{}, Cancel{})
}

// ToCluster reads a message of the page to the place of a Kubernetes cluster.
func ToCluster(text []byte, parts int) (Message, error) {
	return decode(text, parts, ReadDump{}, AskCluster{}, SaveAnswer{}, SumDump{}, WatchPlay{}, WhyHere{})
}

// ToView reads a message of the page to the heatmap's view.
func ToView(text []byte, parts int) (Message, error) {
	return decode(text, parts, Layers{}, NewLayout{}, Frame{}, Look{}, Camera{}, Cursor{}, Cards{})
}

// decode reads a message of one of kinds, chosen by its member type; parts is the number of binary parts beside
// it. An unknown or missing member is an error, unlike in encoding/json.
func decode(text []byte, parts int, kinds ...Message) (Message, error) {
	if _, at := strict.Nesting(text, strict.Envelope); at >= 0 {
		return nil, fmt.Errorf("the message is not read: its lists and objects lie more than %d deep in each other",
			strict.Envelope)
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	var tree any
	if err := reader.Decode(&tree); err != nil {
		return nil, fmt.Errorf("the message is not JSON: %w", err)
	}
	fields, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the message is %s, not an object", named(tree))
	}
	if reader.More() {
		return nil, fmt.Errorf("the message goes on after its end")
	}
	kind, ok := fields["type"].(string)
	at := slices.IndexFunc(kinds, func(m Message) bool { return m.Kind() == kind })
	if !ok || at < 0 {
		return nil, fmt.Errorf("no message has the type %s", quoted(fields["type"]))
	}
	delete(fields, "type")
	value := reflect.New(reflect.TypeOf(kinds[at]))
	c := checker{parts: parts}
	if err := c.check(fields, value.Type().Elem(), ""); err != nil {
		return nil, fmt.Errorf("the message %q is not understood: %w", kind, err)
	}
	if err := json.Unmarshal(text, value.Interface()); err != nil {
		return nil, fmt.Errorf("the message %q is not understood: %w", kind, err)
	}
	return value.Elem().Interface().(Message), nil
}

// checker compares JSON with a Go type. encoding/json alone is too lenient: it
// accepts any letter case, missing members and null.
type checker struct {
	parts int
}

var (
	rawMessage = reflect.TypeFor[json.RawMessage]()
	binaryPart = reflect.TypeFor[Binary]()
	filePart   = reflect.TypeFor[File]()
)

// check returns an error if a JSON value, with numbers as json.Number, does not fit type t. at is the path of
// the value in the message, for the error.
func (c *checker) check(value any, t reflect.Type, at string) error {
	if t == rawMessage || t.Kind() == reflect.Interface {
		return nil
	}
	wrong := func(want string) error { return fmt.Errorf("its %s is %s, not %s", at, quoted(value), want) }
	switch t.Kind() {
	case reflect.Pointer:
		return c.check(value, t.Elem(), at)
	case reflect.String:
		if _, ok := value.(string); !ok {
			return wrong("a string")
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return wrong("true or false")
		}
	case reflect.Float64:
		n, ok := value.(json.Number)
		if _, err := n.Float64(); !ok || err != nil {
			return wrong("a number")
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		n, ok := value.(json.Number)
		if !ok || json.Unmarshal([]byte(n), reflect.New(t).Interface()) != nil {
			return wrong("a whole number in its range")
		}
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return wrong("an array")
		}
		for i, item := range list {
			if err := c.check(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return c.object(value, t, at)
	default:
		return fmt.Errorf("its %s is of a kind that messages do not have", at)
	}
	return nil
}

// object checks the fields of a struct: no one is missing, none too many.
func (c *checker) object(value any, t reflect.Type, at string) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("its %s is %s, not an object", at, quoted(value))
	}
	known := 0
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		path := strings.TrimPrefix(at+"."+name, ".")
		field, given := fields[name]
		switch {
		case given:
			known++
			if err := c.check(field, t.Field(i).Type, path); err != nil {
				return err
			}
		case options == "":
			return fmt.Errorf("it has no %s", path)
		}
	}
	if known < len(fields) {
		return fmt.Errorf("it has %s, which is not expected", strings.TrimPrefix(at+"."+stranger(fields, t), "."))
	}
	if t == binaryPart || t == filePart {
		n, err := fields["part"].(json.Number).Int64()
		if err != nil || n < 0 || n >= int64(c.parts) {
			return fmt.Errorf("its %s is part %v, but %d came with it", at, fields["part"], c.parts)
		}
	}
	return nil
}

// stranger returns the first field, by name, that is unknown to a type.
func stranger(fields map[string]any, t reflect.Type) string {
	var others []string
	for name := range fields {
		known := false
		for i := range t.NumField() {
			own, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			known = known || own == name
		}
		if !known {
			others = append(others, name)
		}
	}
	return slices.Min(others)
}

// quoted shows a value in a sentence, shortened.
func quoted(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(words.Cut(v, 40))
	case json.Number:
		return v.String()[:min(40, len(v.String()))]
	}
	return named(value)
}

func named(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case bool:
		return fmt.Sprint(v)
	case nil:
		return "null"
	}
	return "a " + fmt.Sprintf("%T", value)
}
