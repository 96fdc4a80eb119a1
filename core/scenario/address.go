package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/unit"
)

// Limits to which the values of a link are clamped.
const (
	linkNodes    = MinNodes
	linkSeed     = 1<<53 - 1
	linkTime     = Duration(3650 * unit.Day)
	linkName     = 120 // characters
	linkNeed     = 1000
	linkSetting  = 200
	linkFaults   = 50   // more are packed
	linkFormula  = 1000 // as core/formula reads
	linkMay      = 1000
	linkSpeed    = 86_400
	linkRivals   = 5
	linkSeeds    = 30
	minZoom      = 0.5 // times the zoom that shows all cells
	maxZoom      = 1000
	linkAsk      = 7000    // of a packed question
	linkMore     = 20      // keys that are not known
	maxLink      = 1 << 16 // characters that are looked at
	linkVersion  = "1"
	digestDigits = 8
)

// linkKeys are the keys of a link, beside x.NAME of settings.
var linkKeys = []string{
	"v", "s", "name", "sys", "n", "seed", "f", "may", "fork", "z", "need", "at", "d", "fill", "group", "sel",
	"p", "draw", "embed", "show", "paused", "present",
	"filter", "score", "pal", "scale", "cam", "speed", "tab", "with", "until", "seeds", "run", "beside", "moment",
	"ask", "card",
}

// places are the places of the page, the first one the usual one.
var places = []string{"watch", "compare", "sweep", "plan", "cluster", "papers", "gallery"}

// drawings are the programs that may draw the heatmap if a link names one: the page itself, or the
// renderer.
var drawings = []string{"2d", "gl"}

// groups are the ways to group nodes; the first one is the default.
var groups = []string{"rack", "site", "machine", "attribute", "zone"}

// shown are the parts of the page that a frame shows.
var shown = []string{"map", "lesson", "story", "charts", "gantt", "graph", "bids"}

// palettes are the colours of cells, the first ones the usual ones.
var palettes = []string{"dusk", "cividis", "viridis", "grey"}

// views are the ways in which systems lie side by side.
var views = []string{"split", "swipe", "difference"}

