package systemtest

import (
	"encoding/json"

	"parley/core/system"
)

// FirstFault plays up to n trials and returns the first thing that a system
// does wrong, with the trial as a script.
func FirstFault(entry system.Entry, settings string, n int) (script string, fault error) {
	for seed := range n {
		if script, fault = verify(trials.Example(seed), entry, json.RawMessage(settings), promises{}); fault != nil {
			break
		}
	}
	return script, fault
}
