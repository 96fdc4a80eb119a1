package field

import (
	"strings"

	"github.com/tidwall/gjson"
)

// places returns where each column of the table stands among names; nil if they are those of
// another table.
func (s *schema) places(names []string) (at []int, notes []string) {
	at = make([]int, len(s.columns))
	found, keys := 0, false
	joined := s.suffix(names)
	for i := range s.columns {
		c := &s.columns[i]
		if at[i] = indexOf(names, c.names, ""); at[i] < 0 && joined != "" {
			at[i] = indexOf(names, c.names, joined)
		}
		if at[i] >= 0 {
			found++
		} else if c.key {
			return nil, nil
		}
		keys = keys || c.key
	}
	if found < 2 || !keys {
		return nil, nil
	}
	if joined != "" {
		notes = append(notes, "two tables were joined in it: of columns that both have, those that end in _"+
			joined+" are read as those of "+s.name)
	}
	return at, notes
}

// indexOf returns the place of the first of some names, with an ending; -1 if there is none.
func indexOf(names, wanted []string, ending string) int {
	for _, want := range wanted {
		for k, name := range names {
			if name == want+ending {
				return k
			}
		}
	}
	return -1
}

// suffix returns the suffix that pandas gave the table's columns when it joined the table with another
// one: x, y or none. Of columns that both tables have, those of the left one precede those of the right
// one and end in _x. The side is the one whose columns are nearer to the table's other columns.
func (s *schema) suffix(names []string) string {
	mean := func(ending string) (at, n float64) {
		for i := range s.columns {
			if k := indexOf(names, s.columns[i].names, ending); k >= 0 {
				at, n = at+float64(k), n+1
			}
		}
		return at / max(n, 1), n
	}
	left, first := mean("x")
	right, second := mean("y")
	own, others := mean("")
	switch {
	case first == 0 || second == 0:
		return ""
	case others > 0 && max(own-right, right-own) < max(own-left, left-own):
		return "y"
	}
	return "x"
}

// members fills cells with the members of an object, and with those of the objects in it. known
// keeps which column a path is, -1 for none.
func members(cells [][]byte, s *schema, object []byte, known map[string]int) [][]byte {
	clear(cells)
	var each func(before string, of gjson.Result)
	each = func(before string, of gjson.Result) {
		of.ForEach(func(name, v gjson.Result) bool {
			path := name.Str
			if before != "" {
				path = before + "." + path
			}
			column, is := known[path]
			if !is {
				if column = s.column(path); len(known) < 1000 {
					known[path] = column
				}
			}
			if column >= 0 && cells[column] == nil && v.Type != gjson.Null {
				cells[column] = []byte(v.Raw)
				if v.Type == gjson.String {
					cells[column] = []byte(v.Str)
				}
			}
			if before == "" && v.IsObject() {
				each(path, v)
			}
			return true
		})
	}
	each("", gjson.ParseBytes(object))
	return cells
}

// column returns the column with a name; -1 if there is none. Columns that files with a line of
// names may call otherwise have one name each in JSON objects that hold others.
func (s *schema) column(path string) int {
	name := folded(path)
	for i := range s.columns {
		if indexOf([]string{name}, s.columns[i].names, "") == 0 {
			return i
		}
	}
	return -1
}

// hasMembers reports whether an object has the members that every row of the table has. It looks for
// their paths if the trace is published as JSON, else among the object's own members.
func (s *schema) hasMembers(object []byte) bool {
	var own []string
	keys := 0
	for i := range s.columns {
		c := &s.columns[i]
		if !c.key {
			continue
		}
		keys++
		there := false
		for _, path := range c.paths {
			there = there || s.json && gjson.GetBytes(object, strings.ReplaceAll(path, "~", " ")).Exists()
		}
		if !there && own == nil && !s.json {
			gjson.ParseBytes(object).ForEach(func(name, _ gjson.Result) bool {
				own = append(own, folded(name.Str))
				return len(own) < 2500
			})
		}
		if !there && indexOf(own, c.names, "") < 0 {
			return false
		}
	}
	return keys > 1
}
