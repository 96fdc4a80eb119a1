package main

import (
	"encoding/json"

	"parley/core/frame"
	"parley/core/kube/question"
	"parley/core/message"
	"parley/core/metric"
	"parley/core/paper"
	papers "parley/core/paper/remote"
	"parley/core/planner"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/study/evidence"
	"parley/core/system"
	"parley/core/system/rounds/plan"
	schedule "parley/core/system/static/plan"
	"parley/core/system/yield/solve"
	"parley/core/unit"
	"parley/core/workload"
)

// union is one direction of one conversation: an example of each message.
type union struct {
	name, about string
	examples    []message.Message
	read        func([]byte, int) (message.Message, error) // nil: the page reads it
}

func half() *float64 { x := 0.5; return &x }

func yes() *bool { x := true; return &x }

// described is a system with a value in every field.
func described() system.Description {
	return system.Description{
		ID: "market", Name: "Market", About: "Sites bid.", Paper: "A paper", Supports: []workload.Shape{"jobs"},
		Provides: system.ProvidesOnRequest,
		Settings: []system.Setting{{
			ID: "later.quota", Name: "Quota", About: "how much", Unit: "MB", Group: "Later", Value: 5, Whole: true,
			Range:   &system.Range{Min: 1, Max: 9, Above: true, Below: true, Zero: true},
			Choices: []string{"a"}, For: map[string]workload.Shape{"a": "jobs"}, Recorded: []string{"a"},
			Stops: []float64{1, 2}, Formula: "score",
		}},
		Agents: []system.Role{{
			ID: "bank", Name: "bank", About: "keeps the books", On: "node", Setting: "banks",
			Faults: []system.FaultKind{
				{
					ID: "bank_down", Revert: "bank_up", Name: "Crash", Repair: "Restart", Target: "bank", Unique: true,
					Unit: "s", Value: &system.Range{Min: 0, Max: 1}, Setting: "later.quota",
				},
			},
		}},
		Group: "auction", Metrics: []metric.Column{{ID: "price", Name: "Price", Unit: "G$"}},
		Charts: []metric.Chart{{
			Title: "Prices", Lines: []metric.Line{{Column: "price", Name: "mean", Tone: "accent"}},
			Stacked: true, Top: 100, Of: "jobs",
		}},
		Omissions: []system.Omission{{Column: "price", When: system.MissedGrows, Words: "Dear"}},
		Now:       []system.Sentence{{Words: "{price} paid.", Of: workload.ShapeTasks}}, Node: "shop",
		Layers: []frame.Layer{{ID: "owner", Name: "Owner"}}, Views: []system.View{system.ViewGantt},
		Terms:   []system.Term{{Words: []string{"auction"}, Means: "Sites bid."}},
		Answers: []system.Answer{{ID: "chosen", Sign: "★", Words: "chosen"}}, Score: "offer", Messages: []string{"take it"},
	}
}

