package scenario_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/core/scenario"
)

// TestFieldsAreThoseOfADocument compares the described fields with those of the types
// that read a document, in both directions and in their order.
func TestFieldsAreThoseOfADocument(t *testing.T) {
	var want, got []string
	fieldsOf(reflect.TypeFor[scenario.Scenario](), "", &want)
	for _, f := range scenario.Fields() {
		got = append(got, f.Path)
		if f.Type == "" || f.About == "" {
			t.Errorf("%s lacks a type or a meaning", f.Path)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the fields %s are described, a document has %s", got, want)
	}
}

// fieldsOf lists the fields of a type by their paths. A list, and what reads itself, is
// one field.
func fieldsOf(t reflect.Type, path string, into *[]string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, reads := reflect.PointerTo(t).MethodByName("UnmarshalJSON")
	if t.Kind() != reflect.Struct || reads {
		*into = append(*into, path)
		return
	}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			fieldsOf(t.Field(i).Type, path, into)
			continue
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fieldsOf(t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."), into)
	}
}

// TestFieldsKeepTheirRanges sets each field to values at the ends of its described range,
// which are taken, and beyond them, which are refused by a sentence with its name. The
// values in words come from the descriptions themselves where these are numbers.
func TestFieldsKeepTheirRanges(t *testing.T) {
	base, err := scenario.Parse([]byte(`{"v":1,"system":"central"}`))
	if err != nil {
		t.Fatal(err)
	}
	others := map[string][2][]string{ // taken, refused
		"cluster.preset":                 {{"google2011"}, {"google2012"}},
		"cluster.keep":                   {{"1", "0.001"}, {"0", "1.001"}},
		"cluster.physical.dirty_rate":    {{"0", "124999999"}, {"125000000", "-1"}},
		"cluster.physical.transfers":     {{"one-port", "contention-free"}, {"two-port"}},
		"workload.preset":                {{"google2011", "none"}, {"google"}},
		"workload.production":            {{"paper", "trace"}, {"both"}},
		"workload.rate":                  {{"0", "0.01", "100"}, {"0.009", "100.1"}},
		"cluster.power.idle_w":           {{"0"}, {"1", "-1"}},
		"cluster.power.busy_w":           {{"0", "250.5", "1000000"}, {"-1", "1000001"}},
		"cluster.power.off_w":            {{"0", "9.75", "1000000"}, {"-1", "1000001"}},
		"cluster.power.boot_w":           {{"0", "1000000"}, {"-1", "1000001"}},
		"cluster.power.shutdown_w":       {{"0", "1000000"}, {"-1", "1000001"}},
		"cluster.power.boot":             {{"0s", "151520ms", "1d"}, {"25h"}},
		"cluster.power.shutdown":         {{"0s", "6s", "1d"}, {"25h"}},
		"workload.load":                  {{"0", "0.01", "10"}, {"0.009", "10.1", "-1"}},
		"workload.skip_bad_rows":         {{"true", "false"}, {"1"}},
		"workload.map":                   {{"submit=a"}, {strings.Repeat("x", 2001)}},
		"workload.jobs.from":             {{"0s", "3650d"}, {"3651d"}},
		"workload.jobs.to":               {{"1d", "3650d"}, {"3651d"}},
		"workload.jobs.every":            {{"0", "1", "1000000"}, {"-1", "1000001"}},
		"workload.jobs.min_processors":   {{"0", "5"}, {"-1"}},
		"workload.jobs.max_processors":   {{"0", "5"}, {"-1"}},
		"workload.jobs.resample":         {{"weeks", "users"}, {"days"}},
		"workload.jobs.block_weeks":      {{"0"}, {"-1", "53", "2"}},
		"workload.usage":                 {{"google2011", "calm"}, {"none"}},
		"workload.arrive":                {{"submitted", "scheduled"}, {"never"}},
		"chaos.node_mtbf":                {{"0s", "1m"}, {"59s"}},
		"chaos.rack_mtbf":                {{"0s", "1m"}, {"59s"}},
		"chaos.mttr":                     {{"1s"}, {"0s"}},
		"until":                          {{"1s", "3650d"}, {"0s", "3651d"}},
		"window.warm_up":                 {{"0s", "3650d"}, {"3651d"}},
		"window.cool_down":               {{"0s", "3650d"}, {"3651d"}},
		"cluster.physical.rack_delay_us": {{"0", "3600000000"}, {"3600000001"}},
		"system":                         {{strings.Repeat("x", 64)}, {strings.Repeat("x", 65)}},
		"program":                        {{strings.Repeat("x", 65536)}, {strings.Repeat("x", 65537)}},
		"chart":                          {{"sum(tasks)", strings.Repeat("x", 1010)}, {strings.Repeat("x", 1011)}},
		"v":                              {{"1"}, {"2"}},
		"seed":                           {{"0", "18446744073709551615"}, {"-1"}},
	}
	tried := 0
	for _, f := range scenario.Fields() {
		c := others[f.Path]
		var minimum, limit float64
		if n, _ := fmt.Sscanf(f.Allowed, "%g to %g", &minimum, &limit); n == 2 && c[0] == nil {
			c = [2][]string{{fmt.Sprint(minimum), fmt.Sprint(limit)}, {fmt.Sprint(minimum / 2), fmt.Sprint(limit + 1)}}
			if f.Type == "whole number" {
				c = [2][]string{{fmt.Sprint(int64(minimum)), fmt.Sprint(int64(limit))}, {fmt.Sprint(int64(minimum) - 1), fmt.Sprint(int64(limit) + 1)}}
			}
		}
		if c[0] == nil {
			if f.Allowed != "" && f.Type != "list" && f.Path != "workload.day_swing" { // the generator checks that one
				t.Errorf("%s: nothing tries %q", f.Path, f.Allowed)
			}
			continue
		}
		tried++
		for _, value := range c[0] {
			if _, err := base.Set([]string{f.Path + "=" + value, "cluster.physical.dirty_rate=" + dirtyRate(f.Path, value)}); err != nil {
				t.Errorf("%s (%s) refuses %s: %v", f.Path, f.Allowed, value, err)
			}
		}
		for _, value := range c[1] {
			name := f.Path[strings.LastIndex(f.Path, ".")+1:]
			if _, err := base.Set([]string{f.Path + "=" + value}); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(name, "_up")) && !strings.Contains(err.Error(), "window") {
				t.Errorf("%s (%s) answers %s with %v", f.Path, f.Allowed, value, err)
			}
		}
		if f.Default != "" {
			if _, err := base.Set([]string{f.Path + "=" + f.Default}); err != nil {
				t.Errorf("%s refuses its default %s: %v", f.Path, f.Default, err)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// dirtyRate returns one that is below every bandwidth, beside a value of a field.
func dirtyRate(path, value string) string {
	if path == "cluster.physical.dirty_rate" {
		return value
	}
	return "0"
}
