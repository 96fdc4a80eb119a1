package market

import (
	"slices"

	"parley/core/batch"
	"parley/core/mail"
	"parley/core/system"
	"parley/core/system/market/buyer"
	"parley/core/system/market/plan"
	"parley/core/system/market/price"
	"parley/core/system/market/queue"
	"parley/core/system/market/seal"
	"parley/core/system/market/seller"
	"parley/core/unit"
)

// Settings of the system.
type Settings struct {
	buyer.Rules  // of the users
	seller.Terms // of the resources

	Budget     float64   `json:"budget"`     // credits of each user at the beginning
	Signatures string    `json:"signatures"` // one of seal.Names
	Answer     unit.Time `json:"answer_us"`  // how long an agent waits for an answer
	// How long an agent works on one message.
	UserWork     unit.Time `json:"user_work_us"`
	ResourceWork unit.Time `json:"resource_work_us"`
	BankWork     unit.Time `json:"bank_work_us"`

	Mail mail.Settings `json:"mail"`
}

// Default returns the settings that a scenario leaves out: three rounds of 15
// seconds, as in the paper's experiments.
func Default() Settings {
	return Settings{
		Rules: buyer.Rules{
			Rounds: 3, Interval: 15 * unit.Second, Goal: plan.Goals[0], Approval: "match", Users: 30,
			Settle: 2 * unit.Minute, Approve: 10 * unit.Minute,
		},
		Terms: seller.Terms{
			Anticipated: 3, Pricing: price.Paper.String(), Predictor: "queue", Queue: batch.EASY.String(),
			Protect: queue.Waiting.String(), Cancelling: true,
			Hold: unit.Minute, Lead: unit.Minute,
		},
		Budget: 1e9, Signatures: "ed25519", Answer: 20 * unit.Second,
		UserWork: 50 * unit.Millisecond, ResourceWork: 550 * unit.Millisecond, BankWork: 10 * unit.Millisecond,
		Mail: mail.Default(),
	}
}

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }

