package jobtable

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/unit"
	"parley/core/words"
	"parley/core/zone"
)

// field is a fact about a job that a table may have.
type field uint8

const (
	id field = iota
	submit
	start
	end
	runtime
	processors
	requested
	user
	group
	queue
	state
	memory
	qos
	dependency // the jobs that it waits for, as Slurm and PBS write them
	throttle   // elements of its array that run at a time
	exclusive
	switches // the most leaf switches that its nodes are under, as Slurm's --switches has it
	command  // of its submission, with its options
	name
	preceding // the job that has to end before this one comes
	think     // how long its user then thinks
	fields
)

// fieldNames are the fields as mappings spell them.
var fieldNames = [fields]string{
	"id", "submit", "start", "end", "runtime", "processors", "requested", "user", "group", "queue", "state", "memory",
	"qos", "dependency", "throttle", "exclusive", "switches", "command", "name", "preceding", "think",
}

// Fields lists the fields that a column may hold, as mappings spell them.
func Fields() []string { return slices.Clone(fieldNames[:]) }

// Units lists the units that a column of times may have, as mappings spell them.
func Units() []string {
	return []string{"s", "ms", "us", "ns", "min", "h", "d", clockHours, clockMinutes}
}

// The units that a column may have. Those of clocks decide how times with one colon are
// read.
var timeUnits = map[string]unit.Time{
	"s": unit.Second, "ms": unit.Millisecond, "us": 1, "ns": 0, "min": unit.Minute,
	"h": unit.Hour, "d": unit.Day,
}

const (
	clockHours   = "hh:mm"
	clockMinutes = "mm:ss"
)

// noColumn in a mapping means that the table does not have the field, whatever the names of its
// columns.
const noColumn = "-"

// mapping assigns columns to fields, with their notation. Zero values are inferred from the names
// and the content.
type mapping struct {
	columns [fields]string // by field; "": inferred
	units   [fields]string // of times, likewise
	zone    unit.Time      // how far local times are ahead of UTC
	zoned   bool           // zone is given
	place   string         // the zone by its name, such as Europe/Berlin; "" if it is an offset
	decimal byte           // ',' or '.'; 0: inferred
	order   string         // of dates with slashes: "dmy" or "mdy"
	names   string         // of the columns of a table without a line of names
	nodes   int64          // of the machine; 0: inferred
	perNode int64
	bare    bool   // columns are called by their numbers, even if the first line has names
	always  int64  // processors of every job; 0: a column has them
	each    string // the column by which that of processors is multiplied; "" if there is none
}

// times separates two columns whose product is a number of processors, as in nodes*ppn.
const times = "*"

// alwaysWord begins the value of processors if all jobs have the same number.
const alwaysWord = "always:"

// parseMapping reads a mapping such as
//
//	submit=begin_time, runtime=elapsed:min, processors="CPUs, all", zone=+01:00, machine=64x48
func parseMapping(text string) (m mapping, err error) {
	if strings.TrimSpace(text) == "" {
		return m,
			errors.New(
				"the mapping is empty: write field=column, as in submit=begin_time, runtime=elapsed, processors=ncpus",
			)
	}
	for _, part := range splitQuoted(text) {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return m, fmt.Errorf("the mapping has %q: write field=column, as in submit=begin_time", shorten(part))
		}
		if f := slices.Index(fieldNames[:], name); f >= 0 {
			if m.columns[f] != "" {
				return m, fmt.Errorf("the mapping gives %s twice: leave one of them out", name)
			}
			if count, is := strings.CutPrefix(value, alwaysWord); is && field(f) == processors {
				m.always, err = strconv.ParseInt(count, 10, 64)
				if err != nil || m.always < 1 || m.always > maxProcessors {
					return m,
						fmt.Errorf(
							"the mapping has processors=%s: write how many every job takes, as in processors=always:1",
							shorten(value),
						)
				}
				m.columns[f] = noColumn
				continue
			}
			if count, each, is := strings.Cut(value, times); is && field(f) == processors {
				value, m.each = strings.TrimSpace(count), strings.Trim(strings.TrimSpace(each), `"`)
			}
			if m.columns[f], m.units[f], err = columnAndUnit(field(f), value); err != nil {
				return m, err
			}
			continue
		}
		if err := m.set(name, value); err != nil {
			return m, err
		}
	}
	return m, nil
}

