package system

// Term is a word of the field with its meaning, which the page explains wherever the word appears.
type Term struct {
	Words []string `json:"words"` // as it is spelled; capitals count in abbreviations only
	Means string   `json:"means"` // one sentence
}

// Terms are the words of every system. Those of one system are Description.Terms.
func Terms() []Term {
	return []Term{
		{
			[]string{"proportional", "PA"},
			"Proportionally allocated: every resource of the node is used below 70 %, so that there is room for more of any kind.",
		},
		{
			[]string{"disproportionate", "DA"},
			"Disproportionately allocated: one resource of the node is used 70 % and more and another is not, so that the rest of that one can hardly be used.",
		},
		{
			[]string{"super tight", "STA"},
			"Super tightly allocated: some resource of the node is used above 90 %; a small rise overloads it.",
		},
		{
			[]string{"tight", "TA"},
			"Tightly allocated: every resource of the node is used 70 to 90 %, which is what a scheduler wants of a full cell.",
		},
		{[]string{"overloaded"}, "Tasks want more of some resource than the node has: above 100 %."},
		{[]string{"idle"}, "The node is up and has nothing to do."},
		{
			[]string{"usage spikes", "spikes", "spike"},
			"A rise of a node's use by more than a tenth of the node from one minute to the next.",
		},
		{[]string{"requested"}, "What tasks asked for when they came; they may use less or, for a while, more."},
		{[]string{"production"}, "Tasks that serve users and are not to be stopped for others."},
		{
			[]string{"migrations", "migration"},
			"A running task moves to another node with its memory, while it goes on.",
		},
		{
			[]string{"displaced"},
			"The node failed, or other tasks had to run there: the task waits until it is placed again.",
		},
	}
}
