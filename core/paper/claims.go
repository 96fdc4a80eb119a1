package paper

// claimOf returns what the paper says that an experiment looks at, in a sentence, or what it
// looks at where no paper says anything; documents say it themselves.
func claimOf(id string) string {
	switch id {
	case "negotiation/calibration":
		return "Published about the cell: 40 to 50 % of its CPU and 60 to 70 % of its memory are used, and Borg's placements overload up to 0.5 % of the nodes."
	case "negotiation/throughput":
		return "Agents fit 102 % of the work, and not 104 %."
	case "negotiation/compaction":
		return "98 % of the nodes are enough for agents, 97 % are not."
	case "negotiation/tuning":
		return "No paper's: when central schedulers should move tasks, so that those who do are compared as they would be run."
	case "negotiation/sensitivity":
		return "No paper's: of what cells 102 % of the work would be the limit."
	}
	return ""
}
