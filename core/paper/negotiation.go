package paper

var negotiationExperiments = []Experiment{
	{"negotiation/calibration", "Does the generated cell match Google's?", "named in each row", 60, publishedNodes, calibration, "", true},
	{"negotiation/throughput", "How much more work fits in the cell?", "section 7.8, table 4", 1200, searchNodes, throughput, "", true},
	{"negotiation/compaction", "How far can the cell shrink?", "section 7.8, table 5", 1200, searchNodes, compaction, "", true},
	{"negotiation/tuning", "What the central opponents of negotiation/pressure are tuned to", "not in the paper", 300, tunedNodes, tuning, "", true},
	{"negotiation/sensitivity", "What must be true of a cell for the paper's limits", "not in the paper", 250, sensitiveNodes, sensitivity, "", true},
}
