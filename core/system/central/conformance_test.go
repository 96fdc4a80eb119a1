package central_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/core/system/central"
	"parley/core/system/systemtest"
)

func TestConformance(t *testing.T) {
	for _, policy := range central.Policies {
		for _, admission := range []string{"use", "request"} {
			t.Run(policy+" by "+admission, func(t *testing.T) {
				systemtest.Run(t, central.Entry(), json.RawMessage(fmt.Sprintf(`{"policy":%q,"admission":%q}`, policy, admission)), systemtest.Stories(300))
			})
		}
	}
}

func TestDescription(t *testing.T) { systemtest.Describes(t, central.Entry(), central.Default()) }