// catalogue lists every message. An example has a value in every field, so that
// the golden file shows the whole of it.
func catalogue() []union {
	scenario := json.RawMessage(`{"v":1,"system":"negotiation","cluster":{"nodes":20}}`)
	layers := []frame.Layer{
		{ID: "cpu", Name: "CPU used", Unit: "share of the node"},
		{ID: "class", Name: "Load class", Names: []string{"tight", "idle"}},
		{ID: "mem", Name: "Memory", Top: 1.5},
		{ID: "formula", Name: "Score", Ends: []float64{-1, 2.5}},
	}
	layout := message.Layout{
		Columns: 3, Rows: 1, X: message.Uint16s([]uint16{0, 2}), Y: message.Uint16s([]uint16{0, 0}),
		Rack: message.Int32s([]int32{0, 7}),
		Blocks: []message.Block{
			{Rack: 0, X: 0, Y: 0, Width: 1, Height: 1},
			{Rack: 7, Group: 1, X: 2, Y: 0, Width: 1, Height: 1},
		},
		Pitch:  message.Pitch{Width: 1, Height: 1, GapX: 0.5, GapY: 0.25, Tall: 1.25},
		Groups: []string{"site 0", "site 1"},
	}
	look := message.Look{Fill: 1, Palette: "dusk", Low: 40, High: 160, Light: true, Still: true}
	room := message.Extent{Width: 948, Height: 390, MaxCell: 48, Group: "site"}
	followed := message.Followed{Task: "17", Name: "3-1", State: "migrating", To: 12}
	picture := message.Frame{Buffer: message.Buffer([]byte{1, 2, 3, 4})}
	cards := message.Cards{Cards: []message.Card{{
		Node: 4, Up: true, Class: "tight (TA)", Capacity: []float64{0.5, 0.25}, Used: []float64{0.75, 0.5},
		Requested: []float64{1.25, 0.5}, More: 2,
		Tasks: []message.CardTask{{ID: "17", Name: "3-1", Production: true, Used: []float64{0.5, 0.25}}},
	}}, Task: "17"}
	line := inspect.Line{At: 6_000_000, Text: "node 4 asks node 7"}
	decision := inspect.Decision{
		ID: "17", Task: "3-1", At: 6_000_000, From: -1, To: 7, Forced: true, Ref: 12,
		Candidates: []inspect.DecisionCandidate{{
			Node: 7, Score: 0.25, Answer: "chosen", Name: "site 1",
			Reason: "offered 5", After: []float64{0.5, 0.75}, Class: "tight (TA)",
		}}, Summary: "It went to site 1.",
		Rule: "the lowest price", Ranked: true,
		Messages: []system.Message{{
			At: 6_000_000, From: "broker", To: "node 7", Text: "take it",
			No: true, Minor: true,
		}},
	}
	conversation := system.Conversation{
		Messages: []system.Message{{
			At: 6_000_000, From: "site 1", To: "user 0", Text: "refuse",
			No: true, Minor: true,
		}},
		Rounds: []system.Round{{
			Item: "unit 1", Number: 1, AskingPrice: 7.5,
			Bids: []system.Bid{{By: "site 1", Price: 5, Reason: "it is full"}},
		}},
		Deals: []system.Deal{{Item: "unit 1", By: "site 1", Price: 5}}, Unit: "credits", Outcome: "All is bought.",
		Over:    true,
		Choices: []system.Choice{{Name: "Approve", Fault: "offer_approved", Target: "user.0", Value: 12}},
	}
	estimated := &message.SweepFigure{
		Name:     "a",
		Estimate: message.Estimate{N: 3, Mean: 0.5, SD: 0.125, Low: half(), High: half()},
	}
	apart := &message.SweepFigure{
		Name:     "a",
		Estimate: message.Estimate{N: 3, Mean: 0.5, SD: 0.125, Low: half(), High: half(), Verdict: "higher"},
	}
	trouble := message.NewTrouble{Trouble: message.Trouble{
		Class:    "bad-line",
		Sentence: "a.csv, line 3, column \"time\": \"x\" is no number", File: "a.csv", Line: 3, Column: "time",
		Value: "x",
	}}
	return []union{
		{"ToWorker", "What the page asks of the run's worker.", []message.Message{
			message.Open{
				Scenario: scenario, Choices: message.Buffer([]byte{5, 6}),
				Files: []message.File{{Part: 1, Name: "part-00000-of-00500.csv.gz", Size: 3_000_000_000}}, Any: true,
				At: 60_000_000, Play: true, Room: &room,
			},
			message.LookAtTable{
				File: message.File{Part: 0, Name: "part-00000-of-00500.csv.gz", Size: 3_000_000_000},
				Map:  "submit=begin, runtime=elapsed:min",
			},
			message.Play{},
			message.Pause{},
			message.Step{},
			message.Speed{Speed: 600},
			message.SlowHealing{On: true},
			message.Seek{At: 60_000_000},
			message.Switch{Branch: 1},
			message.Inspect{Node: 4711, Follow: &followed},
			message.NearbyNodes{Nodes: []unit.NodeID{4711, 4712}, Task: "17", Hold: true},
			message.Formulas{Where: "rack == 3", Score: "-after.cpu / cpu.capacity", Task: "17"},
			message.Graph{Number: 12},
			message.Explain{Task: "18446744073709551615"},
			message.ReadStory{Ref: 12},
			message.Fault{Fault: "mail_loss", Target: "mail", Value: 0.25},
			message.Cancel{},
			message.Room{Room: room},
			message.Draw{
				Width: 972, Height: 474, Scale: 1.5, Look: look,
				Camera: message.Camera{X: -0.5, Y: 2.25, Zoom: 4}, Cell: -1, Selected: 7,
			},
			picture,
			message.Compare{Figures: [][]message.Sample{{{Seeds: []int{0, 1}, Values: []float64{0.5, 0.25}}}}},
		}, message.ToWorker},
		{"FromWorker", "What the run's worker says.", []message.Message{
			remote.Ready{
				Engine: "0.1.0", Systems: []system.Description{described()},
				Names: []message.Name{{
					Name: "cpu.free", Unit: "a share of a machine",
					About: "CPU that nothing uses",
				}},
			},
			message.Opened{
				Scenario: scenario, HasMachines: true, Shape: "tasks",
				Choices: []string{"machines assumed: 16"}, Layers: layers, Layout: layout, Files: []message.FileSummary{
					{
						File: "part-00000-of-00500.csv.gz", Format: "google2011/task_events", Label: "task events, part 0",
						SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", Rows: 450_146,
						Bad: 2, Bytes: 3_000_000_000, Held: &message.Held{
							Of: "rows", Rows: 450_148, Played: 450_146,
							LeftOut:  []message.HeldCount{{About: "bad rows", Count: 2, First: "line 3 is short"}},
							Repaired: []message.HeldCount{}, Jobs: 7, Processors: 100, First: 600 * unit.Second,
							End: 5000 * unit.Second,
						},
					},
				},
			},
			message.NewLayout{Layout: layout},
			message.NewScenario{Scenario: scenario},
			message.Branches{Branches: []message.Branch{
				{Parent: -1, Scenario: scenario},
				{
					At: 360_000_000, Act: "rack_down", Target: "rack.137", Value: 0.5, Shared: 1, Head: 420_000_000,
					Scenario: scenario,
				},
			}, Current: 1},
			picture,
			message.Picture{Width: 1, Height: 1, Buffer: message.Buffer([]byte{1, 2, 3, 255})},
			message.Columns{
				Reset: true, At: []unit.Time{60_000_000},
				Columns: []message.Column{{ID: "idle_pct", Name: "Idle nodes", Unit: "%", Values: []float64{12.5}}},
			},
			message.NewStatus{Status: message.Status{
				At: 60_000_000, Until: 3_600_000_000, Playing: true, Ended: true, Speed: 60, Slowed: 2, Reached: 59.5,
				Possible: 6000.5, Events: 9_007_199_254_740_991,
				EventsPerSecond: 1e6, Memory: 1 << 31, Digest: "0123456789abcdef",
				Present: map[string]float64{"waiting": 2}, Counts: map[string]float64{"running": 3},
			}},
			remote.Node{Report: inspect.NodeReport{
				Node: 4, Name: "4711", Rack: 1, Up: true, Class: "tight", Capacity: []float64{0.5, 0.25},
				Used: []float64{0.25, 0.125}, Requested: []float64{0.5, 0.25}, Production: []float64{0, 0},
				Tasks: []inspect.TaskReport{{
					ID: "17", Name: "3-1", Production: true, Priority: 9, State: "running",
					Used: []float64{0.25, 0.125}, Requested: []float64{0.5, 0.25}, ImageMB: 12.5, Share: half(),
					Yield: half(),
				}},
				More: 1, Lines: []inspect.Line{line},
				Jobs: []inspect.NodeJob{{
					ID: "18", Name: "unit 1", Decided: true, Here: 16, Processors: 64,
					Started: 5_000_000, Until: 9_000_000,
				}},
				MoreJobs: 2, Facts: []system.Fact{{Name: "Site", Value: "site 1"}},
			}, Followed: &followed},
			cards,
			message.LevelOfDetail{Left: 2},
			message.Scored{
				Wrong: []message.WrongFormula{{
					Of: "where", Column: 3,
					Sentence: "no column is named cpu.fre: did you mean cpu.free?",
				}},
				Keep: message.Buffer([]byte{1, 0}), Kept: 1, Low: -0.5, High: 0.25, Ends: []float64{-0.75, 0.25},
				Unit: "a plain number", Task: "3-1",
				Best: []message.ScoredNode{{Node: 0, Score: 0.25, After: []float64{0.5, 0.75}}},
			},
			remote.Lines{
				Lines: []inspect.Line{line},
				Story: []inspect.Counted{{
					Kind: 3, Count: 31, Since: 5 * unit.Second, At: 9 * unit.Second, Truncated: true,
					Lines: []inspect.Line{line},
				}},
			},
			remote.Incidents{Incidents: []inspect.Incident{{
				At: 360_000_000, Subject: "Rack 137", Rack: 137, Node: 6576,
				Nodes: 48, Whole: true, Back: 1, Lost: 489, Results: 3, Again: 402, Ended: 2, First: 900_000,
				Half: 6_200_000, Last: 21_400_000, Healed: 500_000_000, Over: 21_500_000, Moves: 41,
				Moved: 38_000_000_000, Missed: 1, Yield: 0.6, LowestYield: 0.5, Refunds: 2, Refunded: 81.5,
				Summary: "489 tasks were displaced.", Cost: "489 tasks stopped.",
			}}},
			message.Progress{Files: []message.FileProgress{{
				File: "a.csv", Format: "google2011/task_events",
				Bytes: 1, Total: 2, Rate: 1e6, Rows: 3,
			}}, Phase: "reading", Done: 1, Total: 2},
			remote.Decision{Task: "17", Decision: &decision, Reason: "too long ago", Done: 1_000_000, Of: 6_000_000},
			message.Compared{Figures: []message.ComparedFigure{{
				Values:      []message.Estimate{estimated.Estimate},
				Differences: []message.Estimate{apart.Estimate},
			}}},
			remote.Story{Story: inspect.Story{
				Ref: 12, Task: "17", Lines: []inspect.Line{line}, Decision: &decision,
				Conversation: &conversation,
			}},
			remote.Accounts{Accounts: []system.Account{{
				Party: "site 1", Role: "resource agent", Node: 7, Balance: 5,
				Received: 6, Paid: 1, Pending: 2.5, Deals: 3,
			}}, Rest: 4},
			remote.Graphs{Graphs: []system.GraphTask{{
				Number: 12, Name: "3-1", Arrived: 1, Deadline: 9_000_000,
				State: "working", Subtasks: 40, Taken: 7, Done: 20, Agents: 5,
			}}, Rest: 4},
			message.GraphPicture{
				Number: 12, Over: true, Shape: true, Depth: message.Int32s([]int32{0, 1}),
				From: message.Int32s([]int32{0}), To: message.Int32s([]int32{1}),
				Agents: message.Int32s([]int32{-9, -1}),
			},
			message.Course{
				Reset: true, Whole: true, Kinds: []string{"load_arrived"},
				Marks: message.Float64s([]float64{1, 0, 2, 1, 0.5}), Figures: map[string]any{"rounds": 7},
			},
			trouble,
			message.Table{
				Reason: "it has no line of names", Comma: ";", Decimal: ",",
				Columns: []message.TableColumn{{
					Name: "Dauer", Values: []string{"1,5", "2"}, Field: "runtime",
					Unit: "min", Reads: "min", Guess: true,
				}},
				Fields: []string{"submit", "runtime"}, Units: []string{"s", "min"}, Asks: "is a table without submit",
				Rows: 400, Whole: true, Played: 396, Widest: 512, First: 5_000_000, Last: 9_000_000,
				Jobs: []message.TableJob{{
					Number: 4711, Wait: -1, Run: 90_000_000, Asks: 120_000_000,
					Processors: 16,
				}},
				LeftOut: []message.HeldCount{{About: "bad rows", Count: 2, First: "line 3 is short"}},
				Bad:     "line 3 is short",
			},
			message.Cancelled{},
			remote.Ended{
				Digest: "0123456789abcdef",
				Report: run.Report{
					Engine: "0.1.0", Digest: "0123456789abcdef",
					Metrics: map[string]float64{"idle_pct": 12.5}, System: map[string]any{"tasks_placed": 3},
					Warnings: []string{},
				},
			},
		}, nil},
		{
			"ToWhole", "What the page tells first to a worker that has the whole program.",
			[]message.Message{message.Begin{Mode: "plan"}},
			message.ToWhole,
		},
		{
			"ToLab",
			"What the page asks of the lab, which works in a worker of its own: an experiment keeps its thread for seconds, and ending that worker is how to cancel.",
			[]message.Message{
				message.RunExperiment{ID: "negotiation/scale", Seeds: 3, Nodes: 100},
			},
			message.ToLab,
		},
		{"ToPlanner", "What the page asks of the planner, in a worker of its own as well.", []message.Message{
			message.MakePlan{
				Planner: "graph", Algorithm: "heft", Name: "a.dax", Document: "{}",
				Equal: message.Equal{Processors: 4, Bandwidth: 1e6, Latency: 0.5},
			},
			message.ReadPlatform{Name: "cluster.xml", Text: "a platform", Master: "host0", Flops: 1e9, Bytes: 1e6},
		}, message.ToPlanner},
		{
			"ToSweep", "What the page asks of a sweep's table, in a worker of its own; the runs are played by others.",
			[]message.Message{
				message.ReadSweep{
					Document: "{}",
					Systems:  []message.SweepSystem{{ID: "central", Settings: []string{"policy"}}},
				},
				message.ReadResults{Name: "results.jsonl", Text: "{}"},
				message.TakeRuns{Runs: 2},
				message.RunDone{
					ID: "0123456789abcdef0123456789abcdef", Runs: 1,
					Report: json.RawMessage(`{"digest":"0123456789abcdef"}`), WallS: 0.5, Reason: "w",
				},
				message.TabulateSweep{Metric: "overloaded_pct"},
				message.LookAtCell{Cell: 3},
				message.SaveSweep{Content: "csv"},
				message.Cancel{},
			},
			message.ToSweep,
		},
		{
			"ToCluster",
			"What the page asks about a Kubernetes cluster, in a worker of its own: a large cluster keeps its thread for seconds, and ending that worker is how to cancel.",
			[]message.Message{
				message.ReadDump{Files: []message.File{{
					Part: 0, Name: "part-00000-of-00500.csv.gz",
					Size: 3_000_000_000,
				}}},
				message.AskCluster{
					Question: "drain", Configs: []message.NamedText{{Name: "scheduler.yaml", Text: "profiles: []"}},
					Prices:   &message.NamedText{Name: "prices.csv", Text: "type,price"},
					Against:  &message.NamedText{Name: "last.json", Text: "{}"},
					EmptyDir: true, Force: true, Control: true, By: "zone", Names: []string{"a"}, NotReady: true,
					Pod: "shop/web",
					Usage: []message.PodsUsage{{File: message.File{
						Part: 0, Name: "part-00000-of-00500.csv.gz",
						Size: 3_000_000_000,
					}, Resource: "cpu"}},
				},
				message.SumDump{},
				message.SaveAnswer{Question: "drain", As: "markdown"},
				message.WatchPlay{Question: "drain", Document: 1},
				message.WhyHere{Question: "drain", Document: 1, Shot: 12},
			},
			message.ToCluster,
		},
		{"FromLab", "What the lab says.", []message.Message{
			message.Experiments{Experiments: []message.Experiment{{
				ID: "a", Title: "A", Source: "table 1",
				Seconds: 2,
			}}},
			message.Running{ID: "a", Doing: "seed 1", Runs: 1, Seconds: 0.5},
			papers.Paper{Result: paper.Result{
				ID: "a", Source: "table 1",
				Seeds: 3, Rows: []paper.Row{{
					Name: "x", Paper: half(), Measured: 0.5, Spread: 0.125,
					Interval: &evidence.Interval{Low: 0.25, High: 0.75}, Unit: "%", Rule: "at most 1", Holds: yes(),
					Note: "n", Seeds: 3, Trials: 60, Method: "ours",
				}},
			}, Seconds: 2},
			trouble,
		}, nil},
		{"FromPlanner", "What the planner says; the first is which algorithms it knows.", []message.Message{
			planner.Planners(),
			planner.Plan{
				Planner: "load", Algorithm: "best", WallUS: 12.5,
				Load: &plan.Result{
					Algorithm: "umr2", Policy: "speed", Order: []int{1}, Rounds: 1,
					Chunks: [][]float64{{10}}, Predicted: 2, Makespan: 2, Bound: 1.5, IdlePct: 25, Warning: "w",
				},
				Jobs: &solve.Result{
					Algorithm: "exact", Feasible: true, MinYield: 0.5, AvgYield: 0.75, Bound: 0.5,
					Proven: true, Place: [][]int{{0, 1}}, CPU: [][]float64{{0.5, 0.5}},
				},
				Graph: &planner.Graph{
					Result: schedule.Result{
						Algorithm: "heft", Makespan: 8,
						Figures: schedule.Figures{
							SLR: 1.5, Speedup: 2, Efficiency: 0.5, BoundS: 4, Travelled: 1e6,
							IdlePct: 12.5,
						},
						Schedule: []schedule.Row{{Task: "a", Slot: schedule.Slot{Processor: 1, Start: 0.5, Finish: 2}}},
					},
					Tasks: 1, Arcs: 2, Processors: 4, Format: "DAX", Notes: []string{"n"},
				},
				Reason: "none", Timeline: &message.Timeline{
					Worker: message.Int32s([]int32{1}), Round: message.Int32s([]int32{0}),
					SendStart: message.Float64s([]float64{0}), SendEnd: message.Float64s([]float64{1}),
					ComputeStart: message.Float64s([]float64{1}), ComputeEnd: message.Float64s([]float64{2}),
				},
			},
			planner.Platform{
				Name: "cluster.xml", Load: 10,
				Workers: []plan.Worker{{Speed: 50, Bandwidth: 100, CompLatency: 0.1, CommLatency: 0.1}},
				Names:   []string{"host1"}, Hosts: []string{"host0", "host1"}, Master: "host0", Notes: []string{"n"},
				Reason: "w",
			},
			trouble,
		}, nil},
		{"FromSweep", "What the sweep says.", []message.Message{
			message.SweepRead{
				Name: "a", Runs: 12,
				Groups: []message.SweepAxis{{Name: "settings.policy", Values: []string{"best-fit"}}}, Seeds: 3,
				Compare: "settings.policy best-fit", Goal: "stop", Nodes: 100, Files: []string{"e3b0"},
			},
			message.RunsToPlay{Runs: []message.RunToPlay{{
				ID: "0123456789abcdef0123456789abcdef", Scenario: scenario,
				Where: "settings.policy best-fit, seed 3",
			}}, Over: true},
			message.SweepTable{
				Runs: 12, Done: 3, Metrics: []string{"a"}, Metric: "a",
				Cells: []message.CellFigure{{Figure: estimated, Difference: apart, None: 1, All: 2}},
				Notes: []string{"n"},
			},
			message.SweepCell{
				Cell: 3, Where: "settings.policy best-fit", Figures: []message.SweepFigure{*estimated},
				Differences: []message.SweepFigure{*apart},
				Runs:        []message.CellRun{{Seed: 3, Digest: "0123456789abcdef", Scenario: scenario}},
			},
			message.SavedFile{Name: "table.csv", MediaType: "text/csv", Text: "a"},
			message.Cancelled{},
			trouble,
		}, nil},
		{"FromCluster", "What is said about a Kubernetes cluster.", []message.Message{
			message.Reading{File: "dump.json.gz", Bytes: 1, Total: 3, Text: 20},
			message.DumpRead[question.Summary]{
				Name: "dump.json.gz", Bytes: 3, WallUS: 12.5, Sentence: "1 node.",
				Resources: [][]string{{"cpu", "4 cores", "1 core", "0 cores"}}, Labels: []string{"rack"},
				Owners: []string{"shop/web"},
				Nodes: []message.DumpNode{{
					Name: "a", Zone: "z", Type: "m", GPU: "L4",
					Pods: 3, Parts: []int{250, 500, -1}, State: "cordoned",
				}},
				Summary: question.Summary{
					Kinds: []question.KindCount{{Kind: "Node", Count: 1}}, Namespaces: 1,
					Unmodelled: []question.Absence{{
						Feature: "pods of another scheduler", Count: 1,
						Pods: []string{"shop/web-1"},
					}},
					Nodes: question.NodeCounts{
						Count: 1, Ready: 1, Zones: []question.Alike{{Name: "z", Nodes: 1}},
						Types: []question.Alike{{Name: "m", Nodes: 1}}, GPUs: []question.Alike{{Name: "L4", Nodes: 1}},
					},
					Resources: []question.ResourceTotal{{Resource: "cpu", Allocatable: 4000, Requested: 1000}},
				},
			},
			message.Asking{Doing: "zone a", Done: 1, Of: 3},
			message.DumpSums{Files: []message.FileSum{{File: "dump.json.gz", SHA256: "e3b0"}}},
			message.ClusterAnswer{
				Question: "drain", WallUS: 12.5, Digest: "0123456789abcdef", Nodes: []int{0},
				Documents: []message.ClusterDocument{{
					Title: "Which?", Sentence: "1 of 2.", Script: "kubectl", Method: []string{"One by one."},
					Play: "ends",
					Grids: []message.ClusterGrid{{
						Heading: "In this order", Columns: []string{"step", "node"},
						Numbers: []bool{true, false}, Rows: [][]string{{"1", "a"}}, More: 2,
					}},
				}},
			},
			message.ClusterPlay{
				Question:  "drain",
				Nodes:     []message.PlayNode{{Name: "a", Zone: "z", Absent: true, Cordoned: true, Silent: true}},
				Workloads: []string{"shop/web"}, Names: []string{"shop/web-1"}, Texts: []string{"evicted"},
				Kinds: []string{"deleted"}, Stop: 12.5, Reason: "a budget",
				PodNode: message.Int32s([]int32{0}), PodOf: message.Int32s([]int32{0}),
				PodLife: message.Uint16s([]uint16{3}), PodExempt: message.Uint16s([]uint16{0}),
				At: message.Float64s([]float64{1.5}), ShotKind: message.Uint16s([]uint16{0}),
				Pod: message.Int32s([]int32{0}), Node: message.Int32s([]int32{0}), From: message.Int32s([]int32{-1}),
				Of: message.Int32s([]int32{0}), Name: message.Int32s([]int32{0}), Text: message.Int32s([]int32{0}),
				Exempt: message.Uint16s([]uint16{0}),
			},
			message.SavedFile{Name: "drain.sh", MediaType: "text/x-shellscript", Text: "kubectl"},
			trouble,
		}, nil},
		{"ToView", "What the page tells the heatmap's frame.", []message.Message{
			message.Layers{Layers: layers},
			message.NewLayout{Layout: layout},
			picture,
			look,
			message.Camera{X: -0.5, Y: 2.25, Zoom: 4},
			message.Cursor{Cell: -1, Selected: 7},
			cards,
		}, message.ToView},
		{"FromView", "What the heatmap's frame says.", []message.Message{
			message.ViewReady{},
			message.Live{},
			message.Failed{Reason: "no WebGL 2"},
			message.LevelOfDetail{Left: 2},
			picture,
		}, nil},
	}
}
