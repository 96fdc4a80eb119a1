package core_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/system"
)

// knows says which files and folders may use words of systems, and why: all of
// them, or only those that are listed.
var knows = []struct{ where, words, reason string }{
	{"core/run/registry.go", "", "it is the one list of systems"},
	{"core/paper", "", "an experiment is about one system, and plays its settings"},
	{"tools/bench", "negotiation central yield rounds board market policy", "a benchmark is named by what it measures"},
	{"tools/parley/run/run.go", "central", "examples in --help work"},
	{"tools/parley/compare/compare.go", "central", "examples in --help work"},
	{"tools/parley/plan/plan.go", "yield", "a planner is a command beside the systems, named by its package"},
	{"tools/parley/plan/rounds.go", "rounds", "likewise"},
	{"tools/messages/catalogue.go", "", "examples of every message, which the tests of both sides read"},
	{"core/protocol", "preempt", "it names the acts of the cluster"},
	{"tools/serve", "static", "static files, as web servers call them"},
	{"site/src/base/messages.ts", "static", "pods that a node runs by itself, as Kubernetes calls them"},
	{"site/src/panel/course.ts", "rounds", "a heading: rounds of a plan"},
	{"site/src/place/watch/panel/shares.ts", "yield", "a heading: share given / share needed, which the cluster allots"},
}

// terms are words of the whole program that systems use as well.
var terms = strings.Fields("node fill draw least candidates algorithm work bound queue user users partition chosen forced refused silent yes no settings recorded command options response_s resource owner")

// TestNobodyKnowsASystem: outside of a system's folder no source names a system,
// one of its settings, agents, faults, figures or layers, or says what its agents
// say: that reaches everybody in its description.
func TestNobodyKnowsASystem(t *testing.T) {
	words := wordsOf(run.Systems().Descriptions())
	checkout := os.DirFS("..")
	read := 0
	for _, root := range []string{"core", "wasm", "tools", "site/src"} {
		err := fs.WalkDir(checkout, root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
				return fs.SkipDir // other people's
			}
			if err != nil || entry.IsDir() || !isSource(name) || allowed(name, "") {
				return err
			}
			text, err := fs.ReadFile(checkout, name)
			for _, u := range uses(name, string(text), words) {
				if !allowed(name, u.word) {
					t.Errorf("%s:%d says %q, which %s alone knows: take it from the description; a word of the whole program belongs into terms", name, u.line, u.word, words[u.word])
				}
			}
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 200 {
		t.Errorf("only %d sources were read", read)
	}
}

// isSource tells sources from tests and from what systems say of themselves.
func isSource(name string) bool {
	own := strings.HasPrefix(name, "core/system/")
	return !own && !strings.HasSuffix(name, "_test.go") && (path.Ext(name) == ".go" || path.Ext(name) == ".ts")
}

// allowed reports whether a file may use a word; "": any word.
func allowed(name, word string) bool {
	for _, k := range knows {
		if below(name, k.where) && (k.words == "" || slices.Contains(strings.Fields(k.words), word)) {
			return true
		}
	}
	return false
}

// wordsOf returns what only systems say, and whose each is.
func wordsOf(systems []system.Description) map[string]string {
	words := map[string]string{}
	for _, d := range systems {
		own := []string{d.ID}
		for _, s := range d.Settings {
			own = append(own, s.ID)
		}
		for _, role := range d.Agents {
			own = append(own, role.ID)
			for _, kind := range role.Faults {
				own = append(own, kind.ID, kind.Revert)
			}
		}
		for _, m := range d.Metrics {
			own = append(own, m.ID)
		}
		for _, l := range d.Layers {
			own = append(own, l.ID)
		}
		for _, a := range d.Answers {
			own = append(own, a.ID, a.Words)
		}
		own = append(own, d.Messages...)
		for _, word := range own {
			if word != "" && !slices.Contains(terms, word) {
				words[word] = d.ID
			}
		}
	}
	return words
}

// use is one word of a system in somebody else's source.
type use struct {
	line int
	word string
}

// uses finds the words as whole texts, as the system of a scenario or a link
// within a text, and as names of the code.
func uses(name, text string, words map[string]string) (found []use) {
	report := func(line int, word string) {
		if words[word] != "" {
			found = append(found, use{line, word})
		}
	}
	literal := func(line int, content string) {
		report(line, content)
		for _, m := range asSystem.FindAllStringSubmatch(content, -1) {
			report(line, m[1]+m[2])
		}
	}
	identifier := func(line int, name string) {
		// a yield and a round are terms of the field: only their texts name a system
		if word := strings.ToLower(name); word != "yield" && word != "rounds" && words[word] == word {
			report(line, word)
		}
	}
	if path.Ext(name) == ".ts" {
		for i, line := range strings.Split(text, "\n") {
			line, _, _ := strings.Cut(comment.ReplaceAllString(line, ""), "// ")
			for _, q := range quoted.FindAllString(line, -1) {
				literal(i+1, q[1:len(q)-1])
			}
			code := quoted.ReplaceAllString(line, `""`)
			for _, name := range names.FindAllString(code, -1) {
				identifier(i+1, name)
			}
			for _, m := range ofSettings.FindAllStringSubmatch(code, -1) {
				report(i+1, m[1])
			}
		}
		return found
	}
	scan(text, func(line int, tok token.Token, content string) {
		switch tok {
		case token.STRING:
			if plain, err := strconv.Unquote(content); err == nil {
				literal(line, plain)
			}
		case token.IDENT:
			identifier(line, content)
		}
	})
	return found
}

// scan calls each with every token of a Go source but comments.
func scan(text string, each func(line int, tok token.Token, content string)) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for pos, tok, content := s.Scan(); tok != token.EOF; pos, tok, content = s.Scan() {
		each(set.Position(pos).Line, tok, content)
	}
}

