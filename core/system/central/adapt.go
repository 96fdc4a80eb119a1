package central

import (
	"bytes"
	"encoding/json"

	"parley/core/workload"
)

// adapt implements system.Adapt: files of rigid jobs are scheduled by EASY backfilling
// if no policy is chosen, for the usual one places tasks.
func adapt(raw json.RawMessage, shape workload.Shape, chosen bool) (json.RawMessage, string) {
	given, policy := map[string]json.RawMessage{}, ""
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &given) != nil {
		return raw, ""
	}
	if given["policy"] != nil && json.Unmarshal(given["policy"], &policy) != nil {
		return raw, ""
	}
	jobs, sentence := shape == workload.ShapeJobs, ""
	switch unfit := policy != "" && !chosen && jobs == placesTasks(policy); {
	case jobs && policy == "":
		sentence = "no policy was chosen, so EASY backfilling (easy) schedules the files' jobs"
	case jobs && unfit:
		sentence = policy + " cannot schedule jobs, so EASY backfilling (easy) schedules those of the files"
	case unfit:
		sentence = policy + " cannot place tasks, so " + Default().Policy + " places those of the files"
	default:
		return raw, ""
	}
	delete(given, "policy")
	if jobs {
		given["policy"] = json.RawMessage(`"easy"`)
	}
	settings, err := json.Marshal(given)
	if err != nil {
		return raw, ""
	}
	return settings, sentence
}
