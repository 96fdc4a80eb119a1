package jobtable

import (
	"bytes"
	"fmt"
	"slices"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/zone"
)

// judge finds out from the first rows how times and numbers are written.
func (p *plan) judge(rows [][][]byte) *problem {
	if !p.mapping.zoned {
		p.mapping.zone = p.zoneOf(rows)
	}
	place, _ := zone.Find(p.mapping.place)
	decimal, why := p.decimalOf(rows)
	if why != nil {
		return why
	}
	for f := range fields {
		s := style{unit: unit.Second, decimal: decimal, zone: p.mapping.zone, order: p.mapping.order, place: place}
		if p.table == sacctText {
			s.clock = clockMinutes
		}
		switch u := p.units[f]; u {
		case "":
			if isMoment(f) {
				s.unit, s.nanos = magnitude(rows, p.at[f])
				s.packed = p.at[f] >= 0 && isPacked(rows, p.at[f])
			}
		case clockHours, clockMinutes:
			s.clock = u
		default:
			s.unit, s.nanos = timeUnits[u], u == "ns"
		}
		p.styles[f] = s
		if p.at[f] >= 0 && (f == user || f == group || f == queue || f == qos || f == name) {
			p.textual[f] = slices.ContainsFunc(rows, func(row [][]byte) bool {
				c := row[p.at[f]]
				return !isUnknown(c) && !isDigits(c)
			})
		}
	}
	if p.mapping.order == "" {
		for _, f := range []field{submit, start, end} {
			if why := p.orderOf(f, rows); why != nil {
				return why
			}
		}
	}
	p.fitRuntime(rows)
	p.fitRequested(rows)
	return nil
}

// limitUnit asks for the unit of a limit with Slurm's name that holds plain numbers: Slurm means minutes, but a script
// may have changed them to seconds, and neither the runs nor the size of the numbers decide it.
func (p *plan) limitUnit(rows [][][]byte) *problem {
	at := p.at[requested]
	if at < 0 || p.units[requested] != "" || p.styles[requested].unit != unit.Second || p.table == sacctText {
		return nil
	}
	if name, _ := folded(p.header[at]); name != "timelimit" {
		return nil
	}
	const limit = 86400 // a day in seconds, and more minutes than a limit has
	seen := ""
	for _, row := range rows {
		cell := row[at]
		if isUnknown(cell) || isUnlimited(cell) {
			continue
		}
		if n, why := trace.Whole(cell, limit-1); why != "" {
			return nil
		} else if n > 0 {
			seen = string(cell)
		}
	}
	if seen == "" {
		return nil
	}
	column := quoted(p.header[at])
	return &problem{
		Reason: fmt.Sprintf(
			"is a table of jobs with the limit %s in column %s, which may be minutes, as Slurm counts, or seconds",
			seen, p.header[at],
		),
		Hint: "say which: --map 'requested=" + column + ":min' or 'requested=" + column + ":s'",
	}
}

// fitRequested reads plain numbers of a requested time in minutes if neither the mapping
// nor the name of the column has the unit and most runs would end beyond it in seconds.
func (p *plan) fitRequested(rows [][][]byte) {
	if p.at[requested] < 0 || p.units[requested] != "" {
		return
	}
	s := p.styles[requested]
	minutes := s
	minutes.unit = unit.Minute
	numbers, inSeconds, inMinutes := 0, 0, 0
	for _, row := range rows {
		limit := row[p.at[requested]]
		run, known := p.runOf(row)
		if !isDigits(limit) || isUnlimited(limit) || !known {
			continue
		}
		numbers++
		const grace = 2 * unit.Minute // until a limit is noticed
		if t, why := s.duration(limit); why == "" && run <= t+grace {
			inSeconds++
		}
		if t, why := minutes.duration(limit); why == "" && run <= t+grace {
			inMinutes++
		}
	}
	if 10*inSeconds < 9*numbers && 10*inMinutes >= 9*numbers {
		p.styles[requested] = minutes
		p.notes = append(p.notes,
			fmt.Sprintf(
				"column %s is read in minutes: in seconds %d of %d runs would end beyond it; a mapping says otherwise, as in requested=%s:s", p.header[p.at[requested]], numbers-inSeconds, numbers, p.header[p.at[requested]],
			))
	}
}

// runOf returns how long the job of a row ran, and false if it never ran or that is unknown.
func (p *plan) runOf(row [][]byte) (unit.Time, bool) {
	if at := p.at[runtime]; at >= 0 && !isUnknown(row[at]) {
		run, why := p.styles[runtime].duration(row[at])
		return run, why == "" && run > 0
	}
	if p.at[start] < 0 || p.at[end] < 0 || isUnknown(row[p.at[start]]) || isUnknown(row[p.at[end]]) {
		return 0, false
	}
	from, wrong := p.styles[start].moment(row[p.at[start]], new(day))
	to, bad := p.styles[end].moment(row[p.at[end]], new(day))
	return to - from, wrong+bad == "" && from > 0 && to > from
}