var (
	asSystem   = regexp.MustCompile(`"system": ?"(\w+)"|\bsys=(\w+)`)
	comment    = regexp.MustCompile(`/\*.*?\*/`)
	quoted     = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`")
	names      = regexp.MustCompile(`[A-Za-z_]\w*`)
	ofSettings = regexp.MustCompile(`\bsettings\??\.(\w+)`)
)

func TestNamesOfSystemsAreSeen(t *testing.T) {
	words := wordsOf([]system.Description{{
		ID: "auction", Settings: []system.Setting{{ID: "reserve"}, {ID: "later.tax"}},
		Agents:  []system.Role{{ID: "bank", Faults: []system.FaultKind{{ID: "bank_run", Revert: "bank_saved"}}}},
		Answers: []system.Answer{{ID: "outbid", Words: "was outbid at last"}}, Messages: []string{"what do you bid?", "no"},
	}})
	for source, want := range map[string]string{
		"core/a.go\npackage a\n// auction\nvar x = \"auctions\"":  "",
		"core/a.go\nvar x = \"auction\"":                          "[{2 auction}]",
		"core/a.go\n\nvar x = `{\"v\":1,\"system\":\"auction\"}`": "[{3 auction}]",
		"core/a.go\nvar x = \"#n=5&sys=auction\"":                 "[{2 auction}]",
		"core/a.go\ntype Line struct { Auction int }":             "[{2 auction}]",
		"core/a.go\nf(\"bank_saved\", \"later.tax\")":             "[{2 bank_saved} {2 later.tax}]",
		"site/src/a.ts\n/** \"auction\" */ // \"auction\"":        "",
		"site/src/a.ts\n// auction":                               "",
		"site/src/a.ts\nif (id === \"auction\") return;":          "[{2 auction}]",
		"site/src/a.ts\nreturn settings.reserve;":                 "[{2 reserve}]",
		"site/src/a.ts\ncase \"outbid\":":                         "[{2 outbid}]",
		"site/src/a.ts\nreturn \"was outbid at last\";":           "[{2 was outbid at last}]",
		"site/src/a.ts\nlist.push({ text: `what do you bid?` });": "[{2 what do you bid?}]",
		"site/src/a.ts\nkind: \"no\"":                             "",
		"site/src/a.ts\nreturn settings?.reserve;":                "[{2 reserve}]",
		"site/src/a.ts\nconst { auction } = line;":                "[{2 auction}]",
		"site/src/a.ts\nbroken.set('bank_run', 5);":               "[{2 bank_run}]",
	} {
		name, _, _ := strings.Cut(source, "\n")
		got := uses(name, source, words)
		if text := fmt.Sprint(got); text != want && !(want == "" && len(got) == 0) {
			t.Errorf("%q: found %v, want %s", source, got, want)
		}
	}
}

