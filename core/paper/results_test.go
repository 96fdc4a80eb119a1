package paper_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/core/study/evidence"
	"parley/core/unit"
)

// guarded holds the figures behind docs/results.md as they come out on small cells.
// `go test ./core/paper -run TestResultsNumbers -rewrite-guards` measures them anew.
const guarded = "testdata/results.txt"

var rewriteGuards = flag.Bool("rewrite-guards", false, "measure "+guarded+" anew")

// TestResultsNumbers recomputes on small cells every figure that the table of
// docs/results.md gives of full ones, and holds each to an interval from its own spread: three
// standard errors of the difference between two means of so many seeds, which a
// change of the random streams passes and a change of what is measured does not.
func TestResultsNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: half a minute of small cells")
	}
	text, err := os.ReadFile(guarded)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var rows map[string]paper.Row
	var seeds int
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if id, options, found := strings.Cut(strings.TrimPrefix(line, "> "), " "); found && strings.HasPrefix(line, "> ") {
			rows, seeds = experiment(t, id, options)
			fmt.Fprintln(&out, line)
			continue
		}
		name, interval, found := strings.Cut(line, " | ")
		if !found || rows == nil {
			fmt.Fprintln(&out, line)
			continue
		}
		row, there := rows[name]
		if !there {
			t.Errorf("the experiment has no row %q any more", name)
			continue
		}
		if low, high := bounds(t, interval); low != high && low*high <= 0 && !*rewriteGuards {
			t.Errorf("%s is held to %s, which zero is in: such a guard holds where what it guards is gone", name, interval)
		}
		reach := 3 * row.Spread * math.Sqrt(2/float64(seeds))
		fmt.Fprintf(&out, "%s | %.4g … %.4g\n", name, row.Measured-reach, row.Measured+reach)
		low, high := bounds(t, interval)
		if tiny := 1e-3 * (math.Abs(low) + math.Abs(high)); row.Measured < low-tiny || row.Measured > high+tiny {
			if !*rewriteGuards {
				t.Errorf("%s is %.4g ± %.2g, and %s was expected", name, row.Measured, row.Spread, interval)
			}
		}
	}
	if *rewriteGuards {
		if err := os.WriteFile(guarded, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// experiment runs one on a small cell: "nodes=600 seeds=3 until=50m"; or, for "pair",
// two ways to schedule on the same cells: "scale=120: negotiation beside least-allocated".
func experiment(t *testing.T, id, options string) (map[string]paper.Row, int) {
	t.Helper()
	var o paper.Options
	scale := 100
	options, names, _ := strings.Cut(options, ": ")
	for _, word := range strings.Fields(options) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(strings.TrimSuffix(value, "m"))
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		switch name {
		case "nodes":
			o.Nodes = n
		case "seeds":
			o.Seeds = n
		case "until":
			o.Until = unit.Time(n) * unit.Minute
		case "scale":
			scale = n
		default:
			t.Fatalf("unknown option %q", word)
		}
	}
	var result paper.Result
	var err error
	if id == "pair" {
		a, b, _ := strings.Cut(names, " beside ")
		result.Seeds = o.Seeds
		result.Rows = pair(t, o, float64(scale)/100, a, b)
	} else {
		var e paper.Experiment
		if e, err = paper.Find(id); err == nil {
			result, err = e.Run(o)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]paper.Row{}
	for _, row := range result.Rows {
		rows[row.Name] = row
	}
	return rows, result.Seeds
}

// contenders are the ways to schedule that pairs name, as arguments of negotiation/cell.
var contenders = map[string]string{
	"negotiation":                   `"system":"negotiation"`,
	"negotiation, drawn by weight":  `"system":"negotiation","settings":{"draw":"weighted"}`,
	"negotiation, SAS":              `"system":"negotiation","settings":{"initial_score":"sas","move_score":"sas"}`,
	"negotiation, SIAS + SRAS":      `"system":"negotiation","settings":{"initial_score":"sias","move_score":"sras"}`,
	"negotiation, SIAS_GAIN + SRAS": `"system":"negotiation","settings":{"initial_score":"sias_gain","move_score":"sras"}`,
	"least-allocated":               `"system":"central","settings":{"policy":"least-allocated"}`,
	"least-allocated + rescheduler": `"system":"central","settings":{"policy":"least-allocated","rescheduler":{"every_us":300000000}}`,
	"random":                        `"system":"central","settings":{"policy":"random"}`,
	"best-fit":                      `"system":"central","settings":{"policy":"best-fit"}`,
	"best-fit without headroom":     `"system":"central","settings":{"policy":"best-fit","fill":0,"production_limit":0}`,
}

// pair plays small cells under two ways to schedule, with the same seeds, and returns the
// figures of the first and by how much they are above those of the second.
func pair(t *testing.T, o paper.Options, scale float64, names ...string) (rows []paper.Row) {
	t.Helper()
	var played [2][]map[string]float64
	for k, name := range names {
		if contenders[name] == "" {
			t.Fatalf("nobody is called %q", name)
		}
		for seed := range o.Seeds {
			arguments := fmt.Sprintf(`{%s,"nodes":%d,"until":"%dm","scale":%v}`, contenders[name], o.Nodes, o.Until/unit.Minute, scale)
			told, err := paper.Functions()["negotiation/cell"](uint64(seed+1), json.RawMessage(arguments))
			if err != nil {
				t.Fatal(err)
			}
			played[k] = append(played[k], told)
		}
	}
	for _, f := range paper.AllFigures() {
		own, less := make([]float64, o.Seeds), make([]float64, o.Seeds)
		for i := range own {
			own[i] = played[0][i][f]
			less[i] = own[i] - played[1][i][f]
		}
		rows = append(rows, evidence.New(names[0]+", "+f, "", own), evidence.New(names[0]+" less "+names[1]+", "+f, "", less))
	}
	return rows
}

func bounds(t *testing.T, interval string) (low, high float64) {
	t.Helper()
	a, b, found := strings.Cut(interval, " … ")
	low, err := strconv.ParseFloat(a, 64)
	if err == nil {
		high, err = strconv.ParseFloat(b, 64)
	}
	if (!found || err != nil) && !*rewriteGuards {
		t.Fatalf("%q is no interval: %v", interval, err)
	}
	return low, high
}

// TestResultsAreGuarded checks that each line of the table "What it measured" in
// docs/results.md names its experiment, and that figures of that experiment are guarded.
func TestResultsAreGuarded(t *testing.T) {
	guards, err := os.ReadFile(guarded)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join("..", "..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ids []string
	for _, e := range paper.Experiments() {
		ids = append(ids, e.ID)
	}
	inside, lines := false, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "## ") {
			inside = line == "## What it measured"
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !inside || !strings.HasPrefix(line, "| ") || len(cells) < 3 || cells[0] == "experiment" {
			continue
		}
		_, id, _ := strings.Cut(cells[0], "`")
		id, _, _ = strings.Cut(id, "`")
		if !slices.Contains(ids, id) {
			continue // the other tables of the section
		}
		lines++
		if !strings.Contains(string(guards), "> "+id+" ") {
			t.Errorf("docs/results.md shows %s, but %s guards none of its figures", id, guarded)
		}
	}
	if lines < 6 {
		t.Errorf("the table of docs/results.md has %d lines that begin with an experiment: at least 6 were there", lines)
	}
}
