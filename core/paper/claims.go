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
	case "market/workloads":
		return "Twelve of thirteen requests are bought, at 71.1 % of what was asked in the median; five of twenty resources win them all."
	case "market/rounds":
		return "The price falls until the fifth round and hardly after it, and each round takes 15 s more."
	case "market/users":
		return "The response grows in a line with the users at once, a round steeply up to ten of them and slowly beyond."
	case "market/network":
		return "A wide-area network makes hardly any difference."
	case "market/prices":
		return "Mean offers lie roughly between the minimum and the start price of a resource, nearer to the minimum."
	}
	return ""
}
