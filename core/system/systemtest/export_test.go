package systemtest

import (
	"encoding/json"

	"parley/core/system"
)

// FirstFault plays up to n stories and returns the first thing that a system
// does wrong.
func FirstFault(entry system.Entry, settings string, n int) error {
	for seed := range n {
		if err := tell(stories.Example(seed), entry, json.RawMessage(settings), promises{}); err != nil {
			return err
		}
	}
	return nil
}