// fits reports whether the cells of a row have the types of their columns: moments, durations and
// counts.
func (p *plan) fits(cells [][]byte) bool {
	for _, f := range []field{submit, start, end, runtime, requested, processors} {
		at := p.at[f]
		if at < 0 || isUnknown(cells[at]) {
			continue
		}
		s := p.styles[f]
		if s.unit == 0 { // the beginning of the table is being looked at
			s = style{unit: unit.Second, decimal: '.', clock: clockMinutes}
		}
		var why string
		switch f {
		case submit, start, end:
			_, why = s.moment(cells[at], new(day))
		case processors:
			_, why = s.whole(cells[at])
		default:
			_, why = s.duration(cells[at])
		}
		if why != "" {
			return false
		}
	}
	for _, s := range p.signs {
		if !isUnknown(cells[s.at]) && len(bytes.Trim(cells[s.at], s.signs)) > 0 {
			return false
		}
	}
	at := p.at[state]
	return at < 0 || !bytes.ContainsAny(cells[at], "0123456789|,;") ||
		bytes.HasPrefix(cells[at], []byte("CANCELLED by "))
}

// zoneOf returns the zone of times that have none if others have one, and it is the same in
// all of these; else 0, which is UTC.
func (p *plan) zoneOf(rows [][][]byte) unit.Time {
	zones, without := map[unit.Time]int{}, 0
	for _, f := range []field{submit, start, end} {
		for _, row := range rows {
			if p.at[f] < 0 || len(row[p.at[f]]) < len("2026-03-01T10:00") {
				continue
			}
			clock := row[p.at[f]][len("2026-03-01"):]
			i := bytes.IndexAny(clock, "+-Z")
			// a name, and no PM
			if last := clock[len(clock)-1] | 0x20; i < 0 && 'a' <= last && last <= 'z' && last != 'm' {
				continue
			}
			if i < 0 {
				without++
			} else if ahead, _, why := parseZone(clock[i:]); why == "" {
				zones[ahead]++
			}
		}
	}
	if len(zones) == 0 || without == 0 {
		return 0
	}
	if len(zones) > 1 {
		p.notes = append(p.notes,
			"some times have no zone and are taken for UTC, and the others have several: say it in the mapping, as in zone=+01:00")
		return 0
	}
	for ahead := range zones {
		if ahead == 0 {
			return 0
		}
		sign, minutes := '+', int64(ahead/unit.Minute)
		if minutes < 0 {
			sign, minutes = '-', -minutes
		}
		p.notes = append(p.notes,
			fmt.Sprintf("some times have no zone and are taken for %c%02d:%02d, which all others have", sign,
				minutes/60, minutes%60))
		return ahead
	}
	return 0
}

