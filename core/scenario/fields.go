package scenario

import (
	"fmt"
	"strings"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Field describes a field of a scenario for people.
type Field struct {
	Path    string `json:"path"` // as Set and sweeps take it: "cluster.nodes"
	Type    string `json:"type"`
	Unit    string `json:"unit,omitempty"`
	Allowed string `json:"allowed,omitempty"` // range or choices
	Default string `json:"default,omitempty"` // empty: left out
	About   string `json:"about"`
}

// Fields describes the fields of a scenario in their order, those of cluster.physical
// included. The settings of systems are described by the systems.
func Fields() []Field {
	physical := cluster.Default()
	upTo := "up to " + Duration(MaxUntil).String()
	span := func(path, allowed, standard, about string) Field {
		return Field{Path: path, Type: "duration", Allowed: allowed, Default: standard, About: about}
	}
	whole := func(path, unit, allowed, standard, about string) Field {
		return Field{path, "whole number", unit, allowed, standard, about}
	}
	number := func(path, allowed, standard, about string) Field {
		return Field{Path: path, Type: "number", Allowed: allowed, Default: standard, About: about}
	}
	text := func(path, allowed, standard, about string) Field {
		return Field{Path: path, Type: "text", Allowed: allowed, Default: standard, About: about}
	}
	object := func(path, about string) Field { return Field{Path: path, Type: "object", About: about} }
	nodes := workload.DefaultGenerated().Nodes
	return []Field{
		whole("v", "", fmt.Sprint(Version), "", "version of the schema; required"),
		text("name", "", "", "name for people"),
		text("about", "", "", "a sentence for people"),
		text("system", fmt.Sprintf("at most %d bytes", maxText), "", "id of the system that schedules; required"),
		whole("seed", "", "0 or more", "0", "seed of all random numbers"),
		text("cluster.preset", "google2011", "google2011", "mix of machines of the generated cell"),
		whole("cluster.nodes", "", fmt.Sprintf("%d to %d", MinNodes, MaxNodes), fmt.Sprint(nodes),
			"nodes of the generated cell"),
		whole("cluster.physical.rack_size", "nodes", fmt.Sprintf("1 to %d", MaxNodes), fmt.Sprint(physical.RackSize),
			"nodes of a rack, where the workload names no racks"),
		whole("cluster.physical.site_racks", "racks", fmt.Sprintf("1 to %d", MaxNodes), fmt.Sprint(physical.SiteRacks),
			"racks of a site, where the workload names no sites"),
		whole("cluster.physical.link_speed", "bytes/s", fmt.Sprintf("%d to %d", unit.KB, 1000*unit.GB),
			fmt.Sprint(int64(physical.LinkSpeed)), "bandwidth that one migration gets"),
		whole("cluster.physical.dirty_rate", "bytes/s", "0 or more, below link_speed",
			fmt.Sprint(int64(physical.DirtyRate)), "memory that a running task rewrites while it migrates"),
		whole("cluster.physical.rack_delay_us", "µs", fmt.Sprintf("0 to %d", unit.Hour),
			"0", "time that a migration between racks takes longer"),
		text("cluster.physical.transfers", cluster.OnePort+", "+cluster.ContentionFree, physical.Transfers,
			"whether a node sends one result at a time or any number"),
		number("cluster.keep", "above 0, up to 1", "1", "share of the nodes that remain; 0.98 removes 2 % at random"),
		number("cluster.power.idle_w", fmt.Sprintf("0 to %v, at most busy_w", maxWatts),
			"0", "of a job log: watts that a node draws without a job"),
		number("cluster.power.busy_w", fmt.Sprintf("0 to %v, at least idle_w", maxWatts),
			"0",
			"of a job log: watts that a node draws with all processors busy, in proportion in between; 0: energy is not told"),
		number("cluster.power.off_w", fmt.Sprintf("0 to %v", maxWatts), "0",
			"watts that a node draws while it is off (batch.off switches nodes off)"),
		number("cluster.power.boot_w", fmt.Sprintf("0 to %v", maxWatts),
			"0", "watts that a node draws while it boots; 0: busy_w"),
		number("cluster.power.shutdown_w", fmt.Sprintf("0 to %v", maxWatts),
			"0", "watts that a node draws while it shuts down; 0: idle_w"),
		span("cluster.power.boot", "0s to 1d", "0s",
			"how long a node that is off takes to boot; a job that it was given to starts then"),
		span("cluster.power.shutdown", "0s to 1d",
			"0s", "how long a node takes to shut down; it boots again only when it is off"),
		{
			Path: "cluster.power.kinds", Type: "list",
			About: "kinds of nodes that draw something else: objects with nodes, such as 0-15, and the fields above; a kind takes no value from those of all nodes, and a field that it leaves out has its default",
		},
		text("workload.preset", "google2011, none", "google2011", "generated workload; none for a cell without tasks"),
		text("workload.production", workload.PaperProduction+", "+workload.TraceProduction, workload.PaperProduction,
			"how much of the generated cell production tasks request"),
		number("workload.scale", fmt.Sprintf("%v to %v", MinScale, MaxScale),
			"1", "number of tasks / recorded or generated number; above 1 duplicates some at random"),
		number("workload.rate", fmt.Sprintf("%v to %v, or 0", minRate, maxRate), "0",
			"gaps between the arrivals of a job log are divided by it; 0 and 1 keep them"),
		number("workload.load", fmt.Sprintf("%v to %v, or 0", minLoad, maxLoad), "0",
			"offered load of a job log or of its resample: gaps between arrivals are divided by the rate that gives it; 0 keeps them"),
		{
			Path: "workload.trace", Type: "list",
			About: "recorded files instead of a preset: objects of name, format and sha256",
		},
		{
			Path: "workload.skip_bad_rows", Type: "true or false", Default: "false",
			About: "whether rows that break the format of the trace are left out",
		},
		text("workload.map", fmt.Sprintf("at most %d bytes", maxMap), "",
			"which column of a table of jobs holds what, as in submit=begin_time, processors=ncpus (core/trace/jobtable/README.md)"),
		span("workload.jobs.from", upTo, "0s",
			"time of a job log or a trace at which the run begins; what was submitted earlier is left out"),
		span("workload.jobs.to", "after from, "+upTo+", or 0",
			"0s", "time of a job log or a trace from which on work is left out; 0 for the end"),
		whole("workload.jobs.every", "", fmt.Sprintf("1 to %d, or 0", maxEvery), "0",
			"keeps one job in n of those that the other fields choose, or of all of a trace of tasks; 0 and 1 keep all"),
		{Path: "workload.jobs.users", Type: "list", About: "numbers or names of the users whose jobs are played"},
		{Path: "workload.jobs.queues", Type: "list", About: "numbers or names of the queues whose jobs are played"},
		{
			Path: "workload.jobs.classes", Type: "list",
			About: "of a trace of tasks: batch, production; no class plays all",
		},
		whole("workload.jobs.min_processors", "", "0 or more", "0", "smallest jobs that are played"),
		whole("workload.jobs.max_processors", "", "min_processors or more, or 0", "0",
			"largest jobs that are played; 0 for no limit"),
		{
			Path: "workload.jobs.independent", Type: "true or false",
			About: "true: jobs do not wait for the preceding job that the log names",
		},
		text("workload.jobs.resample", ResampleWeeks+", "+ResampleUsers,
			"", "draws the jobs of a log at random with the seed: blocks of weeks, or users shifted by whole weeks"),
		whole("workload.jobs.block_weeks", "weeks", fmt.Sprintf("1 to %d, or 0", maxBlocks), "0",
			"length of the blocks of resample weeks; 0 for 1"),
		{
			Path: "workload.usage", Type: "text or object", Allowed: workload.MovingUsage + ", " + workload.CalmUsage,
			Default: workload.MovingUsage,
			About:   "model of what tasks use where no file recorded it; an object changes parameters of a model",
		},
		number("workload.day_swing", "0 or more, below 1", fmt.Sprint(workload.DefaultGenerated().Day),
			"how far arrivals of the generated cell rise and fall over a day"),
		text("workload.arrive", "submitted, scheduled", "submitted", "moment at which tasks of a trace arrive"),
		object("workload.graphs", "task graphs and the machines that compute them (core/workload/README.md)"),
		object("workload.system",
			"workload that only the system knows: a load, services, auctions (README of the system)"),
		object("settings", "settings of the system; a path names one: settings.policy"),
		text("program", fmt.Sprintf("at most %d bytes", MaxProgram), "",
			"text of the scheduler, of the system program (docs/programs.md); --program reads it from a file"),
		{
			Path: "faults", Type: "list", Allowed: fmt.Sprintf("at most %d", MaxFaults),
			About: "failures and repairs: objects of at, kind, target and value",
		},
		span("chaos.node_mtbf", "0, or 1m or more", "0s", "mean time between failures of one node; 0 for none"),
		span("chaos.rack_mtbf", "0, or 1m or more", "0s", "mean time between failures of one rack; 0 for none"),
		span("chaos.mttr", "above 0", "30m", "mean time to repair"),
		span("until", "above 0, "+upTo, "29d",
			"simulated time that is played; a trace without it is played to its end"),
		span("window.warm_up", upTo, "0s", "beginning of the run that means and figures of jobs leave out"),
		span("window.cool_down", upTo, "0s", "end of the run that means and figures of jobs leave out"),
		text("chart", fmt.Sprintf("at most %d bytes", maxChart),
			"",
			"a formula of the nodes that are up as a figure over time: mean, max, p95 or sum of it, as in p95(memory.used / memory.capacity); it changes no event (docs/formula.md)"),
		{
			Path: "notes", Type: "list", Allowed: fmt.Sprintf("at most %d", MaxNotes),
			About: "steps of a lesson: objects of at, text, focus (node.12, rack.3), show (a tab) and pause, in the order of time; they change no result",
		},
		{
			Path: "may_change", Type: "list", Allowed: fmt.Sprintf("at most %d", maxMay),
			About: "fields that a class may change, such as settings.fill or seed; the page locks the others, and parley grade names changes of others; it changes no result",
		},
		object("view", "what the page shows; it changes no result"),
	}
}

// LinkKeys describes the keys of a link, beside x.NAME for the settings of the system.
func LinkKeys() []Field {
	list := func(words []string) string { return strings.Join(words, ", ") }
	key := func(name, allowed, about string) Field {
		return Field{Path: name, Type: "text", Allowed: allowed, About: about}
	}
	return []Field{
		key("v", linkVersion, "version of the link"),
		key("s", "", "scenario of the gallery that the link starts from; "+DefaultBase+" if left out"),
		key("name", "", "name of the run"),
		key("sys", "", "id of the system"),
		key("n", "", "cluster.nodes"),
		key("seed", "", "seed"),
		key("f", "TIME.TARGET.KIND", "a fault, as in 6m.rack.137.down; once for each, empty for none"),
		key("may", "FIELD,FIELD", "may_change: the fields that a class may change"),
		key("fork", "", "number of the fault, from 1, that began this branch"),
		key("z", "", "a whole scenario, packed, where keys cannot say it"),
		key("need", "sha256:16 digits,name", "private trace files, separated by |"),
		key("at", "TIME", "simulated time that the sender saw"),
		key("d", "8 hex digits", "beginning of the digest at that time"),
		key("fill", "", "layer of the heatmap"),
		key("group", list(groups), "what nodes are grouped by"),
		key("sel", "node.N", "selected node"),
		key("p", list(places), "place of the page"),
		key("draw", list(drawings), "draws the heatmap without the renderer (2d), or with it although there is no graphics card (gl)"),
		key("embed", "1", "shows a part of the page alone, for a frame in another page"),
		key("show", list(shown), "parts that embed=1 shows, separated by commas; map if left out"),
		key("paused", "1", "opens the run paused"),
		key("present", "1", "shows a lesson in large type"),
		key("filter", "", "filter of the nodes: rack 14, down, cpu > 90, or a formula"),
		key("score", "", "formula that fills the cells, with fill=formula"),
		key("pal", list(palettes), "colours of the cells"),
		key("scale", "full", "lets the colours run from 0 to 100 %"),
		key("cam", "node.N-ZOOM", "node in the middle, and the zoom"),
		key("speed", "1 or more, max", "simulated seconds per second"),
		key("tab", "", "tab of the drawer"),
		key("with", "", "systems that the run is compared with, as in central.best-fit+yield"),
		key("until", "TIME", "end of the comparison"),
		key("seeds", "", "seeds of the comparison"),
		key("run", "1", "starts the comparison"),
		key("beside", list(views), "how systems are shown side by side"),
		key("moment", "TIME", "simulated time of the views side by side"),
		key("card", "1", "shows the gallery's question about the scenario, with its answer"),
		key("ask", "",
			"packed question of the place Your cluster: its settings, the hashes of the dump's files and the answer's digest"),
	}
}