// described returns the descriptions of the settings, with their values.
func (s Settings) described() []system.Setting {
	const (
		sites = "Resources"
		users = "Users"
		times = "Times"
		posts = "Messages"
	)
	hour := float64(unit.Hour)
	return system.Describe(
		system.Setting{
			ID: "rounds", Name: "Rounds of bidding", Value: s.Rounds,
			Range: system.Between(1, plan.MaxRounds), Stops: []float64{1, 2, 3, 4, 5, 6, 8, 10},
			About: "after each the users ask for less than the best offer",
		},
		system.Setting{
			ID: "interval_us", Name: "Round lasts", Value: s.Interval, Range: system.Between(1, hour),
			About: "from one round of an auction to the next",
		},
		system.Setting{
			ID: "early", Name: "Rounds end early", Value: s.Early,
			About: "a round ends when every resource has answered",
		},
		system.Setting{
			ID: "pricing", Name: "Pricing", Value: s.Pricing, Choices: price.Names(),
			About: "paper lowers the price asked for by what the resource has free; fixed offers the start price; utilisation rises from the minimum with what is taken",
		},
		system.Setting{
			ID: "anticipated", Name: "Rounds expected", Value: s.Anticipated,
			Range: system.Between(1, plan.MaxRounds), Stops: []float64{1, 2, 3, 4, 5, 8},
			About: "n of the price formula: over how many rounds resources spread what they come down",
		},
		system.Setting{
			ID: "predictor", Name: "Availability from", Group: sites, Value: s.Predictor,
			Choices: []string{"queue", "qbets"},
			About:   "queue looks at what runs, waits and is reserved; qbets bounds the next wait from past ones",
		},
		system.Setting{
			ID: "queue", Name: "Queue", Group: sites, Value: s.Queue, Choices: queuePolicies,
			About: "in which order a site's own jobs start, around its reservations",
		},
		system.Setting{
			ID: "protect", Name: "Reservations respect", Group: sites, Value: s.Protect,
			Choices: queue.ProtectNames(),
			About:   "whose planned start a reservation may not delay: every waiting job's, the first one's, or none",
		},
		system.Setting{
			ID: "cancelling", Name: "Units can be given back", Group: sites, Value: s.Cancelling,
			About: "a resource takes a unit back that does not run yet, and its price is returned",
		},
		system.Setting{
			ID: "users", Name: "Users", Group: users, Value: s.Users,
			Range: system.Between(1, plan.MaxUsers),
			About: "user agents with an account; requests without a user go round among them",
		},
		system.Setting{
			ID: "budget", Name: "Budget", Group: users, Unit: "credits", Value: s.Budget,
			Range: system.Between(0, 1e12), About: "what each user has at the beginning",
		},
		system.Setting{
			ID: "goal", Name: "Goal", Group: users, Value: s.Goal, Choices: plan.Goals,
			About: "of the offers that meet a request cheapest takes the one at the lowest price, fastest the one that ends first; a request may say its own",
		},
		system.Setting{
			ID: "statement", Name: "Asks for its balance", Group: users, Value: s.Statement,
			About: "before the bidding a user asks the bank, by a signed request, what it has, and bids for nothing that it could not pay",
		},
		system.Setting{
			ID: "approval", Name: "Approval", Group: users, Value: s.Approval,
			Choices: []string{"match", "closest", "manual"},
			About:   "match buys what meets the request; closest also the nearest offers where nothing does; manual asks about both",
		},
		system.Setting{
			ID: "signatures", Name: "Signatures", Group: users, Value: s.Signatures, Choices: seal.Names(),
			About: "of users and resources under contracts; modelled is a keyed hash, faster and with the same outcome",
		},
		system.Setting{
			ID: "hold_us", Name: "Reservation is held", Group: times, Value: s.Hold,
			Range: system.Between(1, hour), About: "how long a resource waits for the confirmation of a reservation",
		},
		system.Setting{
			ID: "answer_us", Name: "Wait for an answer", Group: times, Value: s.Answer,
			Range: system.Between(1, hour), About: "how long an agent waits before it goes on or asks again",
		},
		system.Setting{
			ID: "settle_us", Name: "Contract is good", Group: times, Value: s.Settle,
			Range: system.Between(1, hour),
			About: "the bank settles a contract that all resources bring before; else nothing of it",
		},
		system.Setting{
			ID: "approval_us", Name: "Approval takes", Group: times, Value: s.Approve,
			Range: system.Between(1, hour), About: "after so long an offer that needs approval is declined",
		},
		system.Setting{
			ID: "lead_us", Name: "Earliest start", Group: times, Value: s.Lead,
			Range: system.Between(0, hour), About: "from an offer on, where the request leaves the start open",
		},
		system.Setting{
			ID: "user_work_us", Name: "User's work", Group: times, Value: s.UserWork,
			Range: system.Between(0, hour), About: "how long a user agent works on a message",
		},
		system.Setting{
			ID: "resource_work_us", Name: "Resource's work", Group: times, Value: s.ResourceWork,
			Range: system.Between(0, hour), About: "how long a resource agent works on a message: it asks its queue",
		},
		system.Setting{
			ID: "bank_work_us", Name: "Bank's work", Group: times, Value: s.BankWork,
			Range: system.Between(0, hour), About: "how long the bank works on a message",
		},
		system.Setting{
			ID: "mail.latency_us", Name: "Latency", Group: posts, Value: s.Mail.Latency,
			Range: system.Between(1, hour), About: "the least time that a message takes",
		},
		system.Setting{
			ID: "mail.jitter_us", Name: "Jitter", Group: posts, Value: s.Mail.Jitter,
			Range: system.Between(0, hour), About: "at most so much more, drawn uniformly",
		},
		system.Setting{
			ID: "mail.loss", Name: "Loss", Group: posts, Value: s.Mail.Loss, Range: system.Until(0, 1),
			About: "probability that a message is lost",
		},
		system.Setting{
			ID: "mail.rounds_a_minute", Name: "Rounds a minute", Group: posts, Value: s.Mail.Rounds,
			Range: system.Between(0, 0), About: "messages arrive after their latency: 0",
		},
	)
}

// queuePolicies are the policies of a site's own queue: all that need no passes of their own.
var queuePolicies = slices.DeleteFunc(batch.PolicyNames(),
	func(name string) bool { return name == batch.Slurm.String() })
