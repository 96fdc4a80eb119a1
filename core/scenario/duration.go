package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"parley/core/unit"
)

// Duration is a span written like 90s, 6h12m40s or 29d.
type Duration unit.Time

// ParseDuration reads a Duration. Units are d, h, m, s, ms and us; several may
// follow each other.
func ParseDuration(text string) (Duration, error) {
	bad := func() (Duration, error) {
		return 0, fmt.Errorf("%q is not a duration: write 90s, 6h12m40s or 29d", shorten(text))
	}
	rest, sum := text, 0.0
	for rest != "" {
		i := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if i <= 0 {
			return bad()
		}
		number, err := strconv.ParseFloat(rest[:i], 64)
		if err != nil {
			return bad()
		}
		rest = rest[i:]
		j := strings.IndexFunc(rest, func(r rune) bool { return r == '.' || r >= '0' && r <= '9' })
		if j < 0 {
			j = len(rest)
		}
		scale, ok := map[string]unit.Time{
			"us": 1, "ms": unit.Millisecond, "s": unit.Second, "m": unit.Minute,
			"h": unit.Hour, "d": unit.Day,
		}[rest[:j]]
		if !ok {
			return bad()
		}
		sum += float64(number * float64(scale))
		rest = rest[j:]
	}
	if text == "" || sum > float64(36500*unit.Day) {
		return bad()
	}
	return Duration(sum + 0.5), nil
}

// String prints d so that ParseDuration reads it back.
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := unit.Time(d)
	for _, u := range []struct {
		size unit.Time
		name string
	}{{unit.Day, "d"}, {unit.Hour, "h"}, {unit.Minute, "m"}, {unit.Second, "s"}, {unit.Millisecond, "ms"}, {1, "us"}} {
		if n := rest / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			rest %= u.size
		}
	}
	return b.String()
}

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON implements json.Unmarshaler. Its error is of a kind to which
// package json adds the field.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		if parsed, err := ParseDuration(text); err == nil {
			*d = parsed
			return nil
		}
	}
	return &json.UnmarshalTypeError{Value: shorten(string(raw)), Type: reflect.TypeFor[Duration]()}
}

// JSONForm implements strict.Former.
func (d *Duration) JSONForm() string { return `a duration such as "90s", "6h12m40s" or "29d"` }
