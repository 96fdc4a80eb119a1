package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"parley/core/scenario"
)

// Former names of fields make the same scenario, in documents, links and changes; both names at once are refused.
func TestFormerNamesOfFields(t *testing.T) {
	const before = `{"v":1,"system":"negotiation","workload":{"usage":{"model":"google2011","restless_most":4,"most":[1,1]}}}`
	now := strings.NewReplacer("restless_most", "max_restless", `"most"`, `"max_use"`).Replace(before)
	old, err := scenario.Parse([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse([]byte(now))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old.Encode(), s.Encode()) || bytes.Contains(s.Encode(), []byte("most")) {
		t.Errorf("%s and %s", old.Encode(), s.Encode())
	}
	for _, path := range []string{"workload.usage.restless_most=5", "workload.usage.max_restless=5"} {
		changed, err := s.Set([]string{path})
		if err != nil || changed.Workload.Usage.Moving.MaxRestless != 5 {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err = scenario.Parse([]byte(strings.Replace(now, `"max_restless"`, `"restless_most":3,"max_restless"`, 1)))
	if err == nil || !strings.Contains(err.Error(), `"max_restless" is given twice, and its former name is "restless_most"; leave one of them out`) {
		t.Error(err)
	}
}
