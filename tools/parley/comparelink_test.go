package main_test

import (
	"strings"
	"testing"
)

// TestCompareLink plays a link of the page's Compare: it gives what the flags give, and run says
// what it leaves out.
func TestCompareLink(t *testing.T) {
	run := shell(t, t.TempDir())
	link := "'#n=60&sys=central&with=central.worst-fit+parent&until=1m&seeds=2'"
	byLink, told, code := run("parley compare " + link)
	if code != 0 || !strings.Contains(told, "which only the page plays") {
		t.Fatalf("exits with %d and says %q", code, told)
	}
	byFlags, told, code := run("parley compare '#n=60&sys=central' --system central.worst-fit --until 1m --seeds 2")
	if code != 0 {
		t.Fatal(told)
	}
	digests := func(printed string) string {
		_, after, _ := strings.Cut(printed, "digest with the first seed")
		line, _, _ := strings.Cut(after, "\n")
		return blanks(line)
	}
	if a, b := digests(byLink), digests(byFlags); a == "" || a != b || !strings.HasPrefix(byLink, "1m simulated with 2 seeds") {
		t.Errorf("the link gives %q, the flags %q:\n%s", a, b, byLink)
	}
	printed, told, _ := run("parley run " + link + " --until 1m")
	if !strings.Contains(printed+told, "the link compares with central.worst-fit, parent, which is not played here") {
		t.Errorf("run says nothing of the comparison: %s%s", printed, told)
	}
	for command, want := range map[string]string{
		"parley run '#n=60&sys=central' --system central.worst --until 1m": `policy is "worst": choose one of best-fit, worst-fit`,
		"parley run '#n=60&sys=central' --system centrall.easy --until 1m": `system is "centrall"`,
		"parley run '#n=60&sys=central' --system negotiation. --until 1m":  "negotiation",
		"parley compare '#n=60&sys=central' --system yield.x --until 1m":   "yield",
		"parley compare '#n=60&sys=central&with=central.nix&until=1m'":     `policy is "nix"`,
	} {
		if _, told, code := run(command); code == 0 || !strings.Contains(told, want) {
			t.Errorf("%s: exits with %d and says %q", command, code, told)
		}
	}
}
