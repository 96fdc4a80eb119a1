package main

import (
	"strings"
	"testing"
)

// Every mutant that was picked is about a piece of text that stands once in its file, and the
// packages that the list is about have some.
func TestPicksAreAboutTheCode(t *testing.T) {
	all, err := picks(pickedList)
	if err != nil {
		t.Fatal(err)
	}
	few := map[string]int{}
	for _, k := range all {
		if _, _, err := k.change("../.."); err != nil {
			t.Error(err)
		} else if k.has == k.without {
			t.Errorf("%s: the mutant of %q changes nothing", k.file, k.about)
		}
		few[k.tests[0]]++
	}
	for folder, n := range few {
		if n < 5 && folder != "core/system/market/queue" {
			t.Errorf("%s has %d mutants", folder, n)
		}
	}
}

// The list is refused if it says nothing about a file, and a mutant where its text is gone.
func TestPicks(t *testing.T) {
	all, err := picks("# prose\n\ntests a b\n\nmain.go: first rule\n-package main\n+package other\n\ntests c\n\nmain.go: second\n-\tx\n-\ty\n+\tz\n")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if k := all[1]; k.has != "\tx\n\ty" || k.without != "\tz" || k.about != "second" || k.tests[0] != "c" {
		t.Errorf("%+v", k)
	}
	m, text, err := all[0].change(".")
	if err != nil || !strings.Contains(text, "\npackage other\n") || strings.Contains(text, "package main\n") || strings.Split(text, "\n")[m.line-1] != "package other" {
		t.Errorf("%v %v\n%.300s", m, err, text)
	}
	if _, _, err = all[1].change("."); err == nil || !strings.Contains(err.Error(), `main.go has 0 times what keeps the rule "second", not once: correct tools/mutate/picked.txt`) {
		t.Error(err)
	}
	if _, err = picks("main.go: a rule of no tests\n"); err == nil || !strings.Contains(err.Error(), "FILE: RULE") {
		t.Error(err)
	}
}
