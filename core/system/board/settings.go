package board

import (
	"parley/core/mail"
	"parley/core/system"
	"parley/core/system/board/thread"
	"parley/core/unit"
)

// Settings of the system. Each point that the paper leaves open is a choice here; the README
// explains every choice.
type Settings struct {
	Boards int       `json:"boards"`   // bulletin boards; graphs are posted to them in turn
	Poll   unit.Time `json:"poll_us"`  // how long a free agent rests between two fruitless looks
	Reply  unit.Time `json:"reply_us"` // how long an agent waits for an answer before it asks again
	Lease  unit.Time `json:"lease_us"` // how long after it went down a member is given up
	// how long an agent waits for results that no agent has taken on; 0: until its latest start
	Patience unit.Time `json:"patience_us"`
	Rule     string    `json:"thread_rule"` // "safe", "literal" or "ready": which paths are threads
	Exclude  string    `json:"exclude"`     // "thread" or "vertices": the scope of the exclusion in step 10
	Looks    int       `json:"looks"`       // candidates that one search looks at
	Channels bool      `json:"channels"`    // agents plan with the time that results travel
	// "thread" or "end": the unit that earns bonuses when a graph is done in time
	Pay  string `json:"pay"`
	Mail struct {
		Latency unit.Time `json:"latency_us"`
		Jitter  unit.Time `json:"jitter_us"`
		Loss    float64   `json:"loss"`
	} `json:"mail"`
}

// Default returns the settings that a scenario leaves out.
func Default() Settings {
	s := Settings{
		Boards: 1, Poll: 30 * unit.Second, Reply: 5 * unit.Second, Lease: 30 * unit.Second, Patience: usualPatience,
		Rule: "safe", Exclude: "thread",
		Looks: thread.DefaultLooks, Channels: true, Pay: "thread",
	}
	usual := mail.Default()
	s.Mail.Latency, s.Mail.Jitter, s.Mail.Loss = usual.Latency, usual.Jitter, usual.Loss
	return s
}

// usualPatience is twice as long as a free agent rests, so that each free agent has
// looked before a graph counts as stalled.
const usualPatience = 60 * unit.Second

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }

// maxBoards limits Settings.Boards.
const maxBoards = 64

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	const (
		readings = "Readings of the paper"
		times    = "Times"
		messages = "Messages"
	)
	hour := float64(unit.Hour)
	return system.Describe(
		system.Setting{
			ID: "boards", Name: "Boards", Value: s.Boards, Range: system.Between(1, maxBoards),
			About: "bulletin boards; graphs are posted to them in turn",
		},
		system.Setting{
			ID: "channels", Name: "Channels", Value: s.Channels,
			About: "agents plan with the time that results take on their channels; without, it is the older method",
		},
		system.Setting{
			ID: "thread_rule", Name: "Threads", Group: readings, Value: s.Rule,
			Choices: []string{"safe", "literal", "ready"},
			About:   "safe takes a subtask only when all that need its result are taken or in the same thread; literal when anybody needs the thread's last result; ready, which is ours, when its inputs are there, by guessed times",
		},
		system.Setting{
			ID: "exclude", Name: "Step 10 excludes", Group: readings, Value: s.Exclude,
			Choices: []string{"thread", "vertices"},
			About:   "what is passed over when a thread cannot be finished in time: it alone, or all of its vertices",
		},
		system.Setting{
			ID: "looks", Name: "Looks", Group: readings, Value: s.Looks, Range: system.Between(1, 1e6),
			About: "candidates that one search looks at",
		},
		system.Setting{
			ID: "patience_us", Name: "Patience", Group: readings, Value: s.Patience,
			Range: system.Between(0, hour),
			About: "how long an agent waits for results that no agent has taken on before it puts its thread back and the graph is taken from its beginning; 0 waits until the latest start, as in the paper",
		},
		system.Setting{
			ID: "pay", Name: "Bonus is paid for", Group: readings, Value: s.Pay,
			Choices: []string{"thread", "end"},
			About:   "when a graph is done in time: for threads that were done to their end, as in the paper, or for every subtask that was done",
		},
		system.Setting{
			ID: "poll_us", Name: "Look every", Group: times, Value: s.Poll,
			Range: system.Between(float64(unit.Millisecond), hour),
			About: "how long a free agent rests after a fruitless look",
		},
		system.Setting{
			ID: "reply_us", Name: "Wait for answers", Group: times, Value: s.Reply,
			Range: system.Between(float64(unit.Millisecond), hour),
			About: "how long an agent waits for an answer before it asks again",
		},
		system.Setting{
			ID: "lease_us", Name: "Give up after", Group: times, Value: s.Lease,
			Range: system.Between(float64(unit.Millisecond), hour),
			About: "how long after a resource went down a board gives its member up",
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
	)
}
