package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/core/paper"
)

// checkout is the root of the sources.
const checkout = "../.."

// documents returns what people read first: the README and the manual, by path
// from the checkout's root. What is decided or recorded is history and keeps its
// commands.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := os.DirFS(checkout)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && name != "docs" && !strings.HasPrefix(name, "docs/") || name == "docs/decisions" {
			return fs.SkipDir
		}
		if path.Ext(name) != ".md" || !strings.HasPrefix(name, "docs/") && name != "README.md" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("only %d documents were found", len(all))
	}
	return all
}

var (
	scripts  = regexp.MustCompile("(?ms)^```sh( slow)?\n(.*?)^```$")
	inline   = regexp.MustCompile("`parley ([^`]+)`")
	flag     = regexp.MustCompile(`(?:^| )(--[a-z][a-z0-9-]*)`)
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestDocumentedCommandsWork runs every script of the README and the manual in a
// folder that holds the files of docs/samples, and commands in sentences. Commands around parley are checked
// for what they name: make its targets, go its packages, bin/serve its flags. Each command of
// parley has to print its answer, the lines of documented/answers.txt.
func TestDocumentedCommandsWork(t *testing.T) {
	makefile := read(t, "Makefile")
	server := read(t, "tools/serve/main.go")
	answers := documentedAnswers(t)
	ran := 0
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(checkout, "docs", "samples"))); err != nil {
				t.Fatal(err)
			}
			run := shell(t, dir)
			for _, block := range scriptsOf(name, text, answers[name]) {
				if block.slow && testing.Short() {
					continue
				}
				var script strings.Builder
				for line := range strings.Lines(block.text) {
					words := strings.Fields(strings.TrimSpace(line))
					switch {
					case len(words) > 1 && words[0] == "make":
						if !strings.Contains(makefile, "\n"+words[1]+":") {
							t.Errorf("%s: the Makefile has no target %s", strings.TrimSpace(line), words[1])
						}
					case len(words) > 1 && words[0] == "go":
						for _, w := range words {
							if folder, found := strings.CutPrefix(w, "./"); found {
								if _, err := os.Stat(filepath.Join(checkout, folder)); err != nil {
									t.Errorf("%s: %v", strings.TrimSpace(line), err)
								}
							}
						}
					case len(words) > 0 && words[0] == "bin/serve":
						for _, m := range flag.FindAllStringSubmatch(line, -1) {
							if !strings.Contains(server, `"`+m[1][2:]+`"`) {
								t.Errorf("%s: tools/serve has no flag %s", strings.TrimSpace(line), m[1])
							}
						}
					default:
						script.WriteString(line)
					}
				}
				if strings.TrimSpace(script.String()) == "" {
					continue
				}
				ran++
				requested := commandsIn(script.String())
				out, complaints, code := run("set -e\nexport " + onTime + "=1\n" + marked(script.String(), answers[name]))
				if code != 0 || out == "" {
					t.Errorf("%s\nexits with %d, prints %d bytes and says %q", strings.TrimSpace(script.String()), code, len(out), complaints)
					continue
				}
				for i, printed := range strings.Split(out, mark)[1:] {
					for _, problem := range unanswered(answers[name][requested[i]], printed) {
						t.Errorf("%s: %s\n%s in what it prints:\n%s", name, requested[i], problem, printed)
					}
				}
			}
		})
	}
	if minimum := map[bool]int{true: 1, false: 3}[testing.Short()]; ran < minimum {
		t.Errorf("only %d scripts were run", ran)
	}
}

