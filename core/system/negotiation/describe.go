package negotiation

import (
	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "negotiation", Name: "Agent negotiation",
		About:    "Agents of overloaded nodes negotiate with others to take tasks by live migration; brokers recommend whom to ask, and no agent sees the whole cluster.",
		Paper:    "L. Sliwko, Multi-Agent System Balancer",
		Supports: []workload.Shape{workload.ShapeTasks},
		Classes:  true, Moves: true, Forces: true,
		Now:      []system.Sentence{system.TasksNow},
		Settings: Default().described(),
		Agents: []system.Role{
			{
				ID: "node", Name: "node agent", On: "node", About: "watches the load of its node and negotiates for it",
				Faults: []system.FaultKind{
					{
						ID: "partition", Revert: "partition_healed", Was: "rack_cut", WasRevert: "rack_healed",
						Name: "Cut off", Repair: "Heal", Label: "is cut off", Target: "rack",
					},
				},
			},
			{
				ID: "broker", Name: "broker", Setting: "brokers",
				About: "keeps what nodes report, places new tasks and recommends candidates",
				Faults: []system.FaultKind{
					{
						ID: "broker_down", Revert: "broker_up", Name: "Crash", Repair: "Restart", Label: "is down",
						Target: "broker",
					},
				},
			},
			system.Live(Default().described(), "candidates", "scan_initial", "scan_reallocation"),
			{ID: "mail", Name: "mail", About: "the messages between agents", Faults: []system.FaultKind{
				{ID: "mail_loss", Name: "Messages lost", Target: "mail", Unique: true, Value: system.Until(0, 1)},
				{
					ID: "mail_delay", Name: "Messages delayed", Target: "mail", Unique: true, Unit: "s",
					Value: system.Between(0, 3600),
				},
			}},
		},
		Story: []system.Happening{
			{Kind: noteForce, One: "task placed by force", Many: "tasks placed by force", Look: "warn"},
			{Kind: noteSelect, One: "overload report", Many: "overload reports", Look: "warn"},
			{Kind: noteTarget, One: "move agreed", Many: "moves agreed", Look: "move"},
			{
				Kind: noteRefuse, One: "move turned down at the last check", Many: "moves turned down at the last check",
				Look: "no",
			},
			{Kind: noteFail, One: "task that no node takes", Many: "tasks that no node takes", Look: "bad"},
		},
		Group: "negotiation", Metrics: gauges, Figures: reported(), Charts: charts(),
		Omissions: []system.Omission{system.TasksWait, {
			Column: gauges[2].ID, When: system.MissedAbove,
			Words: "Forced on nodes a minute",
		}}, Layers: nil, Views: []system.View{system.ViewSequence},
		Terms: []system.Term{
			{
				Words: []string{"score"},
				Means: "How well a node would be loaded with the task, from 0 to 10: the higher, the closer to the load that its broker or agent wants. Targets are drawn, a higher score is likelier.",
			},
			{
				Words: []string{"forced", "by force"},
				Means: "No node accepted the task, so one must take it, however loaded that makes it.",
			},
			{
				Words: []string{"broker"},
				Means: "An agent that knows the reported loads of all nodes of its cell and names candidates; it decides nothing.",
			},
			{
				Words: []string{"negotiation"},
				Means: "An overloaded node asks a broker for candidates, asks these whether they would take a task, draws one of those that accept and sends it there.",
			},
		},
		Answers: []system.Answer{
			{ID: system.Chosen, Sign: "★", Words: "chosen"},
			{ID: "accepted", Sign: "✓", Words: "accepted; another was chosen"},
			{ID: "rejected", Sign: "✗", Words: "rejected: cannot take it"},
			{ID: "refused", Sign: "✗", Words: "refused at the last moment"},
			{ID: "silent", Sign: "?", Words: "did not answer"},
			{ID: "forced", Sign: "!", Words: "takes it only by force"},
		},
		Messages: []string{
			sayWhere, sayCandidates, sayWould, sayYes, sayNo, sayTake, sayForce, sayLate, sayNew,
			sayNewForce,
		},
	}, New: New}
}

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	const (
		scores   = "Scores"
		search   = "Choice of tasks"
		times    = "Times"
		messages = "Messages"
		later    = "Beyond the paper"
	)
	hour := float64(unit.Hour)
	return system.Describe(
		system.Setting{
			ID: "brokers", Name: "Brokers", Value: s.Brokers, Range: system.Between(1, maxBrokers),
			About: "broker agents; one suffices for 12,500 nodes",
		},
		system.Setting{
			ID: "candidates", Name: "Candidates", Value: s.Candidates,
			Range: system.Between(1, broker.MaxCandidates), About: "nodes that a broker recommends",
		},
		system.Setting{
			ID: "scan_initial", Name: "Scored for a new task", Unit: "nodes", Value: s.ScanInitial,
			Range: system.Between(1, 100_000), About: "matching nodes that a broker scores for a new task",
		},
		system.Setting{
			ID: "scan_reallocation", Name: "Scored for a move", Unit: "nodes", Value: s.ScanReallocation,
			Range: system.Between(1, 100_000), About: "matching nodes that a broker scores for a running task",
		},
		system.Setting{
			ID: "headroom", Name: "Headroom", Value: s.Headroom, Range: system.Until(0, 1),
			About: "share of each resource that is kept free for usage spikes",
		},
		system.Setting{
			ID: "draw", Name: "Draw", Group: scores, Value: s.Draw, Choices: []string{"best", "weighted"},
			About: "best recommends the highest scores, weighted draws by score",
		},
		system.Setting{
			ID: "initial_score", Name: "Score of new tasks", Group: scores, Value: s.InitialScore,
			Choices: Scores, About: "ranks nodes for a new task",
		},
		system.Setting{
			ID: "move_score", Name: "Score of moves", Group: scores, Value: s.MoveScore, Choices: Scores,
			About: "ranks nodes for a running task",
		},
		system.Setting{
			ID: "sias.peak", Name: "New tasks: peak", Group: scores, Unit: "%", Value: s.Initial.Peak,
			Range: system.Between(0, 90), About: "mean use at which the score of new tasks is highest",
		},
		system.Setting{
			ID: "sias.width", Name: "New tasks: width", Group: scores, Value: s.Initial.Width,
			Range: system.Over(0, 1e300),
			About: "how much an uneven use of the resources costs: the smaller, the more",
		},
		system.Setting{
			ID: "sias.level", Name: "New tasks: level", Group: scores, Value: s.Initial.Level,
			Range: system.Between(0, 1), About: "how fast the score falls with the distance from the peak",
		},
		system.Setting{
			ID: "sras.peak", Name: "Moves: peak", Group: scores, Unit: "%", Value: s.Move.Peak,
			Range: system.Between(0, 90), About: "mean use at which the score of moves is highest",
		},
		system.Setting{
			ID: "sras.width", Name: "Moves: width", Group: scores, Value: s.Move.Width,
			Range: system.Over(0, 1e300),
			About: "how much an uneven use of the resources costs: the smaller, the more",
		},
		system.Setting{
			ID: "sras.level", Name: "Moves: level", Group: scores, Value: s.Move.Level,
			Range: system.Between(0, 1), About: "how fast the score falls with the distance from the peak",
		},
		system.Setting{
			ID: "selection", Name: "Selection", Group: search, Value: s.Selection, Choices: Selections,
			About: "how an overloaded node chooses tasks that should leave; exact tries every set of the 13 that use most",
		},
		system.Setting{
			ID: "tabu_restarts", Name: "Restarts", Group: search, Value: s.Restarts,
			Range: system.Between(0, 1000), About: "times the tabu search begins again",
		},
		system.Setting{
			ID: "tabu_depth", Name: "Depth", Group: search, Value: s.Depth, Range: system.Between(1, 1000),
			About: "steps for which the tabu search does not turn back",
		},
		system.Setting{
			ID: "tabu_patience", Name: "Patience", Group: search, Unit: "steps", Value: s.Patience,
			Range: system.Between(1, 100_000), About: "steps without a better selection before the search stops",
		},
		system.Setting{
			ID: "reply_us", Name: "Wait for answers", Group: times, Value: s.ReplyTimeout,
			Range: system.Between(1, hour), About: "how long an agent waits for answers",
		},
		system.Setting{
			ID: "expiry_us", Name: "Recommendations expire", Group: times, Value: s.Expiry,
			Range: system.Between(1, hour), About: "how long a recommendation is good",
		},
		system.Setting{
			ID: "silence_us", Name: "Silence", Group: times, Value: s.Silence,
			Range: system.Between(1, hour), About: "how long a broker believes in a node that does not report",
		},
		system.Setting{
			ID: "report_us", Name: "Report every", Group: times, Value: s.Report,
			Range: system.Between(float64(unit.Second), hour),
			About: "how often a node looks at its load and reports it",
		},
		system.Setting{
			ID: "service_us", Name: "Placing a task takes", Group: times, Value: s.Service,
			Range: system.Between(1, hour), About: "how long a broker works on the placement of one new task",
		},
		system.Setting{
			ID: "search_us", Name: "Recommending takes", Group: times, Value: s.Search,
			Range: system.Between(1, hour),
			About: "how long a broker works on one recommendation for a running task; ten times the nodes of a placement, ten times as long",
		},
		system.Setting{
			ID: "exchange_us", Name: "Brokers exchange after", Group: times, Value: s.Exchange,
			Range: system.Between(1, hour), About: "how long after a report brokers pass it on to each other",
		},
		system.Setting{
			ID: "mail.latency_us", Name: "Latency", Group: messages, Value: s.Mail.Latency,
			Range: system.Between(1, hour), About: "the least time that a message takes",
		},
		system.Setting{
			ID: "mail.jitter_us", Name: "Jitter", Group: messages, Value: s.Mail.Jitter,
			Range: system.Between(0, hour), About: "at most so much more, drawn uniformly",
		},
		system.Setting{
			ID: "mail.loss", Name: "Loss", Group: messages, Value: s.Mail.Loss, Range: system.Until(0, 1),
			About: "probability that a message is lost",
		},
		system.Setting{
			ID: "mail.rounds_a_minute", Name: "Rounds a minute", Group: messages, Value: s.Mail.Rounds,
			Range: system.Between(0, 6000),
			About: "number of moments a minute at which messages arrive, as in the paper; 0 lets them arrive after their latency",
		},
		system.Setting{
			ID: "later.idle_list", Name: "Idle nodes listed", Group: later, Unit: "nodes",
			Value: s.Later.IdleList, Range: system.Between(0, 10_000),
			About: "number of idle nodes that every search scores, at most",
		},
		system.Setting{
			ID: "later.offload", Name: "Offload above", Group: later, Value: s.Later.Offload,
			Range: system.Between(0, 1),
			About: "an agent negotiates above this share of a resource already; 0: when overloaded",
		},
		system.Setting{
			ID: "later.blacklist_us", Name: "Blacklist for", Group: later, Value: s.Later.Blacklist,
			Range: system.Between(0, float64(unit.Day)),
			About: "for so long a node that did not answer is not recommended; 0: no blacklist",
		},
		system.Setting{
			ID: "later.preempt", Name: "Preempt", Group: later, Value: s.Later.Preempt,
			About: "tasks of the lowest priority are shut down if no node takes the load",
		},
		system.Setting{
			ID: "later.spread", Name: "Replicas apart", Group: later, Value: s.Later.Spread,
			Choices: []string{"off", "node", "rack"},
			About:   "replicas of a job that asks for it stand on different nodes or racks",
		},
		system.Setting{
			ID: "later.quota", Name: "Quota of a user", Group: later, Value: s.Later.Quota,
			Range: system.Between(0, 10),
			About: "share of the cluster that one user's running tasks may request; 0: any",
		},
		system.Setting{
			ID: "later.rack_cost", Name: "Cost of distance", Group: later, Value: s.Later.RackCost,
			Range: system.Between(0, 1000),
			About: "a target's score is divided by 1 + this × distance (1 in the site, 2 beyond)",
		},
	)
}