// magnitude returns the unit of numbers that are points in time: seconds, milliseconds,
// microseconds or nanoseconds since 1970, or seconds since any moment.
func magnitude(rows [][][]byte, column int) (u unit.Time, nanos bool) {
	largest := 0
	if column < 0 {
		return unit.Second, false
	}
	for _, row := range rows {
		whole, _, _ := bytes.Cut(row[column], []byte("."))
		if isDigits(whole) {
			largest = max(largest, len(whole))
		}
	}
	switch {
	case largest <= 11:
		return unit.Second, false
	case largest <= 14:
		return unit.Millisecond, false
	case largest <= 17:
		return 1, false
	}
	return 1, true
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// decimalOf returns the decimal sign of a table.
func (p *plan) decimalOf(rows [][][]byte) (byte, *problem) {
	if p.mapping.decimal != 0 {
		return p.mapping.decimal, nil
	}
	comma, point, open := 0, 0, ""
	var where field
	for _, f := range []field{submit, start, end, runtime, processors, requested, memory} {
		if p.at[f] < 0 {
			continue
		}
		for _, row := range rows {
			cell := row[p.at[f]]
			if bytes.ContainsFunc(cell, func(r rune) bool { return r != ',' && r != '.' && (r < '0' || r > '9') }) {
				continue
			}
			c, d := bytes.IndexByte(cell, ','), bytes.IndexByte(cell, '.')
			last := len(cell) - 1
			switch {
			case c >= 0 && d >= 0 && c > d, c >= 0 && d < 0 && last-c != 3:
				comma++
			case c >= 0 && d >= 0, d >= 0 && c < 0 && last-d != 3:
				point++
			case c >= 0 && bytes.Count(cell, []byte(",")) > 1:
				point++
			case d >= 0 && bytes.Count(cell, []byte(".")) > 1:
				comma++
			case d >= 0 && f == processors && len(bytes.Trim(cell[d+1:], "0")) > 0: // there are no parts of one
				comma++
			case c >= 0:
				open, where = string(cell), f
			}
		}
	}
	switch {
	case comma > point, comma == 0 && point == 0 && open != "" && p.comma == ';':
		return ',', nil
	case point == 0 && comma == 0 && open != "":
		if sign := p.decimalByRuns(rows); sign != 0 {
			return sign, nil
		}
		return '.', &problem{
			Reason: fmt.Sprintf("is a table of jobs with %q in column %s, which is a fraction or a number of thousands",
				open, p.header[p.at[where]]),
			Hint: "say which: --map '" + p.proposal() + ", decimal=comma' or decimal=point",
		}
	}
	return '.', nil
}

// decimalByRuns returns the decimal sign with which nine of ten run times with a sign equal, in seconds, the time
// from start to end; 0 if neither does.
func (p *plan) decimalByRuns(rows [][][]byte) byte {
	if p.at[runtime] < 0 || p.at[start] < 0 || p.at[end] < 0 || p.units[runtime] != "" {
		return 0
	}
	place, _ := zone.Find(p.mapping.place)
	agree, open := [2]int{}, 0
	for _, row := range rows {
		run, from, to := row[p.at[runtime]], row[p.at[start]], row[p.at[end]]
		if !bytes.ContainsAny(run, ",.") || isUnknown(from) || isUnknown(to) {
			continue
		}
		open++
		for i, sign := range []byte(".,") {
			s := style{unit: unit.Second, decimal: sign, zone: p.mapping.zone, order: p.mapping.order, place: place}
			took, why := s.duration(run)
			a, b := s, s
			a.unit, a.nanos = magnitude(rows, p.at[start])
			b.unit, b.nanos = magnitude(rows, p.at[end])
			began, wrong := a.moment(from, new(day))
			ended, bad := b.moment(to, new(day))
			if off := ended - began - took; why+wrong+bad == "" && -unit.Second <= off && off <= unit.Second {
				agree[i]++
			}
		}
	}
	for i, sign := range []byte(".,") {
		if open > 0 && agree[i]*10 >= open*9 && agree[1-i]*10 < open*9 {
			return sign
		}
	}
	return 0
}

// orderOf finds out whether dates with slashes begin with the day or the month.
func (p *plan) orderOf(f field, rows [][][]byte) *problem {
	if p.at[f] < 0 {
		return nil
	}
	slashed := ""
	for _, row := range rows {
		a, b, is := slashes(string(row[p.at[f]]))
		if !is || a > 31 {
			continue
		}
		slashed = string(row[p.at[f]])
		if a > 12 {
			p.styles[f].order = "dmy"
			return nil
		}
		if b > 12 {
			p.styles[f].order = "mdy"
			return nil
		}
	}
	if slashed == "" {
		return nil
	}
	return &problem{
		Reason: fmt.Sprintf(
			"is a table of jobs with the date %q in column %s, in which day and month cannot be told apart",
			slashed, p.header[p.at[f]],
		),
		Hint: "say which comes first: --map '" + p.proposal() + ", dates=dmy' or dates=mdy",
	}
}

// fitRuntime chooses the unit of run times with which they most often equal the time from start to
// end, if neither the mapping nor the name of the column has one.
func (p *plan) fitRuntime(rows [][][]byte) {
	if p.at[runtime] < 0 || p.at[start] < 0 || p.at[end] < 0 || p.units[runtime] != "" || p.table == sacctText {
		return
	}
	best, largest := p.styles[runtime], 0
	defer func() { p.fitted = largest > 0 }()
	for _, try := range []style{
		{unit: unit.Second},
		{unit: unit.Minute},
		{unit: unit.Millisecond},
		{unit: unit.Hour},
		{unit: 1},
		{unit: unit.Second, clock: clockHours},
		{unit: unit.Second, clock: clockMinutes},
	} {
		s := p.styles[runtime]
		s.unit, s.clock = try.unit, try.clock
		fits := 0
		for _, row := range rows {
			run, bad := s.duration(row[p.at[runtime]])
			from, badFrom := p.styles[start].moment(row[p.at[start]], new(day))
			to, badTo := p.styles[end].moment(row[p.at[end]], new(day))
			if bad+badFrom+badTo != "" || run <= 0 {
				continue
			}
			if d := to - from - run; max(d, -d) <= max(2*unit.Second, (to-from)/20) {
				fits++
			}
		}
		if fits > largest {
			best, largest = s, fits
		}
	}
	if best.unit != unit.Second && best != p.styles[runtime] {
		p.notes = append(p.notes, fmt.Sprintf("column %s is read in units of %v, as start and end tell",
			p.header[p.at[runtime]], best.unit))
	}
	p.styles[runtime] = best
}