// Encode writes an address as after #: the syntax of URLSearchParams, sorted keys, defaults left
// out.
func (a Address) Encode() string {
	type pair struct{ key, value string }
	pairs := []pair{{"v", linkVersion}}
	put := func(key, value string) {
		if value != "" {
			pairs = append(pairs, pair{key, value})
		}
	}
	if a.Base != DefaultBase {
		put("s", a.Base)
	}
	put("name", a.Name)
	put("sys", a.System)
	if a.Nodes != nil {
		put("n", strconv.Itoa(*a.Nodes))
	}
	if a.Seed != nil {
		put("seed", strconv.FormatUint(*a.Seed, 10))
	}
	for name, value := range a.Settings {
		put("x."+name, scalarText(value))
	}
	if a.Faults != nil && len(*a.Faults) == 0 {
		put("f", noFaults)
	} else if a.Faults != nil {
		for _, f := range *a.Faults {
			put("f", f.text())
		}
	}
	put("may", strings.Join(a.May, ","))
	if a.Packed != nil {
		put("z", pack(a.Packed))
	}
	if a.Fork > 0 {
		put("fork", strconv.Itoa(a.Fork))
	}
	put("need", a.Need)
	if a.At > 0 {
		put("at", spell(a.At))
	}
	put("d", a.Digest[:min(len(a.Digest), digestDigits)])
	put("fill", a.Fill)
	if a.Selected != nil && *a.Selected >= 0 {
		put("sel", "node."+strconv.Itoa(*a.Selected))
	}
	if a.Place != places[0] {
		put("p", a.Place)
	}
	put("draw", a.Drawing)
	if a.Group != groups[0] {
		put("group", a.Group)
	}
	for _, flag := range []struct {
		key string
		set bool
	}{{"embed", a.Embed}, {"paused", a.Paused}, {"present", a.Present}} {
		if flag.set {
			put(flag.key, "1")
		}
	}
	put("show", strings.Join(a.Show, ","))
	a.putView(put)
	a.putComparison(put)
	for _, p := range a.More {
		pairs = append(pairs, pair{p[0], p[1]})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	var s strings.Builder
	for i, p := range pairs {
		if i > 0 {
			s.WriteByte('&')
		}
		escape(&s, p.key)
		s.WriteByte('=')
		escape(&s, p.value)
	}
	return s.String()
}

// DecodeAddress reads an address, with or without its # and the text before it. Values that cannot
// be read are left out: problems has one sentence for each. notes has the values that were clamped,
// and those that were kept without being understood.
func DecodeAddress(link string) (a Address, problems, notes []string) {
	if _, after, found := strings.Cut(link, "#"); found {
		link = after
	}
	a = Address{Settings: map[string]any{}}
	if len(link) > maxLink {
		return a, []string{fmt.Sprintf("the link has %d characters: at most %d are read", len(link), maxLink)}, nil
	}
	r := reader{keys: parameters(link)}
	if v := r.keys.get("v"); v != linkVersion && r.keys.has("v") {
		r.problems = append(r.problems,
			fmt.Sprintf("the link needs a newer Parley (version %q); it was read as far as version %s understands it",
				shorten(v), linkVersion))
	}
	r.twice()
	a.Base = r.word("s", func(s string) bool { return isWord(s, 64, "-", false) }, "a scenario's name")
	a.Name = r.text("name", linkName)
	a.System = r.word("sys", func(s string) bool {
		return isWord(s, 32, "", false) &&
			strings.IndexFunc(s, isDigit) < 0
	}, "a system")
	if n, ok := r.whole("n", linkNodes, MaxNodes); ok {
		nodes := int(n)
		a.Nodes = &nodes
	}
	if seed, ok := r.whole("seed", 0, linkSeed); ok {
		a.Seed = &seed
	}
	a.Fill = r.word("fill", isLayer, "a layer")
	a.Digest = r.word("d", isDigest, "a digest")
	a.Digest = a.Digest[:min(len(a.Digest), digestDigits)]
	a.Need = r.text("need", linkNeed)
	a.Place = r.choice("p", places)
	a.Group = r.choice("group", groups)
	a.Drawing = r.choice("draw", drawings)
	a.Embed = r.choice("embed", []string{"1"}) != ""
	a.Paused = r.choice("paused", []string{"1"}) != ""
	a.Present = r.choice("present", []string{"1"}) != ""
	a.Show = r.list("show", linkSetting, func(s string) bool { return slices.Contains(shown, s) },
		"parts of the page such as map,charts")
	a.May = r.list("may", linkMay, isField, "fields such as settings.fill,seed")
	if text, ok := strings.CutPrefix(r.word("sel", isNode, "a node such as node.4711"), "node."); ok {
		node, _ := strconv.Atoi(text) // isNode saw at most six digits
		a.Selected = &node
	}
	a.At = r.time("at")
	r.view(&a)
	r.comparison(&a)
	a.Faults = faultsOf(r.keys, &r.problems)
	if n, ok := r.whole("fork", 1, MaxFaults); ok {
		a.Fork = int(n)
	}
	for _, p := range r.keys {
		switch name, ok := strings.CutPrefix(p[0], "x."); {
		case ok && isField(name):
			if p[1] != "" {
				a.Settings[name] = scalar(r.cut(p[0], p[1], linkFormula))
			}
		case !slices.Contains(linkKeys, p[0]):
			r.unknown(&a, p)
		}
	}
	if len(a.More) > 0 {
		r.notes = append(r.notes, fmt.Sprintf("the link also says %s, which this version does not know",
			listed(a.More)))
	}
	switch z := r.keys.get("z"); {
	case z == "" && r.keys.has("z"):
		r.problems = append(r.problems, "the link's z is empty, so its scenario is lost")
	case z != "":
		doc, err := unpack(z)
		if err != nil {
			r.problems = append(r.problems, "the link's z cannot be read: "+err.Error())
		}
		a.Packed = doc
	}
	return a, few(r.problems), few(r.notes)
}

// maxSentences limits the sentences about one link.
const maxSentences = 20

// few returns the first sentences of many and the last one, which is about the link's scenario,
// with a count of the others.
func few(sentences []string) []string {
	if len(sentences) <= maxSentences {
		return sentences
	}
	more := fmt.Sprintf("%d more of its parts are like these", len(sentences)-maxSentences+1)
	return append(append(slices.Clone(sentences[:maxSentences-2]), more), sentences[len(sentences)-1])
}

// scalar returns a key's text as the value it stands for.
func scalar(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	whole, part, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if len(whole) <= 15 && isDigits(whole) && (!pointed || len(part) <= 15 && isDigits(part)) {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f + 0 // -0 is 0
		}
	}
	return text
}

// scalarText is the inverse of scalar; it writes numbers as JavaScript does.
func scalarText(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case float64:
		if size := max(v, -v); size >= 1e-6 && size < 1e21 || size == 0 {
			return strconv.FormatFloat(v+0, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'e', -1, 64) // which scalar takes for a text
	}
	raw, _ := json.Marshal(value)
	return string(raw)
}

// spell writes a time in the page's way: "6h12m40.5s".
func spell(d Duration) string {
	rest := unit.Time(d)
	var s strings.Builder
	for _, u := range []struct {
		size unit.Time
		name byte
	}{{unit.Day, 'd'}, {unit.Hour, 'h'}, {unit.Minute, 'm'}} {
		if n := rest / u.size; n > 0 {
			fmt.Fprintf(&s, "%d%c", n, u.name)
			rest %= u.size
		}
	}
	if rest > 0 || s.Len() == 0 {
		seconds := fmt.Sprintf("%d.%06d", rest/unit.Second, rest%unit.Second)
		s.WriteString(strings.TrimSuffix(strings.TrimRight(seconds, "0"), ".") + "s")
	}
	return s.String()
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isDigits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }) < 0
}

// isWord reports whether s has 1 to limit letters, digits and others.
func isWord(s string, limit int, others string, capitals bool) bool {
	return s != "" && len(s) <= limit && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || isDigit(r) || capitals && r >= 'A' && r <= 'Z' ||
			strings.ContainsRune(others, r))
	}) < 0
}

func isLayer(s string) bool { return isWord(s, 64, "_.-", true) }

// isField reports whether s may be the path of a field.
func isField(s string) bool {
	return isWord(s, 64, "_.", true) && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") &&
		!strings.Contains(s, "..")
}

func isDigest(s string) bool {
	return len(s) >= digestDigits && len(s) <= 16 && strings.Trim(s, "0123456789abcdef") == ""
}

func isNode(s string) bool {
	number, ok := strings.CutPrefix(s, "node.")
	return ok && len(number) <= 6 && isDigits(number)
}
