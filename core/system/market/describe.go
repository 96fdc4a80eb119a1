package market

import (
	"encoding/json"
	"fmt"

	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/system/market/buyer"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/system/market/seal"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "market", Name: "Auction market",
		About:    "Users buy time on supercomputers in reverse auctions: resources underbid each other, and all units of a request are bought or none.",
		Paper:    "S. Zasada, P. Coveney, A Distributed Multi-agent Market Place for HPC Compute Cycle Resource Trading, arXiv 1512.04343",
		Supports: []workload.Shape{workload.ShapeJobs},
		Provides: system.ProvidesAlways,
		Zone:     "site",
		Now:      []system.Sentence{{Words: "{auctions_open:auction} under way; {auctions_bought_sum} bought, {auctions_failed_sum} failed."}},
		Refund:   system.Refund{Lost: journal.NoteBroken, Paid: journal.NoteRefunded},
		Story: []system.Happening{
			{Kind: journal.NoteBegun, One: "auction begun", Many: "auctions begun", Look: "new"},
			{
				Kind: journal.NoteAsk, One: "auction waits for approval", Many: "auctions wait for approval",
				Look: "warn",
			},
			{Kind: journal.NoteBought, One: "unit bought", Many: "units bought", Look: "good"},
			{Kind: journal.NoteReturned, One: "unit given back", Many: "units given back", Look: "no"},
			{Kind: journal.NoteFailed, One: "auction failed", Many: "auctions failed", Look: "bad"},
			{Kind: journal.NoteExpired, One: "reservation expired", Many: "reservations expired", Look: "no"},
			{
				Kind: journal.NoteBroken, One: "sold unit lost its cores", Many: "sold units lost their cores",
				Look: "bad",
			},
			{Kind: journal.NoteStarted, One: "unit started", Many: "units started", Look: "good"},
			{Kind: journal.NoteUnpaid, One: "contract not settled", Many: "contracts not settled", Look: "bad"},
			{Kind: journal.NoteLate, One: "unit starts late", Many: "units start late", Look: "warn"},
		},
		Settings: Default().described(),
		Agents: []system.Role{
			{
				ID: "user", Name: "user agent", Setting: "users", About: "auctions the requests of its owner",
				Faults: []system.FaultKind{
					{
						ID: "user_down", Revert: "user_up", Name: "Crash", Repair: "Restart", Label: "is down",
						Target: "user",
					},
					{
						ID: "offer_approved", Revert: "offer_declined", Name: "Approve an offer",
						Repair: "Decline an offer",
						Label:  "has approved what it was asked", Target: "user", Which: "auction",
					},
				},
			},
			{
				ID: "resource", Name: "resource agent", On: "rack", About: "sells time on its site, which is a rack here",
				Faults: []system.FaultKind{
					{
						ID: "resource_down", Revert: "resource_up", Name: "Crash agent", Repair: "Restart agent",
						Label: "has no agent", Target: "rack",
					},
					{
						ID: "resource_left", Revert: "resource_joined", Name: "Leave the market",
						Repair: "Join the market",
						Label:  "has left the market", Target: "rack",
					},
				},
			},
			{
				ID: "bank", Name: "bank", About: "moves money by contracts that user and resources have signed",
				Faults: []system.FaultKind{
					{
						ID: "bank_down", Revert: "bank_up", Name: "Crash", Repair: "Restart", Label: "is down",
						Target: "bank",
						Unique: true,
					},
				},
			},
			{ID: "mail", Name: "mail", About: "the messages between agents", Faults: []system.FaultKind{
				{ID: "mail_loss", Name: "Messages lost", Target: "mail", Unique: true, Value: system.Until(0, 1)},
				{
					ID: "mail_delay", Name: "Messages delayed", Target: "mail", Unique: true, Unit: "s",
					Value: system.Between(0, 3600),
				},
				{
					ID: "mail_repeat", Name: "Messages come twice", Target: "mail", Unique: true,
					Value: system.Until(0, 1),
				},
			}},
		},
		Group:   "auction",
		Metrics: columns(), Figures: reported(),
		Omissions: []system.Omission{{Column: "auctions_failed_sum", When: system.MissedGrows, Words: "Auctions failed"}},
		Charts: []metric.Chart{
			offersChart(),
			{Title: "Auctions", Lines: []metric.Line{
				{Column: "auctions_bought_sum", Name: "bought", Tone: "accent"},
				{Column: "auctions_failed_sum", Name: "failed", Tone: "bad"},
				{Column: "auctions_open", Name: "open", Tone: "quiet"},
			}},
			{
				Title: "Cores in use, %", Stacked: true, Top: 100,
				Lines: []metric.Line{
					{Column: "own_cores_pct", Name: "own jobs", Tone: "cycle.0"},
					{Column: "sold_cores_pct", Name: "sold units", Tone: "cycle.2"},
				},
			},
			{
				Title: "Resources' accounts, credits",
				Lines: []metric.Line{{Column: "credits_of_resources", Name: "resources", Tone: "warn"}},
			},
			{
				Title: "Users' accounts, credits",
				Lines: []metric.Line{{Column: "credits_of_users", Name: "users", Tone: "accent"}},
			},
			{
				Title: "Highest attractiveness, credits",
				Lines: []metric.Line{{Column: "attractiveness", Name: "highest", Tone: "accent"}},
			},
			{
				Title: "Response of resources, s",
				Lines: []metric.Line{{Column: "response_s", Name: "mean", Tone: "warn"}},
			},
		},
		Layers: []frame.Layer{
			{
				ID: "owner", Name: "Whose jobs",
				About: "Each rack is a site. Its own jobs and the units that it sold take processors of its first nodes that have any, so that a site fills from its first node on.", Names: []string{"idle", "sold units", "both", "the site's own", "down"},
			},
			{
				ID: "site_load", Name: "Load", Unit: "of its cores",
				About: "The share of the cores of a node that jobs hold, the own ones of the site or sold units.",
			},
			{
				ID: "site_offer", Name: "Latest offer", Unit: "credits per core-hour",
				About: "All nodes of a site have one colour: the price of its latest offer. In a reverse auction the lowest offer leads.", Top: topPrice,
			},
			{
				ID: "site_appeal", Name: "Attractiveness", Unit: "credits",
				About: "All nodes of a site have one colour: by how much it last lowered a price.", Top: topAppeal,
			},
		},
		Terms: []system.Term{
			{
				Words: []string{"auction"},
				Means: "A user asks all resources for offers in rounds; each may underbid the best one.",
			},
			{
				Words: []string{"contract"},
				Means: "A sale of processors for a time at a price, signed by both and kept by the bank.",
			},
			{Words: []string{"credits"}, Means: "The market's money."},
			{Words: []string{"asked"}, Means: "The price that a resource wants before it is underbid."},
		},
		Views: []system.View{system.ViewBids, system.ViewAccounts, system.ViewZones}, Score: "offer",
		Answers: []system.Answer{
			{ID: system.Chosen, Sign: "★", Words: "chosen"},
			{ID: "accepted", Sign: "✓", Words: "made an offer"},
			{ID: "rejected", Sign: "✗", Words: "its offer does not meet the request"},
			{ID: "refused", Sign: "✗", Words: "refused"},
			{ID: "silent", Sign: "?", Words: "did not answer"},
		},
	}, New: New, Workload: plan.Workload, Files: Files, Unchanging: seal.Unchanging()}
}

