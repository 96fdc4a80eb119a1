package dispatcher_test

import (
	"encoding/json"
	"testing"

	"parley/core/system/dispatcher"
	"parley/core/testkit/systemtest"
)

func TestGraphStories(t *testing.T) {
	systemtest.Graphs(t, dispatcher.Entry(), json.RawMessage(`{"ahead":2}`), 60)
}
