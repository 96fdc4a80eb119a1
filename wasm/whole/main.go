//go:build js && wasm

// Command whole is everything that the page computes with beside its first scenario: all
// systems with the readers of files, the planners, the papers' experiments and the tables
// of sweeps. Each worker has one of these modes, which its first message names. An
// experiment or a plan keeps its thread for seconds: the page ends the worker to cancel.
package main

import (
	"parley/assets"
	"parley/core/message"
	papers "parley/core/paper/remote"
	"parley/core/planner"
	"parley/core/play/files"
	"parley/core/run"
	studies "parley/core/study/remote"
	"parley/core/trace/packed"
	"parley/wasm/bridge"
	"parley/wasm/host"
)

var modes = map[string]func(){
	"run":    func() { host.Start(run.Systems(), files.Reader{Unpack: packed.Open}) },
	"plan":   plan,
	"papers": experiment,
	"sweep":  sweep,
}

func main() {
	bridge.Listen(message.ToWhole, func(m message.Message, _ bridge.Parts) {
		mode := m.(message.Begin).Mode
		if begin, known := modes[mode]; known {
			begin()
		} else {
			bridge.Post(message.NewTrouble{Trouble: message.Trouble{
				Class:    "engine",
				Sentence: "the program has no mode " + mode,
			}})
		}
	})
	select {}
}

func plan() {
	bridge.Post(planner.Planners())
	bridge.Listen(message.ToPlanner, func(m message.Message, _ bridge.Parts) {
		bridge.Post(planner.Answer(m, bridge.Clock))
	})
}

func experiment() {
	bridge.Post(papers.Experiments())
	bridge.Work(message.ToLab, func(m message.Message, _ bridge.Parts, tell func(message.Message)) message.Message {
		return papers.Answer(m, bridge.Clock, func(doing message.Running) error {
			tell(doing)
			return nil
		})
	})
}

func sweep() {
	desk := studies.New(assets.Scenario)
	bridge.Listen(message.ToSweep, func(m message.Message, _ bridge.Parts) {
		bridge.Post(desk.Answer(m))
	})
}