// unclear are names that one package once had for what the field calls otherwise, and the
// word of the field. Names are read as in uses, without tests.
var unclear = map[string]string{
	"airborn": "maxArcs", "flies": "flight", "fades": "fade", // of core/heatmap/raster
	"seat": "slot", "debt": "obligation", "desks": "inboxes", "workshop": "generator",
	"placeByHand": "placeGreedily", "Breaches": "UsageSpikes", "strand": "chain",
	"Suits": "Supports", "Brings": "Provides", "Misfit": "Unsupported", "Undo": "Revert", "Mend": "Repair", "Single": "Unique",
	"BringsMachines": "HasMachines", "Misses": "Omissions", "Careful": "SlowHealing", "NeededBut": "DueExcept",
	"NodeTeller": "NodeFactSource", "TellNode": "NodeFacts", "MostWork": "MaxWork", "RestlessMost": "MaxRestless",
	"Thrift": "LevelOfDetail", "promised": "byProduction", "Promised": "Production", "standing": "state", "Strays": "RateErrors", "Stray": "RateError", "strays": "rateErrors", "strayed": "trueRate",
	"teller": "reporter", "news": "latest",
	"thanks": "acknowledge", "unthanked": "retransmit", "whyFree": "freeReason", // of core/system/board
	"seats": "slots", "fronts": "frontiers", "minds": "readsUse", // of core/system/central
	"nobodys": "unowned", "doorman": "membership", "turnAway": "refuse", "wishOf": "queryOf", // of others
	"Most": "Max", "Least": "Min", "What": "Subject", "what": "subject", "said": "stated", "asked": "requested", "Whose": "Method", "Says": "Quoted",
	"mostRows": "maxRows", "mostNodes": "maxNodes", "mostSeconds": "maxSeconds", "mostText": "maxText", "MostShots": "MaxEvents", "cpuAsked": "cpuRequested", "memoryAsked": "memoryRequested",
	"WhyLarge": "ReasonLarge", "WhyEmpty": "ReasonEmpty", "WhyNumber": "ReasonNumber", "WrongUse": "UsageError",
	"Stays": "IgnoredByDrain", "Staying": "NotEvicted", "Unmade": "NotRecreated", "Unsure": "Caveats", "Touches": "Affected", "Fewest": "Min", "PreemptedMost": "MaxPreempted", // of core/kube
	"OtherRoute": "OtherStrategy", "Stranger": "UnknownKind", "UsedUp": "Exhausted", "tellPod": "recordPod", "DoesNot": "Fails",
}

// TestNamesAreOfTheField: no Go source outside of tests has a name that was given up.
func TestNamesAreOfTheField(t *testing.T) {
	checkout, read := os.DirFS(".."), 0
	for _, root := range []string{"core", "wasm", "tools"} {
		err := fs.WalkDir(checkout, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(checkout, name)
			for _, u := range identifiers(string(text)) {
				if word := unclear[u.word]; word != "" {
					t.Errorf("%s:%d names something %s; say %s", name, u.line, u.word, word)
				}
			}
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 500 {
		t.Errorf("only %d sources were read", read)
	}
}

// identifiers returns the names in a Go source.
func identifiers(text string) (found []use) {
	scan(text, func(line int, tok token.Token, name string) {
		if tok == token.IDENT {
			found = append(found, use{line, name})
		}
	})
	return found
}

func TestGivenUpNamesAreSeen(t *testing.T) {
	got := identifiers("package a\n\n// seat\nvar seat = \"desks\"\n")
	if text := fmt.Sprint(got); text != "[{1 a} {4 seat}]" {
		t.Errorf("found %s", text)
	}
}
