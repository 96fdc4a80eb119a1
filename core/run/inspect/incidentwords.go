package inspect

import (
	"fmt"
	"strings"

	"parley/core/system"
	"parley/core/unit"
)

// consequences returns the consequences of the incident in sentences that remain true.
func (i *Incident) consequences() string {
	switch {
	case i.Lost == 0 && i.Pieces > 0:
		return fmt.Sprintf("%s with %s %s lost and went back to the master, which sends lost work again.", system.Count(float64(i.Pieces), "piece"), system.Count(i.Work, "work unit"), was(i.Pieces))
	case i.Lost == 0:
		return "Nothing was running there."
	}
	lost := system.Count(float64(i.Lost), i.Noun) + " " + was(i.Lost) + " displaced"
	if i.Results > 0 {
		lost += fmt.Sprintf(", %s of them after %s done", figure(i.Results), were(i.Results))
	}
	switch {
	case i.Again == 0 && i.Ended == 0:
		return lost + "; none is running again yet."
	case i.Again == 0:
		return fmt.Sprintf("%s; %s ended, and none is running again.", lost, figure(i.Ended))
	case i.Waiting() > 0 && i.Half > 0:
		return fmt.Sprintf("%s. Half were running again within %s; %s.", lost, took(i.Half), i.waits())
	case i.Waiting() > 0:
		return fmt.Sprintf("%s. The first was running again within %s; %s.", lost, took(i.First), i.waits())
	case i.Lost == 1:
		return fmt.Sprintf("%s and was running again within %s.", lost, took(i.Last))
	case i.Ended > 0:
		return fmt.Sprintf("%s; %s ended, the others were running again within %s.", lost, figure(i.Ended), took(i.Last))
	}
	return fmt.Sprintf("%s; all were running again within %s.", lost, took(i.Last))
}

// waits says how many of its tasks still wait.
func (i *Incident) waits() string {
	if n := i.Waiting(); n != 1 {
		return figure(n) + " still wait"
	}
	return "1 still waits"
}

// cost returns the cost of a fault in one line: the losses, the time until they were restored,
// and the other events of the cluster until then.
func (i *Incident) cost() string {
	var parts []string
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	if i.Pieces > 0 {
		add("%s lost", system.Count(i.Work, "work unit"))
	}
	if i.Lost > 0 {
		add("%s stopped", system.Count(float64(i.Lost), i.Noun))
	}
	switch {
	case i.Half > 0 && took(i.Half) != took(i.Last):
		add("half back after %s, %s after %s", took(i.Half), i.last(), took(i.Last))
	case i.Again > 0 && i.Waiting() == 0 && i.Ended == 0:
		add("all back after %s", took(i.Last))
	case i.Again > 0:
		add("%s back, %s after %s", figure(i.Again), i.last(), took(i.Last))
	}
	if i.Moves > 0 {
		add("meanwhile %s of %s", system.Count(float64(i.Moves), "move"), bytes(i.Moved))
	}
	if i.Missed > 0 {
		add("%s of the graphs that it hit missed", system.Count(float64(i.Missed), "deadline"))
	}
	switch before, lowest := fmt.Sprintf("%.1f", 100*i.Yield), fmt.Sprintf("%.1f", 100*i.LowestYield); {
	case i.Yield == 0:
	case lowest == before:
		add("smallest yield still %s %%", before)
	default:
		add("smallest yield from %s %% to %s %%", before, lowest)
	}
	if i.Refunds > 0 {
		add("%s refunded for %s", system.Count(i.Refunded, "credit"), system.Count(float64(i.Refunds), "sold unit"))
	}
	if len(parts) == 0 {
		return "Nothing was running there."
	}
	return strings.Join(parts, ", ") + "."
}

// last says which of those that are back the latest one is.
func (i *Incident) last() string {
	if i.Waiting() == 0 {
		return "the last"
	}
	return "the last so far"
}

// bytes returns a size in megabytes, gigabytes or terabytes.
func bytes(n int64) string {
	mb := float64(n) / float64(unit.MB)
	switch {
	case mb < 1000:
		return fmt.Sprintf("%.0f MB", mb)
	case mb < 1e6:
		return fmt.Sprintf("%.1f GB", mb/1e3)
	}
	return fmt.Sprintf("%.1f TB", mb/1e6)
}

// figure returns a number with commas between its thousands.
func figure(n int) string { return system.Whole(float64(n)) }

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// were is the beginning of a clause about some of several.
func were(n int) string {
	if n == 1 {
		return "it was"
	}
	return "they were"
}

// took returns a span in words, rounded up.
func took(span unit.Time) string {
	if span <= 2*unit.Minute {
		tenths := (span + unit.Second/10 - 1) / (unit.Second / 10)
		return fmt.Sprintf("%d.%d s", tenths/10, tenths%10)
	}
	return fmt.Sprintf("%d min", (span+unit.Minute-1)/unit.Minute)
}
