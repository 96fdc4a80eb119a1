package main

import "time"

// benchmark is one speed figure of docs/speed.md, or a few that belong together.
type benchmark struct {
	name    string
	about   string
	of      []string // names of package measure
	wasm    bool     // also under Node and in Chromium
	tab     string   // this one of them also in Chromium
	here    string   // this one of them natively only: WebAssembly lacks the feature
	memory  bool     // print the peak too
	perNode bool     // print the cost of one node and minute, from "n nodes"
	simgrid bool     // print the ratio to SimGrid, if it is installed
	glpk    bool     // print the ratio to GLPK, likewise
	trips   bool     // print the moments per second that processes answer
	// its figures are not compared: each is measured the given number of times, or until enough,
	// before the next
	apart bool
	aims  []aim
}

// nativeHost is this machine without a browser.
const nativeHost = "native"

// enough is the time after which a figure of a benchmark with separate figures is not measured
// again.
const enough = 30 * time.Second

// benchmarks lists them in the order in which they run. A further one is one
// line here, of measurements that package measure lists.
var benchmarks = []benchmark{
	{
		name:  "negotiation",
		about: "a Google cell of 12,500 nodes and 140,000 running tasks: usage that hardly moves, as the page opens, 1.36 times the work", of: []string{"calm", "default", "busy"}, wasm: true, memory: true,
		aims: []aim{
			{"21 negotiations a minute, cost against a calm cell", "calm", "default", nativeHost, 1.25, false},
			{"116 negotiations a minute, cost against a calm cell", "calm", "busy", nativeHost, 2, false},
		},
	},
	{
		name: "scale", about: "cost of a node by the size of the cell",
		of:  []string{"1250 nodes", "12500 nodes", "50000 nodes", "100000 nodes", "250000 nodes", "1000000 nodes"},
		tab: "250000 nodes", memory: true, perNode: true,
	},
	{
		name: "central", about: "140,000 tasks placed on 12,500 empty nodes",
		of:   []string{"central best-fit", "central worst-fit", "central first-fit", "central random", "central kube"},
		wasm: true,
		aims: []aim{
			{"tasks placed a second by kube-scheduler's scores", "central kube", "", nativeHost, 250_000, true},
			{"tasks placed a second by kube-scheduler's scores", "central kube", "", "Chromium", 80_000, true},
			{"tasks placed a second by best fit", "central best-fit", "", "Chromium", 400_000, true},
		},
	},
	{
		name:  "policy",
		about: "schedulers of one's own: values of a formula; placements by one, beside the built-in best fit; what an event costs a program more than a system in Go; moments that a process answers", of: []string{"formula, 4 operations", "formula, 12 operations", "formula, 20 operations", "20 operations, as Go code", "central best-fit", "by formula, of nodes alone", "by formula, of the task too, 1250 nodes", "program, beside the same policy in Go"}, wasm: true, trips: true,
		aims: []aim{
			{"a formula of nodes alone, cost against best fit", "central best-fit", "by formula, of nodes alone", nativeHost, 1.5, false},
			{"values of a formula of 20 operations a second", "formula, 20 operations", "", nativeHost, 100e6, true},
			{"values of a formula of 20 operations a second", "formula, 20 operations", "", "Chromium", 40e6, true},
		},
	},
	{
		name: "kernel", about: "the event queue",
		of: []string{
			"1,000 events waiting", "1,000 events waiting, container/heap",
			"140,000 events waiting", "140,000 events waiting, container/heap",
		},
		wasm: true,
	},
	{
		name: "trace", about: "reading published traces: a generated table each",
		of: []string{
			"google2011, lines alone", "google2011 summary", "google2011 gzip summary", "google2011 as a workload",
			"alibaba2018 batch_task", "google2019 instance_events", "azure vmtable", "openb2023 pods", "pai2020 tasks",
			"opendc tasks", "sacct",
		}, wasm: true, memory: true,
	},
	{
		name: "swf", about: "reading logs of rigid jobs, and scheduling them",
		of: []string{
			"swf as a workload", "easy, 100 processors", "easy, 163840 processors",
			"conservative, 100 processors", "easy, a whole run",
		}, wasm: true, memory: true,
		aims: []aim{
			{"a whole run of a log, cost against its scheduler alone", "easy, 100 processors", "easy, a whole run", nativeHost, 4, false},
			{"a whole run of a log, cost against its scheduler alone", "easy, 100 processors", "easy, a whole run", "Chromium", 4, false},
		},
	},
	{
		name: "idle", about: "sixteen jobs in 340 days, on machines that rest in between",
		of: []string{
			"16 jobs on 134 nodes of 96 processors", "16 jobs on 12846 nodes of one", "16 jobs on 93312 nodes of one",
		}, wasm: true,
		aims: []aim{
			{"12,846 nodes of one processor, cost against 134 nodes of 96", "16 jobs on 12846 nodes of one", "16 jobs on 134 nodes of 96 processors", nativeHost, 2, false},
			{"93,312 nodes of one processor, cost against 134 nodes of 96", "16 jobs on 93312 nodes of one", "16 jobs on 134 nodes of 96 processors", nativeHost, 5, false},
		},
	},
	{
		name: "yield", about: "planning virtual clusters, and running them",
		of: []string{
			"mcb8, 500 tasks on 64 hosts", "mcb8, 10000 tasks on 1000 hosts",
			"mcb8, 100000 tasks on 10000 hosts", "exact, the longest of 144 small instances",
			"exact, the median of 144 small instances", "adapt, 2000 tasks on 240 hosts",
			"live yield, 2000 tasks on 240 hosts",
		}, glpk: true,
	},
	{
		name: "market", about: "auctions of one unit in three rounds over 20 resources, until they are paid",
		of: []string{"auctions", "auctions, Ed25519", "10000 users at once"}, wasm: true, here: "auctions, Ed25519",
		memory: true,
	},
	{
		name: "rounds", about: "planning divisible loads, and playing them",
		of: []string{
			"umr2, 50 workers", "umr2, 1000 workers", "best, 50 workers", "best, 1000 workers", simgridPlan,
			livePlan, "live rounds, 2000 workers",
		}, simgrid: true,
	},
	{
		name: "board", about: "resources that take graphs of 100 subtasks from a board; planning one large graph",
		of: []string{
			"safe, 1000 resources", "ready, 1000 resources", "ready, 100000 resources",
			"heft, 100000 subtasks on 64 processors",
		}, wasm: true, apart: true,
	},
}
