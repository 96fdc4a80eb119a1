package paper

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/core/paper/board"
	"parley/core/paper/gpu"
	"parley/core/paper/market"
	"parley/core/paper/rounds"
	"parley/core/paper/yield"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/unit"
)

// documents are the experiments: SYSTEM/NAME.json is the study SYSTEM/NAME.
//
//go:embed */*.json
var documents embed.FS

// Functions returns those that studies of papers can name.
func Functions() study.Functions { return Options{}.functions() }

// functions returns the functions of all papers, with the files of the options.
func (o Options) functions() study.Functions {
	all := study.Functions{
		"negotiation/cell": o.callCell, "negotiation/phases": o.callPhases,
		"negotiation/spikes": o.callSpikes, "negotiation/usage": o.callUsage, "batch/log": o.callLog,
	}
	var log market.Log
	if o.Trace != nil {
		log = o.machineLog
	}
	for _, own := range []study.Functions{
		board.Functions(o.boardFiles()), market.Functions(log), rounds.Functions(),
		yield.Functions(), gpu.Functions(o.Raw),
	} {
		maps.Copy(all, own)
	}
	return all
}

// boardFiles are the graphs of the user's files; nil without any.
func (o Options) boardFiles() *board.Files {
	if o.Trace == nil {
		return nil
	}
	return &board.Files{Source: o.Trace, Names: o.Files, Best: o.Best}
}

// Experiments lists all of them, by system.
func Experiments() (all []Experiment) {
	folders, err := documents.ReadDir(".")
	if err != nil {
		panic("paper: " + err.Error()) // they are part of the program
	}
	for _, folder := range folders {
		files, err := documents.ReadDir(folder.Name())
		if err != nil {
			panic("paper: " + err.Error())
		}
		for _, file := range files {
			id := path.Join(folder.Name(), strings.TrimSuffix(file.Name(), ".json"))
			text, err := documents.ReadFile(id + ".json")
			if err != nil {
				panic("paper: " + err.Error())
			}
			e, err := Document(id, text)
			if err != nil {
				panic("paper: " + err.Error()) // a test reads them all
			}
			all = append(all, e)
		}
	}
	return all
}

// Document returns the experiment of a study that names one of Functions.
func Document(id string, text []byte) (Experiment, error) {
	s, err := study.Parse(text, nil)
	if err != nil {
		return Experiment{}, fmt.Errorf("%s: %w", id, err)
	}
	if s.Function == "" {
		return Experiment{}, fmt.Errorf("%s plays scenarios and calls no function: give it to parley sweep", id)
	}
	if _, err := (Options{}).functions().Find(s.Function); err != nil {
		return Experiment{}, fmt.Errorf("%s: %w", id, err)
	}
	e := Experiment{ID: id, Title: s.Name, Source: s.Source, Seconds: s.Seconds, Claim: s.About}
	sized := s.Argument("nodes", &e.Nodes) // its claims are about that size
	e.Sized = sized || slices.ContainsFunc(s.Axes, func(a study.Axis) bool { return a.Path == "nodes" })
	s.Argument("known", &e.Known)
	e.Run = func(o Options) (Result, error) {
		result := Result{ID: id, Source: s.Source}
		files, only := "", ""
		if s.Argument("files", &files) && o.Trace == nil && o.Raw == nil {
			return result, NeedsFiles(files)
		}
		if s.Argument("only", &only); only == "generated" && o.Trace != nil {
			return result, fmt.Errorf("%s plays generated cells alone: leave --trace out", id)
		}
		if s.Function == board.PlaysFiles {
			n, err := o.boardFiles().Graphs()
			if err != nil {
				return result, err
			}
			if o.Seeds <= 0 || o.Seeds > n {
				o.Seeds = n // each plays a graph
			}
		}
		own, err := e.sized(s, o)
		if err != nil {
			return result, err
		}
		have := o.Kept
		if have == nil || o.Trace != nil { // the key of a result does not cover the content of files
			have, o.Keep = study.NewResults(cluster.Engine), nil
		}
		p := study.Player{
			Functions: o.functions(), Each: o.Each,
			Report: func(doing string) error { return o.tell("%s", doing) }, Keep: o.Keep,
		}
		if err := p.Play(own, have); err != nil {
			return result, err
		}
		result.Seeds = len(own.Seeds)
		if result.Rows, err = own.Judge(have); err != nil {
			return result, err
		}
		e.withhold(result.Rows, o)
		return result, nil
	}
	e.Again = func(recorded Result, o Options) (Result, []string, error) {
		o.Seeds = recorded.Seeds
		own, err := e.sized(s, o)
		if err != nil {
			return recorded, nil, err
		}
		var missing []string
		if recorded.Rows, missing, err = own.Again(recorded.Rows); err == nil {
			e.withhold(recorded.Rows, o)
		}
		return recorded, missing, err
	}
	return e, nil
}

// sized returns an experiment's study at the size that o names.
func (e *Experiment) sized(s *study.Study, o Options) (*study.Study, error) {
	changes := map[string]json.RawMessage{}
	if e.Nodes > 0 && o.Nodes > 0 {
		changes["nodes"] = fmt.Appendf(nil, "%d", o.Nodes)
	}
	if own := scenario.Duration(0); s.Argument("until", &own) && o.Until > 0 && o.Until < unit.Time(own) {
		changes["until"] = fmt.Appendf(nil, "%q", scenario.Duration(o.Until))
	}
	own, err := s.With(o.Seeds, changes)
	if err == nil && o.Nodes > 0 && e.Nodes == 0 {
		own, err = own.UpTo("nodes", float64(o.Nodes))
	}
	return own, err
}

// withhold takes the verdicts back where cells of another size were played than the paper speaks of.
func (e *Experiment) withhold(rows []Row, o Options) {
	if e.Nodes > 0 && o.Nodes > 0 && o.Nodes != e.Nodes && o.Trace == nil {
		evidence.Withhold(rows, fmt.Sprintf("cells of %d nodes were played, not of %d", o.Nodes, e.Nodes))
	}
}
