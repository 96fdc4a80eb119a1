package central

import (
	"bytes"
	"encoding/json"

	"parley/core/workload"
)

// adapt implements system.Adapt: files of rigid jobs are scheduled by EASY backfilling
// where no policy is chosen, for the usual one places tasks.
func adapt(raw json.RawMessage, shape workload.Shape) (json.RawMessage, string) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &given) != nil {
		return raw, ""
	}
	if _, chosen := given["policy"]; chosen || shape != workload.ShapeJobs {
		return raw, ""
	}
	given["policy"] = json.RawMessage(`"easy"`)
	settings, err := json.Marshal(given)
	if err != nil {
		return raw, ""
	}
	return settings, "the files bring rigid jobs and no policy was chosen: they are scheduled by easy (EASY backfilling)"
}
