package main_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// answer is what a documented command is there to show: lines that it prints, and what commands
// after it say of its files.
type answer struct {
	lines []string
	asks  []string // commands that are run behind it, whose output counts as its own
}

// documentedAnswers reads documented/answers.txt, by document and command. "= NAME" begins a
// document, "$ COMMAND" a command, "& COMMAND" is run after it, and any other line has to be one
// that is printed, whatever the number of blanks.
func documentedAnswers(t *testing.T) map[string]map[string]answer {
	t.Helper()
	text, err := os.ReadFile("documented/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]answer{}
	document, command := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		sign, rest, _ := strings.Cut(line, " ")
		switch one := all[document][command]; {
		case line == "" || sign == "#":
		case sign == "=":
			document = rest
			all[document] = map[string]answer{}
		case sign == "$":
			command = rest
			all[document][command] = answer{}
		case sign == "&":
			one.asks = append(one.asks, rest)
			all[document][command] = one
		default:
			one.lines = append(one.lines, blanks(line))
			all[document][command] = one
		}
	}
	return all
}

func blanks(line string) string { return strings.Join(strings.Fields(line), " ") }

// script is what a document has its readers type.
type script struct {
	text string
	slow bool // it takes long
}

// scriptsOf returns the scripts of a document, and behind them the commands in its sentences: of the
// README all, elsewhere those that have an answer of their own.
func scriptsOf(name, text string, answers map[string]answer) (all []script) {
	for _, block := range scripts.FindAllStringSubmatch(text, -1) {
		all = append(all, script{block[2], block[1] != ""})
	}
	requested := map[string]bool{}
	for _, one := range all {
		for _, command := range commandsIn(one.text) {
			requested[command] = true
		}
	}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		command := "parley " + m[1]
		if _, own := answers[command]; !requested[command] && (own || name == "README.md") {
			requested[command] = true
			all = append(all, script{command + "\n", strings.HasPrefix(m[1], "paper ")})
		}
	}
	return all
}

// A pattern shows how a command is written: words in capitals stand for others.
var pattern = regexp.MustCompile(`\b[A-Z]{2,}\b|…|\||--help`)

// unanswerable are the first words of commands in sentences whose answers are elsewhere.
var unanswerable = map[string]string{
	"paper":                                  "docs/results.md has its answer, which the papers' tests hold",
	"sweep sweep.json --out results --slurm": "make test-cluster has a Slurm",
	"cluster generate --nodes 5000":          "docs/speed.md tells how long it takes here",
}

// TestSentencesHaveTheirAnswer: a complete command in a sentence of the manual is one that begins a
// command of a script, or has an answer of its own.
func TestSentencesHaveTheirAnswer(t *testing.T) {
	answers := documentedAnswers(t)
	var known []string
	for _, of := range answers {
		for command := range of {
			known = append(known, command)
		}
	}
	for name, text := range documents(t) {
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			begins := func(long string) bool { return long == "parley "+m[1] || strings.HasPrefix(long, "parley "+m[1]+" ") }
			excused := slices.ContainsFunc(slices.Collect(maps.Keys(unanswerable)), func(words string) bool { return strings.HasPrefix(m[1]+" ", words+" ") })
			if len(strings.Fields(m[1])) > 1 && !pattern.MatchString(m[1]) && !excused && !slices.ContainsFunc(known, begins) {
				t.Errorf("%s: `parley %s` has no answer in documented/answers.txt, and begins no command that has one", name, m[1])
			}
		}
	}
}

// mark is printed before the output of each command.
const mark = "\x01"

// begins reports whether a command of parley begins in a line, and returns it without its comment.
func begins(line string) (string, bool) {
	command, _, _ := strings.Cut(line, "  #")
	return strings.TrimSpace(command), strings.HasPrefix(line, "parley ")
}

// commandsIn returns the commands of a script, each by its first line.
func commandsIn(script string) (all []string) {
	for line := range strings.Lines(script) {
		if command, is := begins(line); is {
			all = append(all, command)
		}
	}
	return all
}

// marked returns a script that prints the mark before each command of parley, and runs behind it
// what its answer asks.
func marked(script string, answers map[string]answer) string {
	var out strings.Builder
	var asks []string
	for line := range strings.Lines(script) {
		if command, is := begins(line); is {
			fmt.Fprintf(&out, "printf '\\001'\n")
			asks = answers[command].asks
		}
		out.WriteString(line)
		if !strings.HasSuffix(strings.TrimSpace(line), "\\") {
			for _, ask := range asks {
				fmt.Fprintln(&out, ask)
			}
			asks = nil
		}
	}
	return out.String()
}

// unanswered says which lines of an answer are missing in what was printed.
func unanswered(a answer, printed string) (problems []string) {
	if len(a.lines) == 0 {
		return []string{"documented/answers.txt has no line of its answer"}
	}
	lines := map[string]bool{}
	for line := range strings.Lines(printed) {
		lines[blanks(line)] = true
	}
	for _, line := range a.lines {
		if !lines[line] {
			problems = append(problems, fmt.Sprintf("no line %q", line))
		}
	}
	return problems
}

// TestEveryCommandHasItsAnswer: the scripts of the README and the manual, those that take minutes
// too, have the commands of documented/answers.txt and no others.
func TestEveryCommandHasItsAnswer(t *testing.T) {
	answers := documentedAnswers(t)
	for name, text := range documents(t) {
		requested := map[string]bool{}
		for _, one := range scriptsOf(name, text, answers[name]) {
			for _, command := range commandsIn(one.text) {
				if requested[command] = true; len(answers[name][command].lines) == 0 {
					t.Errorf("documented/answers.txt has no answer to %q of %s", command, name)
				}
			}
		}
		for command := range answers[name] {
			if !requested[command] {
				t.Errorf("documented/answers.txt: %s has no command %q", name, command)
			}
		}
		delete(answers, name)
	}
	for name := range answers {
		t.Errorf("documented/answers.txt: there is no document %s", name)
	}
}
