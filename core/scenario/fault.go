package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// PhysicalFaults are the kinds of Fault that every cluster knows: the hardware
// fails or returns, or more of it comes. All others are of a system's agents; who
// knows the systems checks those.
var PhysicalFaults = []string{"node_down", "node_up", "rack_down", "rack_up", Grow}

// Grow is the kind of Fault that breaks nothing: Value nodes join, which are like those that the
// cluster has.
const Grow = "cluster_grow"

// MaxGrown is the largest number of nodes of a cluster that has grown.
const MaxGrown = 250_000

// Physical reports whether f is of the hardware.
func (f Fault) Physical() bool { return slices.Contains(PhysicalFaults, f.Kind) }

// Parse splits a fault's target into its kind ("node", "rack", "broker") and its number, which is 0
// if there is one only. For a physical fault it checks that the kind matches the target; for
// another, only its spelling.
func (f Fault) Parse() (target string, number int, err error) {
	if !smallLetters(f.Kind) {
		return "", 0, fmt.Errorf("kind is %q: write one such as node_down, in small letters", shorten(f.Kind))
	}
	if f.At < 0 {
		return "", 0, fmt.Errorf("at is %v: choose a time from 0 on", f.At)
	}
	target, text, numbered := strings.Cut(f.Target, ".")
	if number, err = strconv.Atoi(text); numbered && (err != nil || number < 0 || number > math.MaxInt32) {
		number, target = 0, "" // no target is called so
	}
	if f.Kind == Grow {
		if f.Target != "cluster" {
			return "", 0, fmt.Errorf("target is %q: %s needs the target cluster", shorten(f.Target), Grow)
		}
		if number = int(f.Value); f.Value < 1 || f.Value > MaxGrown || f.Value != float64(number) {
			return "", 0, fmt.Errorf("value is %v: %s needs a whole number of nodes from 1 to %d", f.Value, Grow,
				MaxGrown)
		}
		return target, number, nil
	}
	if kind, _, _ := strings.Cut(f.Kind, "_"); f.Physical() && (target != kind || !numbered) {
		return "", 0, fmt.Errorf("target is %q: %s needs one like %s.14", shorten(f.Target), f.Kind, kind)
	}
	if f.Physical() && f.Value != 0 {
		return "", 0, fmt.Errorf("value is %v: %s takes none, leave it out", f.Value, f.Kind)
	}
	if target == "" && f.Target != "" || target != "" && !smallLetters(target) {
		return "", 0, fmt.Errorf("target is %q: write one such as broker.14", shorten(f.Target))
	}
	if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return "", 0, fmt.Errorf("value is %v: choose a number", f.Value)
	}
	return target, number, nil
}

// smallLetters reports whether a text is made of small letters and low lines.
func smallLetters(text string) bool {
	return text != "" && len(text) <= maxText && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == ""
}
