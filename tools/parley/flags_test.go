package main_test

import (
	flags "flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flagsPage lists all flags with their commands.
const flagsPage = "docs/flags.md"

// flagLine matches a flag in what --help prints: its name, the type of its value, its meaning.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z][a-z0-9-]*)(?: ([a-zA-Z0-9]+))? {2,}(.+)$`)

// TestFlagsPage compares the page of flags with what --help prints; -rewrite writes the page.
func TestFlagsPage(t *testing.T) {
	of := map[string][]string{} // the commands of a row
	for _, command := range commands(t, inside, "parley") {
		help, _, _ := inside(command + " --help")
		for _, m := range flagLine.FindAllStringSubmatch(help, -1) {
			if m[1] == "help" {
				continue
			}
			meaning := strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(strings.TrimSpace(m[3]))
			row := fmt.Sprintf("| `--%s` | %%s | %s |\n", strings.TrimSpace(m[1]+" "+m[2]), strings.ReplaceAll(meaning, "%", "%%"))
			of[row] = append(of[row], strings.TrimPrefix(strings.TrimPrefix(command, "parley"), " "))
		}
	}
	var page strings.Builder
	page.WriteString("# Every flag\n\nWhat `--help` prints, by flag. [Every command](commands.md) says what the commands are for.\n\n| flag | of | meaning |\n|---|---|---|\n")
	for _, row := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&page, row, together(of[row]))
	}
	if len(of) < 100 {
		t.Fatalf("only %d flags were found", len(of))
	}
	file := filepath.Join(checkout, flagsPage)
	if flags.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != page.String() {
		t.Errorf("%s is not what --help prints (%v): go test ./tools/parley -run TestFlagsPage -rewrite", flagsPage, err)
	}
}

// together writes commands, those of one group in brackets: "run, cluster (drain, fit)".
func together(commands []string) string {
	var groups []string
	within := map[string][]string{}
	for _, c := range commands {
		group, name, _ := strings.Cut(c, " ")
		if group == "" {
			group = "parley"
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		if name != "" {
			within[group] = append(within[group], name)
		}
	}
	for i, group := range groups {
		if len(within[group]) > 0 {
			groups[i] = fmt.Sprintf("%s (%s)", group, strings.Join(within[group], ", "))
		}
	}
	return strings.Join(groups, ", ")
}
