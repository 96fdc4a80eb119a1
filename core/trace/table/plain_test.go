package table_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
)

// TestPlainRows: rows of short whole numbers between blanks are all read in the quick
// way, no other is, and what it reads is what Parse reads, whatever the row before held.
func TestPlainRows(t *testing.T) {
	columns := []table.Column{
		{Name: "time", Kind: table.Moment},
		{Name: "second", Kind: table.Seconds},
		{Name: "jobs", Kind: table.Rounded, Limit: 1000},
		{Name: "wait", Kind: table.Seconds, Limit: uint64(unit.Hour)},
		{Name: "number", Kind: table.Number},
		{Name: "share", Kind: table.Share},
		{Name: "word", Kind: table.Text},
	}
	numbers := strings.Split("0 1 -1 7 -0 -9 9 3600 3601 1000 1001 -1001 999999999999 1000000000000 -1000000000000 - / : 1: /1 1x -x 1.0", " ")
	blanks := []string{" ", "\t", " \t "}
	short := regexp.MustCompile(`^-?[0-9]{1,12}$`)
	for _, negative := range []bool{false, true} {
		for k, c := range columns {
			for _, must := range []bool{false, true} {
				c.Must = must
				log := &table.Table{Name: "log", Comma: trace.Blank, Minus: negative, Columns: []table.Column{c, columns[k/2]}}
				for i, n := range numbers {
					for j, m := range append(numbers, "", "3 4") {
						before, between, after := blanks[(i+j)%3], blanks[i%3], blanks[j%3]
						if i%2 == 0 {
							before, after = "", ""
						}
						line := before + n + between + m + after
						plain := true
						for column, text := range strings.Fields(n + " " + m) {
							if column == 2 {
								plain = false
								break
							}
							c := log.Columns[column]
							value, _ := strconv.ParseUint(strings.TrimPrefix(text, "-"), 10, 64)
							below := strings.HasPrefix(text, "-")
							unknown := below && value > 0
							if c.Kind == table.Seconds {
								value *= 1e6
							}
							plain = plain && short.MatchString(text) && c.Kind < table.Share && (!below || negative && !c.Must) &&
								(unknown || c.Limit == 0 || value <= c.Limit)
						}
						plain = plain && m != ""
						var got, want table.Row
						got = dirty
						if log.Plain(&got, []byte(line)) != plain {
							t.Fatalf("%q, minus %v, %v: read plainly: %v", line, negative, log.Columns, !plain)
						}
						var fields trace.Fields
						fields.Split([]byte(line), trace.Blank)
						if reason, ok := log.Parse(&want, &fields); plain && (!ok || row(got) != row(want)) {
							t.Fatalf("%q, minus %v, %v: %s, by Parse %s %v", line, negative, log.Columns, row(got), row(want), reason)
						}
					}
				}
			}
		}
	}
	comma := &table.Table{Comma: ',', Columns: columns[:1]}
	if comma.Plain(&dirty, []byte("1")) {
		t.Error("a row between commas is read as one between blanks")
	}
}

// dirty is a row that something was read into.
var dirty = func() (r table.Row) {
	log := &table.Table{Comma: ',', Columns: make([]table.Column, 3)}
	var f trace.Fields
	f.Split([]byte("71,72,73"), ',')
	log.Parse(&r, &f)
	return r
}()

// row is what two columns of a row hold.
func row(r table.Row) string {
	return fmt.Sprint(r.Int(0), r.Int(1), r.Value(0), r.Value(1), r.Holds(0), r.Holds(1), r.Holds(2))
}