// TestMentionedCommandsExist checks the commands that stand in sentences: their
// names, their flags, and the experiments that parley paper is asked for.
func TestMentionedCommandsExist(t *testing.T) {
	helps := map[string]string{}
	help := func(command string) string {
		if _, known := helps[command]; !known {
			out, _, code := inside(command + " --help")
			if helps[command] = out; code != 0 {
				helps[command] = ""
			}
		}
		return helps[command]
	}
	names := commands(t, inside, "parley")
	var experiments []string
	for _, e := range paper.Experiments() {
		experiments = append(experiments, e.ID)
	}
	for name, text := range documents(t) {
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			command := "parley " + words[0]
			if !slices.Contains(names, command) {
				t.Errorf("%s: there is no command %q", name, command)
				continue
			}
			if len(words) > 1 && slices.Contains(names, command+" "+words[1]) {
				command += " " + words[1]
			}
			if words[0] == "paper" && len(words) > 1 && strings.Contains(words[1], "/") && !strings.HasSuffix(words[1], "…") && !slices.Contains(experiments, words[1]) {
				t.Errorf("%s: `parley %s`: there is no experiment %s", name, m[1], words[1])
			}
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if !strings.Contains(help(command), f[1]+" ") {
					t.Errorf("%s: `parley %s`: %s has no flag %s", name, m[1], command, f[1])
				}
			}
		}
	}
}

// TestEveryCommandHasItsPage: the manual lists all commands that --help lists, and no others.
func TestEveryCommandHasItsPage(t *testing.T) {
	root, _, _ := inside("parley --help")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(documents(t)["docs/commands.md"], -1) {
		listed[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`).FindAllStringSubmatch(root, -1) {
		if m[1] != "help" && !listed[m[1]] {
			t.Errorf("docs/commands.md has no line about parley %s", m[1])
		}
		delete(listed, m[1])
	}
	if root == "" {
		t.Error("parley --help prints nothing")
	}
	for name := range listed {
		t.Errorf("docs/commands.md has a line about parley %s, which does not exist", name)
	}
}

// TestDocumentedLinks follows the links of the README, the manual, ARCHITECTURE.md
// and CONTRIBUTING.md to files and headings of the checkout.
func TestDocumentedLinks(t *testing.T) {
	all := documents(t)
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		all[name] = read(t, name)
	}
	followed := 0
	for name, text := range all {
		for _, problem := range broken(name, text, func(file string) (string, error) {
			info, err := os.Stat(filepath.Join(checkout, file))
			if err != nil || info.IsDir() {
				return "", err
			}
			content, err := os.ReadFile(filepath.Join(checkout, file))
			return string(content), err
		}) {
			t.Error(problem)
		}
		followed += len(links.FindAllString(text, -1))
	}
	if followed < 30 {
		t.Errorf("only %d links were followed", followed)
	}
}

// broken returns a sentence for each link of a document that leads nowhere.
func broken(name, text string, open func(file string) (string, error)) (problems []string) {
	for _, m := range links.FindAllStringSubmatch(text, -1) {
		target, fragment, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, "://") {
			continue // the checks have no network
		}
		content := text
		if target != "" {
			var err error
			if content, err = open(path.Join(path.Dir(name), target)); err != nil {
				problems = append(problems, fmt.Sprintf("%s links to %s, which is missing: %v", name, m[1], err))
				continue
			}
		}
		if fragment == "" {
			continue
		}
		found := false
		for _, h := range headings.FindAllStringSubmatch(content, -1) {
			found = found || anchor(h[1]) == fragment
		}
		if !found {
			problems = append(problems, fmt.Sprintf("%s links to %s, and no heading there has this name", name, m[1]))
		}
	}
	return problems
}

var unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the name under which a heading is linked.
func anchor(heading string) string {
	return strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}

func TestBrokenLinksAreFound(t *testing.T) {
	open := func(file string) (string, error) {
		if file == "docs/speed.md" {
			return "# Speed\n\n## Two ratios\n", nil
		}
		return "", fs.ErrNotExist
	}
	for text, want := range map[string]int{
		"[a](speed.md) [b](speed.md#two-ratios) [c](https://example.org/x)": 0,
		"[a](sped.md)":            1,
		"[a](speed.md#three)":     1,
		"## Here\n[a](#here)":     0,
		"[a](#nowhere)":           1,
		"![p](pictures/page.png)": 1,
	} {
		if got := broken("docs/README.md", text, open); len(got) != want {
			t.Errorf("%q: found %q, want %d", text, got, want)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
