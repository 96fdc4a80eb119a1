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

// What the values of a link are clamped to.
const (
	linkNodes    = MinNodes
	linkSeed     = 1<<53 - 1
	linkTime     = Duration(3650 * unit.Day)
	linkName     = 120 // characters
	linkNeed     = 1000
	linkSetting  = 200
	linkFaults   = 50      // more are packed
	maxLink      = 1 << 16 // characters that are looked at
	linkVersion  = "1"
	digestDigits = 8
)

// linkKeys are the keys of a link, beside x.NAME of settings.
var linkKeys = []string{"v", "s", "name", "sys", "n", "seed", "f", "z", "need", "at", "d", "fill", "sel", "p", "draw", "embed"}

// places are the places of the page, the first one the usual one.
var places = []string{"watch", "compare", "plan", "papers", "gallery"}

// Encode writes an address as it stands after #: the syntax of
// URLSearchParams, sorted keys, defaults left out.
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
	if a.Packed != nil {
		put("z", pack(a.Packed))
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
	if a.Embed {
		put("embed", "1")
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

// DecodeAddress reads an address, with or without its # and what stands before
// it. Numbers out of range are clamped; what cannot be read is left out, with
// one sentence each that says so.
func DecodeAddress(link string) (Address, []string) {
	if _, after, found := strings.Cut(link, "#"); found {
		link = after
	}
	a := Address{Settings: map[string]any{}}
	if len(link) > maxLink {
		return a, []string{fmt.Sprintf("the link has %d characters: at most %d are read", len(link), maxLink)}
	}
	keys := parameters(link)
	var problems []string
	word := func(key string, good func(string) bool, wanted string) string {
		value := keys.get(key)
		if value != "" && !good(value) {
			problems = append(problems, fmt.Sprintf("the link's %s is %q, which is not %s", key, shorten(value), wanted))
			return ""
		}
		return value
	}
	whole := func(key string, least, most uint64) (uint64, bool) {
		text := word(key, func(s string) bool { return len(s) <= 16 && isDigits(s) }, "a whole number")
		number, err := strconv.ParseUint(text, 10, 64)
		return min(max(number, least), most), err == nil
	}
	if v := keys.get("v"); v != linkVersion && keys.has("v") {
		problems = append(problems, fmt.Sprintf("the link is of version %q: this program reads version %s", shorten(v), linkVersion))
	}
	a.Base = word("s", func(s string) bool { return isWord(s, 64, "-", false) }, "a scenario's name")
	a.Name = cut(keys.get("name"), linkName)
	a.System = word("sys", func(s string) bool { return isWord(s, 32, "", false) && strings.IndexFunc(s, isDigit) < 0 }, "a system")
	if n, ok := whole("n", linkNodes, MaxNodes); ok {
		nodes := int(n)
		a.Nodes = &nodes
	}
	if seed, ok := whole("seed", 0, linkSeed); ok {
		a.Seed = &seed
	}
	a.Fill = word("fill", isLayer, "a layer")
	a.Digest = word("d", isDigest, "a digest")
	a.Digest = a.Digest[:min(len(a.Digest), digestDigits)]
	a.Need = cut(keys.get("need"), linkNeed)
	a.Place = word("p", func(s string) bool { return slices.Contains(places, s) }, "one of "+strings.Join(places, ", "))
	a.Drawing = word("draw", func(s string) bool { return s == "2d" }, "2d")
	a.Embed = word("embed", func(s string) bool { return s == "1" }, "1") != ""
	if text, ok := strings.CutPrefix(word("sel", isNode, "a node such as node.4711"), "node."); ok {
		node, _ := strconv.Atoi(text) // isNode saw at most six digits
		a.Selected = &node
	}
	word("at", func(s string) bool {
		at, err := ParseDuration(s)
		a.At = min(at, linkTime)
		return err == nil
	}, "a time such as 6h12m40s")
	a.Faults = faultsOf(keys, &problems)
	for _, p := range keys {
		switch name, ok := strings.CutPrefix(p[0], "x."); {
		case ok && isWord(name, 64, "_", true):
			if p[1] != "" {
				a.Settings[name] = scalar(cut(p[1], linkSetting))
			}
		case !slices.Contains(linkKeys, p[0]):
			problems = append(problems, fmt.Sprintf("the link says %q, which means nothing in a link", shorten(p[0])))
		}
	}
	switch z := keys.get("z"); {
	case z == "" && keys.has("z"):
		problems = append(problems, "the link's z is empty: the scenario that it should hold is lost")
	case z != "":
		doc, err := unpack(z)
		if err != nil {
			problems = append(problems, "the link's z cannot be read: "+err.Error())
		}
		a.Packed = doc
	}
	return a, problems
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

// scalarText writes what scalar reads, as JavaScript writes numbers.
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

// isWord reports whether s has 1 to most letters, digits and others.
func isWord(s string, most int, others string, capitals bool) bool {
	return s != "" && len(s) <= most && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || isDigit(r) || capitals && r >= 'A' && r <= 'Z' || strings.ContainsRune(others, r))
	}) < 0
}

func isLayer(s string) bool { return isWord(s, 64, "_.-", true) }

func isDigest(s string) bool {
	return len(s) >= digestDigits && len(s) <= 16 && strings.Trim(s, "0123456789abcdef") == ""
}

func isNode(s string) bool {
	number, ok := strings.CutPrefix(s, "node.")
	return ok && len(number) <= 6 && isDigits(number)
}
