package protocol

// Scheduler decides what is done. It is asked once a moment at which something happened
// or for which it wished to be woken.
type Scheduler interface {
	// Begin receives the nodes, before the first moment.
	Begin(*Hello) (Welcome, error)
	// Decide returns what is done at a moment. The moment belongs to the caller and is
	// overwritten afterwards. An error ends the run.
	Decide(*Moment) (Answer, error)
}