// columns are the figures over time, in the order of Measure.
func columns() []metric.Column {
	list := []metric.Column{
		{ID: "auctions_open", Name: "Auctions under way", About: "auctions begun − bought − failed"},
		{
			ID: "auctions_bought_sum", Name: "Auctions that bought",
			About: "auctions that bought all their units, so far",
		},
		{
			ID: "auctions_failed_sum", Name: "Auctions that failed",
			About: "auctions that ended without a purchase, so far",
		},
		{ID: "units_bought_sum", Name: "Units bought", About: "units bought so far"},
		{
			ID: "price_asked", Name: "Price asked for, latest 20 units", Unit: "credits",
			About: "mean asking price per core-hour of the latest 20 units",
		},
	}
	for i := range buyer.ShownRounds {
		list = append(list, metric.Column{
			ID:   fmt.Sprintf("offer_round_%d", i+1),
			Name: fmt.Sprintf("Best offer of round %d, latest 20", i+1), Unit: "credits",
			About: "mean of the best offer per core-hour in this round, over the latest 20 units",
		})
	}
	return append(
		list,
		metric.Column{
			ID: "price_paid", Name: "Price paid, latest 20 units", Unit: "credits",
			About: "mean price paid per core-hour of the latest 20 units",
		},
		metric.Column{
			ID: "attractiveness", Name: "Highest attractiveness", Unit: "credits",
			About: "highest attractiveness of a resource",
		},
		metric.Column{
			ID: "own_cores_pct", Name: "Cores with the sites' own jobs", Unit: "%",
			About: "100 × cores with the sites' own jobs / all cores",
		},
		metric.Column{
			ID: "sold_cores_pct", Name: "Cores with sold units", Unit: "%",
			About: "100 × cores with sold units / all cores",
		},
		metric.Column{
			ID: "credits_of_users", Name: "In users' accounts", Unit: "credits",
			About: "sum of the users' accounts",
		},
		metric.Column{
			ID: "credits_of_resources", Name: "In resources' accounts", Unit: "credits",
			About: "sum of the resources' accounts",
		},
		metric.Column{
			ID: "response_s", Name: "A resource's answer takes", Unit: "s",
			About: "mean time that a resource took to answer",
		},
	)
}

// offersChart shows how offers fall from round to round.
func offersChart() metric.Chart {
	c := metric.Chart{
		Title: "Offers by round, credits",
		Lines: []metric.Line{{Column: "price_asked", Name: "asked", Tone: "quiet"}},
	}
	for i := range buyer.ShownRounds {
		c.Lines = append(c.Lines, metric.Line{
			Column: fmt.Sprintf("offer_round_%d", i+1),
			Name:   fmt.Sprintf("round %d", i+1), Tone: fmt.Sprintf("cycle.%d", i%4),
		})
	}
	c.Lines = append(c.Lines, metric.Line{Column: "price_paid", Name: "paid", Tone: "accent"})
	return c
}

// Files makes the sites and requests of a document and an opened log (plan.Files).
func Files(raw json.RawMessage, seed uint64, recorded workload.Source) (workload.Source, error) {
	return plan.Files(raw, seed, recorded)
}

// Table2 is the paper's resources, as experiments want them.
type Table2 = plan.Table2
