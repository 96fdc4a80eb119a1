package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// reader reads the values of a link one by one. It records, in sentences, the values that it could
// not read and those that it changed.
type reader struct {
	keys            query
	problems, notes []string
}

// twice notes the keys that occur more than once in the link: the first counts, except of f, which
// may repeat.
func (r *reader) twice() {
	seen := map[string]int{}
	for _, p := range r.keys {
		setting := strings.HasPrefix(p[0], "x.")
		if seen[p[0]]++; seen[p[0]] == 2 && p[0] != "f" && (setting || slices.Contains(linkKeys, p[0])) {
			r.problems = append(r.problems, fmt.Sprintf("the link has %s twice: remove one", shorten(p[0])))
		}
	}
}

// word returns the value of a key, "" if there is none or it is not good.
func (r *reader) word(key string, good func(string) bool, wanted string) string {
	value := r.keys.get(key)
	if value != "" && !good(value) {
		r.problems = append(r.problems, fmt.Sprintf("the link's %s is %q, which is not %s", key, shorten(value),
			wanted))
		return ""
	}
	return value
}

// list returns values with commas between them, each once; nil if one is not good.
func (r *reader) list(key string, limit int, good func(string) bool, wanted string) (values []string) {
	text := r.word(key, func(s string) bool {
		all := strings.Split(s, ",")
		return len(s) <= limit && !slices.ContainsFunc(all, func(s string) bool { return !good(s) })
	}, wanted)
	for value := range strings.SplitSeq(text, ",") {
		if value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// choice returns a value that is one of a few words.
func (r *reader) choice(key string, words []string) string {
	wanted := words[0]
	if len(words) > 1 {
		wanted = "one of " + strings.Join(words, ", ")
	}
	return r.word(key, func(s string) bool {
		for _, word := range words {
			if s == word {
				return true
			}
		}
		return false
	}, wanted)
}

// whole returns a whole number from lowest to limit.
func (r *reader) whole(key string, lowest, limit uint64) (uint64, bool) {
	text := r.word(key, func(s string) bool { return len(s) <= 16 && isDigits(s) }, "a whole number")
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, false
	}
	held := min(max(number, lowest), limit)
	if held != number {
		r.clamped(key, text, strconv.FormatUint(held, 10))
	}
	return held, true
}

// time returns a simulated time.
func (r *reader) time(key string) Duration {
	var at Duration
	text := r.word(key, func(s string) bool {
		var err error
		at, err = ParseDuration(s)
		return err == nil
	}, "a time such as 6h12m40s")
	if text == "" {
		return 0
	}
	if at > linkTime {
		at = linkTime
		r.clamped(key, text, spell(at))
	}
	return at
}

// text returns any text of at most a given number of characters.
func (r *reader) text(key string, limit int) string { return r.cut(key, r.keys.get(key), limit) }

func (r *reader) cut(key, value string, limit int) string {
	short := cut(value, limit)
	if short != value {
		r.notes = append(r.notes, fmt.Sprintf("the link's %s is longer than %d characters; only those are read",
			shorten(key), limit))
	}
	return short
}

// clamped notes that a value was out of range.
func (r *reader) clamped(key, value, taken string) {
	r.notes = append(r.notes, fmt.Sprintf("the link's %s is %s, which is out of range: %s is used", key, shorten(value),
		taken))
}

// view reads how the run is looked at.
func (r *reader) view(a *Address) {
	a.Filter = r.text("filter", linkFormula)
	a.Score = r.text("score", linkFormula)
	a.Palette = r.choice("pal", palettes)
	a.Whole = r.choice("scale", []string{"full"}) != ""
	a.Tab = r.word("tab", func(s string) bool { return isWord(s, 32, "", false) }, "a tab of the drawer")
	if text := r.word("cam", isCamera, "a node and how large it is, such as node.4711-3.5"); text != "" {
		node, size, _ := strings.Cut(strings.TrimPrefix(text, "node."), "-")
		n, _ := strconv.Atoi(node) // isCamera saw both
		zoom, _ := strconv.ParseFloat(size, 64)
		held := min(max(zoom, minZoom), maxZoom)
		if held != zoom {
			r.clamped("cam", text, fmt.Sprintf("node.%d-%v", n, held))
		}
		a.Camera = &Camera{n, held}
	}
	if r.keys.get("speed") == "max" {
		a.Speed = new(int)
	} else if n, ok := r.whole("speed", 1, linkSpeed); ok {
		speed := int(n)
		a.Speed = &speed
	}
}

// putView writes the fields of the view that differ from their defaults.
func (a Address) putView(put func(key, value string)) {
	put("filter", a.Filter)
	put("score", a.Score)
	if a.Palette != palettes[0] {
		put("pal", a.Palette)
	}
	if a.Whole {
		put("scale", "full")
	}
	if a.Camera != nil {
		put("cam", fmt.Sprintf("node.%d-%s", a.Camera.Node, strconv.FormatFloat(a.Camera.Zoom, 'f', -1, 64)))
	}
	switch {
	case a.Speed != nil && *a.Speed == 0:
		put("speed", "max")
	case a.Speed != nil:
		put("speed", strconv.Itoa(*a.Speed))
	}
	put("tab", a.Tab)
}

// comparison reads the systems with which the scenario is compared.
func (r *reader) comparison(a *Address) {
	for _, id := range strings.Fields(r.word("with", isRivals, "systems such as central.best-fit")) {
		if len(a.Rivals) == linkRivals {
			r.notes = append(r.notes, fmt.Sprintf("the link compares with more than %d: the first %d are used",
				linkRivals, linkRivals))
			break
		}
		a.Rivals = append(a.Rivals, id)
	}
	a.Until = r.time("until")
	if n, ok := r.whole("seeds", 1, linkSeeds); ok {
		a.Seeds = int(n)
	}
	a.Compared = r.choice("run", []string{"1"}) != ""
	a.Beside = r.choice("beside", views)
	a.BesideAt = r.time("moment")
	a.Ask = r.word("ask", isPacked, "a packed question")
	a.Card = r.choice("card", []string{"1"}) != ""
}

// putComparison writes the fields of the comparison that differ from their defaults.
func (a Address) putComparison(put func(key, value string)) {
	put("with", strings.Join(a.Rivals, " "))
	if a.Until > 0 {
		put("until", spell(a.Until))
	}
	if a.Seeds > 0 {
		put("seeds", strconv.Itoa(a.Seeds))
	}
	if a.Compared {
		put("run", "1")
	}
	put("beside", a.Beside)
	if a.BesideAt > 0 {
		put("moment", spell(a.BesideAt))
	}
	put("ask", a.Ask)
	if a.Card {
		put("card", "1")
	}
}

// isPacked reports whether a text may be a packed value of bounded length.
func isPacked(s string) bool {
	packed, begins := strings.CutPrefix(s, "1.")
	return begins && isWord(packed, linkAsk, "_-", true)
}

// unknown keeps a key that may be of a later version.
func (r *reader) unknown(a *Address, p [2]string) {
	if !isWord(p[0], 32, "_.-", true) || len(a.More) == linkMore {
		r.problems = append(r.problems, fmt.Sprintf("the link has %q, which is not part of a link", shorten(p[0])))
		return
	}
	a.More = append(a.More, [2]string{p[0], r.cut(p[0], p[1], linkSetting)})
}

// listed names keys, each once.
func listed(pairs [][2]string) string {
	var names []string
	seen := map[string]bool{}
	for _, p := range pairs {
		if !seen[p[0]] {
			names = append(names, strconv.Quote(p[0]))
		}
		seen[p[0]] = true
	}
	return strings.Join(names, ", ")
}

// isCamera reports whether s is such as node.4711-3.5.
func isCamera(s string) bool {
	node, size, sized := strings.Cut(s, "-")
	whole, part, pointed := strings.Cut(size, ".")
	return sized && isNode(node) && len(whole) <= 4 && isDigits(whole) && (!pointed || len(part) <= 2 && isDigits(part))
}

// isRivals reports whether s is a list of ids with spaces between them.
func isRivals(s string) bool {
	for id := range strings.SplitSeq(s, " ") {
		if !isWord(id, 64, "_.-", false) {
			return false
		}
	}
	return true
}
