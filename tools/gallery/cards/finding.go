package cards

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"parley/core/unit"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// fill puts numbers into a sentence. {a.b} is the figure b in the object a; an element of a list has
// its index as its name. A format may follow a colon: digits after the point, s for a span given in
// microseconds, % for a share in percent with two significant digits, or n for a whole number. As a
// share or as n, 0 is "none". Without a colon a figure is a whole number.
func fill(sentence string, report map[string]any) (string, error) {
	var wrong error
	text := placeholder.ReplaceAllStringFunc(sentence, func(hole string) string {
		path, form, _ := strings.Cut(strings.Trim(hole, "{}"), ":")
		written, err := figure(report, path, form)
		if err != nil && wrong == nil {
			wrong = fmt.Errorf("the finding's %s: %w", hole, err)
		}
		return written
	})
	return text, wrong
}

// figure writes the number of a report at a path, in which names and indices are separated by points. form is "" or
// "n" for a whole number, "%" for a share in percent, "s" for seconds of an amount in microseconds, or the number of
// digits after the point. It fails if there is no number.
func figure(report map[string]any, path, form string) (string, error) {
	var at any = report
	for _, name := range strings.Split(path, ".") {
		switch inner := at.(type) {
		case map[string]any:
			at = inner[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(inner) {
				return "", fmt.Errorf("there are %d elements, not one of number %s", len(inner), name)
			}
			at = inner[i]
		default:
			at = nil
		}
	}
	value, ok := at.(float64)
	if !ok {
		return "", fmt.Errorf("the report has no such number")
	}
	switch form {
	case "":
		return unit.Grouped(strconv.FormatFloat(value, 'f', 0, 64)), nil
	case "n", "%":
		return counted(value, form), nil
	case "s":
		return unit.Grouped(strconv.FormatFloat(value/1e6, 'f', 1, 64)), nil
	}
	digits, err := strconv.Atoi(form)
	if err != nil || digits < 0 || digits > 6 {
		return "", fmt.Errorf("it is written with 0 to 6 digits or as s, n or %%, not as %q", form)
	}
	return unit.Grouped(strconv.FormatFloat(value, 'f', digits, 64)), nil
}

// counted writes a number, or a share in percent with two digits that matter, and "none"
// for nothing.
func counted(value float64, form string) string {
	if value == 0 {
		return "none"
	}
	if form == "n" {
		return unit.Grouped(strconv.FormatFloat(value, 'f', 0, 64))
	}
	digits := max(0, 1-int(math.Floor(math.Log10(math.Abs(value)))))
	return unit.Grouped(strconv.FormatFloat(value, 'f', digits, 64)) + " %"
}