// set sets an option of the table as a whole.
func (m *mapping) set(name, value string) error {
	switch name {
	case "zone":
		m.zoned = true
		if ahead, rest, why := parseZone([]byte(value)); why == "" && len(rest) == 0 && !isLetterByte(value[0]) {
			m.zone = ahead
			return nil
		}
		_, among, fixed := zone.Abbreviated(strings.ToUpper(value))
		if place := zone.Place(strings.ToUpper(value)); place != "" {
			among = []string{place}
		}
		switch z, is := zone.Find(value); {
		case len(among) > 0:
			return fmt.Errorf(
				"the mapping has zone=%s, which says only what a part of the year has or has several meanings: name the place, as in zone=%s, or what local time is ahead of UTC, as in zone=+01:00", shorten(value), strings.Join(among, " or zone="),
			)
		case is:
			m.place = z.Name
		case fixed:
			m.zone, _, _ = parseZone([]byte(strings.ToUpper(value)))
		default:
			return fmt.Errorf(
				"the mapping has zone=%s, which is not known: write a place of the IANA database, as in zone=Europe/Berlin, or what local time is ahead of UTC, as in zone=+01:00", shorten(value),
			)
		}
	case "names":
		if m.names = strings.Trim(value, `"`); !strings.ContainsAny(m.names, "|,;\t") {
			return fmt.Errorf(
				"the mapping has names=%s: write the names of all columns as that line would stand above the rows, as in names=\"JobID|Submit|Start|End|NCPUS\"", shorten(value),
			)
		}
	case "decimal":
		switch value {
		case "comma":
			m.decimal = ','
		case "point":
			m.decimal = '.'
		default:
			return fmt.Errorf("the mapping has decimal=%s: choose comma or point", shorten(value))
		}
	case "dates":
		if value != "dmy" && value != "mdy" {
			return fmt.Errorf("the mapping has dates=%s: choose dmy for the day first or mdy for the month first",
				shorten(value))
		}
		m.order = value
	case "machine":
		nodes, each, many := strings.Cut(value, "x")
		n, err := strconv.ParseInt(nodes, 10, 64)
		k := int64(1)
		if many && err == nil {
			k, err = strconv.ParseInt(each, 10, 64)
		}
		if err != nil || n < 1 || k < 1 || n > maxProcessors || k > maxProcessors || n*k > maxProcessors {
			return fmt.Errorf(
				"the mapping has machine=%s: write the number of processors, or nodes and processors of each, as in machine=64x48, up to %d in all", shorten(value), maxProcessors,
			)
		}
		m.nodes, m.perNode = n, k
	default:
		return fmt.Errorf(
			"the mapping has %q, which is no field: choose among %s; names, zone, decimal, dates and machine say how the table is written", shorten(name), strings.Join(fieldNames[:], ", "),
		)
	}
	return nil
}

// columnAndUnit splits "elapsed:min" into its column and its unit.
func columnAndUnit(f field, value string) (column, unitOf string, err error) {
	column = value
	if isTime(f) {
		for _, u := range []string{clockHours, clockMinutes} {
			if c, ok := strings.CutSuffix(value, ":"+u); ok {
				column, unitOf = c, u
			}
		}
		if i := strings.LastIndexByte(value, ':'); unitOf == "" && i > 0 && !strings.HasSuffix(value, `"`) {
			column, unitOf = value[:i], value[i+1:]
			if _, known := timeUnits[unitOf]; !known {
				return "", "",
					fmt.Errorf(
						"the mapping has %s=%s: the unit after the colon is one of s, ms, us, ns, min, h, d, %s, %s",
						fieldNames[f], shorten(value), clockHours, clockMinutes,
					)
			}
		}
	}
	if n := len(column); n > 1 && column[0] == '"' && column[n-1] == '"' {
		column = column[1 : n-1]
	}
	return strings.TrimSpace(column), unitOf, nil
}

// isTime reports whether a field holds times or durations.
func isTime(f field) bool {
	return f == submit || f == start || f == end || f == runtime || f == requested || f == think
}

// isMoment reports whether a field holds points in time.
func isMoment(f field) bool { return f == submit || f == start || f == end }

// String returns m as parseMapping reads it.
func (m *mapping) String() string {
	var parts []string
	if m.names != "" {
		parts = append(parts, `names="`+m.names+`"`)
	}
	for f, column := range m.columns {
		if column == "" {
			continue
		}
		if field(f) == processors && m.always > 0 {
			column = alwaysWord + strconv.FormatInt(m.always, 10)
			parts = append(parts, fieldNames[f]+"="+column)
			continue
		}
		column = quoted(column)
		if field(f) == processors && m.each != "" {
			column += times + quoted(m.each)
		}
		if m.units[f] != "" {
			column += ":" + m.units[f]
		}
		parts = append(parts, fieldNames[f]+"="+column)
	}
	return strings.Join(parts, ", ")
}

func isLetterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// quoted returns the name of a column as a mapping spells it.
func quoted(column string) string {
	if strings.ContainsAny(column, ",:\"= *") {
		return `"` + column + `"`
	}
	return column
}

// splitQuoted splits a text at its commas, but not within quotation marks.
func splitQuoted(text string) (parts []string) {
	quoted, from := false, 0
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			parts, from = append(parts, strings.TrimSpace(text[from:i])), i+1
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" || len(parts) == 0 {
		parts = append(parts, last)
	}
	return parts
}

// shorten shortens a text that a message repeats.
func shorten(text string) string { return words.Cut(text, 60) }
