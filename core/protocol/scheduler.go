package protocol

// Scheduler makes the decisions. It is called once for each moment with a fact
// and each moment at which it asked to be woken.
type Scheduler interface {
	// Begin receives the nodes, before the first moment.
	Begin(*Hello) (Welcome, error)
	// Decide returns the acts for a moment. The moment belongs to the caller and is
	// overwritten afterwards. An error ends the run.
	Decide(*Moment) (Answer, error)
}
