package market_test

import (
	"encoding/json"
	"testing"

	"parley/core/system/market"
	"parley/core/testkit/systemtest"
)

// TestConformance: tasks are none of its business, and it says so; whatever else
// happens to its nodes, agents and messages it holds to the contract.
func TestConformance(t *testing.T) {
	systemtest.Run(t, market.Entry(), nil, systemtest.MayWait())
	systemtest.Run(t, market.Entry(), json.RawMessage(`{"pricing":"fixed","approval":"manual","signatures":"modelled"}`), systemtest.MayWait(), systemtest.Trials(20))
}

func TestDescription(t *testing.T) { systemtest.Describes(t, market.Entry(), market.Default()) }
