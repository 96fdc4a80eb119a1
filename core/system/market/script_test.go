package market_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/system"
	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/scripts/*.txt:
//
//	play [settings={…}] until=1h [quiet]     quiet: the notes that are for who looks closely are left out
//	10s user_down 0 | mail_loss 0.5          a fault of an agent, of the mail, or what an owner answers
//	10s offer_approved 0 2                   likewise, with a value
//	10s down n0 | up n0                      a node
//	10s tell [auction]                       metrics, layers, facts of each site's first node, cards of sites, accounts; what an auction came to so far
//	{"sites":…}                              a document
//	----
//
//	records                                  what a document brings: nodes and jobs
//
// The report stands at the end, without what is 0.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			acts, document, _ := strings.Cut("\n"+d.Input, "\n{")
			if document = "{" + document; d.Cmd == "records" {
				return records(document)
			}
			settings, until := `{"signatures":"modelled"}`, ""
			for _, a := range d.CmdArgs {
				if a.Key == "settings" {
					settings = strings.Replace(strings.Join(a.Vals, ","), "{", `{"signatures":"modelled",`, 1)
				}
			}
			d.ScanArgs(t, "until", &until)
			return playScript(t, acts, document, settings, moment(t, until), d.HasArg("quiet"))
		})
	})
}

func moment(t *testing.T, text string) unit.Time {
	at, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return unit.Time(at / time.Microsecond)
}

// records tells what a document brings.
func records(document string) string {
	source, err := market.Entry().Workload(json.RawMessage(document), 1)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var out strings.Builder
	var r workload.Record
	for n := 0; n < 40 && source.Next(&r) == nil; n++ {
		if r.Kind == workload.NodeJoins {
			fmt.Fprintf(&out, "node of site %d with %d processors\n", r.Node.Site, r.Node.Processors)
			continue
		}
		j := r.Job
		subject := fmt.Sprintf("unit %d of request %d", r.Key.Index+1, r.Key.Job)
		if j.Queue >= 0 {
			subject = fmt.Sprintf("job of site %d", j.Queue)
		}
		fmt.Fprintf(&out, "%gs %s, user %d: %d processors, runs %gs of %gs\n", r.At.Seconds(), subject, j.User, j.Processors, j.Run.Seconds(), j.Estimate.Seconds())
	}
	return out.String()
}

func playScript(t *testing.T, acts, document, settings string, until unit.Time, quiet bool) string {
	if _, err := market.Entry().Workload(json.RawMessage(document), 1); err != nil {
		return "! " + err.Error() + "\n"
	}
	w := open(t, document, settings, 1)
	var out strings.Builder
	told := 0
	pass := func(at unit.Time) {
		if err := w.pass(at); err != nil {
			t.Fatal(err)
		}
		if err := w.system.(system.Auditor).Audit(); err != nil {
			t.Fatal(err)
		}
		for ; told < len(w.notes); told++ {
			if n := w.notes[told]; !quiet || !n.Minor {
				fmt.Fprintf(&out, "%.6gs %s\n", n.At.Seconds(), w.system.(system.NoteFormatter).FormatNote(n))
			}
		}
	}
	for line := range strings.Lines(acts) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		pass(moment(t, words[0]))
		act(t, &out, w, words[1:])
	}
	pass(until)
	report := w.system.(system.Reporter).Report()
	for _, name := range slices.Sorted(maps.Keys(report)) {
		switch x := report[name].(type) {
		case []map[string]any:
			for _, one := range x {
				fmt.Fprintf(&out, "%v: %v offers of %.6g, %v units sold, %.6g credits\n", one["name"], one["offers"], one["mean_offer"], one["units_sold"], one["credits"])
			}
		case float64:
			if x != 0 {
				fmt.Fprintf(&out, "%s %.6g\n", name, x)
			}
		default:
			if fmt.Sprint(x) != "0" {
				fmt.Fprintf(&out, "%s %v\n", name, x)
			}
		}
	}
	for _, o := range w.system.(market.Outcomes).Outcomes() {
		fmt.Fprintf(&out, "request %d: bought %v %s, from %gs, bidden at %.6gs, ended at %.6gs\n", o.Request, o.Bought, o.Reason, o.Began.Seconds(), o.Bidden.Seconds(), o.Ended.Seconds())
		for _, u := range o.Units {
			fmt.Fprintf(&out, "  %d cores asked at %v, best %v, paid %v, cost %v at site %d from %.6gs to %.6gs\n", u.Cores, u.AskingPrice, u.Best, u.Paid, float64(u.Cost)/1000, u.Site, u.Start.Seconds(), u.End.Seconds())
		}
	}
	for _, r := range w.system.(market.Outcomes).Resources() {
		fmt.Fprintf(&out, "%s: %v down to %v for %d cores, %d bids of %.6g, %d won, last down by %v, own jobs on %d; of %d waits %d within the bound\n", r.Name, r.Start, r.Min, r.Cores, r.Bids, r.MeanOffer, r.Wins, r.Appeal, r.Busy, r.Bounded, r.Within)
	}
	fmt.Fprintf(&out, "answers took %.4g s\n", w.system.(market.Outcomes).Response())
	for _, warning := range w.system.(system.WarningSource).Warnings() {
		fmt.Fprintf(&out, "warning: %s\n", warning)
	}
	return out.String()
}

func act(t *testing.T, out *strings.Builder, w *world, words []string) {
	number := func(format string, into any) {
		if len(words) < 2 {
			t.Fatalf("%q: of what?", words)
		}
		if _, err := fmt.Sscanf(words[1], format, into); err != nil {
			t.Fatalf("%q: %v", words, err)
		}
	}
	switch {
	case words[0] == "down" || words[0] == "up":
		var n unit.NodeID
		number("n%d", &n)
		if words[0] == "down" {
			w.cluster.Leave(n)
		} else {
			w.cluster.Restore(n)
		}
	case words[0] == "tell":
		tellMarket(out, w)
		if len(words) > 1 {
			var ref uint32
			number("%d", &ref)
			converse(out, w, ref)
		}
	case strings.HasPrefix(words[0], "mail_"):
		var value float64
		number("%g", &value)
		w.system.(system.FaultTarget).Fail(system.AgentFault{Kind: words[0], Value: value})
	default:
		var target int
		number("%d", &target)
		value := 0.0
		if len(words) > 2 {
			if _, err := fmt.Sscanf(words[2], "%g", &value); err != nil {
				t.Fatalf("%q: %v", words, err)
			}
		}
		w.system.(system.FaultTarget).Fail(system.AgentFault{Kind: words[0], Target: target, Value: value})
	}
}

// tellMarket prints what the system shows of the moment.
func tellMarket(out *strings.Builder, w *world) {
	entry := market.Entry()
	values := make([]float64, len(entry.Metrics))
	w.system.(system.MetricSource).Measure(values)
	fmt.Fprintf(out, "%gs tells", w.kernel.Now().Seconds())
	for i, column := range entry.Metrics {
		if values[i] != 0 {
			fmt.Fprintf(out, " %s=%.4g", column.ID, values[i])
		}
	}
	nodes := w.cluster.View().Nodes()
	for i, layer := range entry.Layers {
		cells := make([]byte, nodes)
		w.system.(system.LayerSource).FillLayer(i, cells)
		fmt.Fprintf(out, " %s=%v", layer.ID, cells)
	}
	out.WriteByte('\n')
	site := int32(-1)
	for n := range unit.NodeID(nodes) {
		if own := w.cluster.View().Rack(n); own == site {
			continue
		} else {
			site = own
		}
		for _, fact := range w.system.(system.NodeFactSource).NodeFacts(n) {
			fmt.Fprintf(out, "  n%d %s: %s\n", n, fact.Name, fact.Value)
		}
	}
	for _, z := range w.system.(system.ZoneSource).Zones() {
		c := w.system.(system.ZoneCardSource).ZoneCard(z)
		fmt.Fprintf(out, "  card %s: %q %q %v, %g free of %g", z.Name, c.Figure, c.Mark, c.Lines, c.Free, c.Size)
		if c.Down {
			out.WriteString(", down")
		}
		out.WriteByte('\n')
	}
	list, rest := w.system.(system.AccountSource).Accounts(3)
	for _, a := range list {
		fmt.Fprintf(out, "  %s, %s: %.6g credits, received %.6g, paid %.6g, pending %.6g, %d deals\n", a.Party, a.Role, a.Balance, a.Received, a.Paid, a.Pending, a.Deals)
	}
	fmt.Fprintf(out, "  and %d more\n", rest)
}

// converse prints an auction's conversation.
func converse(out *strings.Builder, w *world, ref uint32) {
	var notes []system.Note
	for _, n := range w.notes {
		if n.Ref == ref {
			notes = append(notes, n)
		}
	}
	c := w.system.(system.ConversationSource).Conversation(ref, notes)
	for _, m := range c.Messages {
		fmt.Fprintf(out, "  %.6gs %s > %s: %s", m.At.Seconds(), m.From, m.To, m.Text)
		if m.No {
			out.WriteString(" (no)")
		}
		if m.Minor {
			out.WriteString(" (minor)")
		}
		out.WriteByte('\n')
	}
	for _, r := range c.Rounds {
		fmt.Fprintf(out, "  round %d of %s at %.6g:", r.Number, r.Item, r.AskingPrice)
		for _, b := range r.Bids {
			fmt.Fprintf(out, " %s %.6g %s;", b.By, b.Price, b.Reason)
		}
		out.WriteByte('\n')
	}
	known := map[unit.TaskID]bool{}
	for _, n := range notes {
		if d, told := w.system.(system.Explainer).Explain(n.Task); told && !known[n.Task] {
			fmt.Fprintf(out, "  why: %s %s\n", d.Summary, d.Rule)
			for _, c := range d.Candidates {
				fmt.Fprintf(out, "    %s %.6g %s: %s\n", c.Name, c.Score, c.Answer, c.Reason)
			}
			known[n.Task] = true
		}
	}
	fmt.Fprintf(out, "  deals %+v\n  choices %+v\n  over %v: %s\n", c.Deals, c.Choices, c.Over, c.Outcome)
}
