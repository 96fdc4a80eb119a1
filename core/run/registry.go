package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/core/feed"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/system/board"
	"parley/core/system/central"
	"parley/core/system/dispatcher"
	"parley/core/system/market"
	"parley/core/system/negotiation"
	"parley/core/system/recorded"
	"parley/core/system/rounds"
	"parley/core/system/static"
	"parley/core/system/yield"
	"parley/core/workload"
)

// Registry lists systems that can be run.
type Registry []system.Entry

// Systems returns the systems of this program. To add a system, add its Entry here.
func Systems() Registry {
	return append(Registry{negotiation.Entry(), central.Entry()}, yield.Entry(), rounds.Entry(), board.Entry(),
		static.Entry(), dispatcher.Entry(), market.Entry(), recorded.Entry())
}

// Offered returns those that can be chosen: the one that plays recorded acts comes with
// their file.
func (g Registry) Offered() Registry {
	return slices.DeleteFunc(slices.Clone(g), func(e system.Entry) bool { return e.Replays })
}

// First returns the systems of the page's first program: the system of its first scenario
// and the one that it is compared with. The others are loaded when they are chosen, and schedulers of
// rigid jobs with the readers of their files.
func First() Registry {
	return Registry{negotiation.Entry(), central.OfTasks()}
}

// Open is Registry.Open with this program's systems.
func Open(s *scenario.Scenario, source workload.Source, options ...Option) (*Run, error) {
	return Systems().Open(s, source, options...)
}

// programs is the ID of the system of users' programs, which package full adds.
const programs = "program"

// Find returns a system by its ID. The error for an unknown one lists those that can be chosen; users'
// programs are among them also where another program of the page plays them.
func (g Registry) Find(id string) (system.Entry, error) {
	if i := slices.IndexFunc(g, func(e system.Entry) bool { return e.ID == id }); i >= 0 {
		return g[i], nil
	}
	var names []string
	for _, e := range g.Offered() {
		names = append(names, e.ID)
	}
	if !slices.Contains(names, programs) {
		names = append(names, programs)
	}
	return system.Entry{}, fmt.Errorf("system is %q: choose one of %s", id, strings.Join(names, ", "))
}

// Descriptions returns the description of each of the systems, with the words of
// all systems behind its own.
func (g Registry) Descriptions() []system.Description {
	all := make([]system.Description, len(g))
	for i, e := range g {
		all[i] = e.Description
		all[i].Terms = append(slices.Clip(all[i].Terms), system.Terms()...)
	}
	return all
}

// PlayerOf returns the system that plays files if none is chosen: the first that schedules
// their kind of work, else the first that can convert it. If the files do not state their
// kind of work, it returns the first system; if they are recorded acts, the one that plays them.
func (g Registry) PlayerOf(source workload.Source) string {
	if source != nil && feed.OnlyActs(source) {
		if i := slices.IndexFunc(g, func(e system.Entry) bool { return e.Replays }); i >= 0 {
			return g[i].ID
		}
	}
	for _, fits := range []func(*system.Entry, workload.Source) bool{schedules, plays} {
		for i := range g {
			if fits(&g[i], source) {
				return g[i].ID
			}
		}
	}
	return g[0].ID
}

// schedules reports whether a system schedules the work of files unchanged.
func schedules(e *system.Entry, source workload.Source) bool {
	return plays(e, source) && (e.Files == nil || workload.HeaderOf(source).Machineless)
}

// plays reports whether a system can play the work of files. Jobs need processors, which
// only files and systems provide.
func plays(e *system.Entry, source workload.Source) bool {
	h := workload.HeaderOf(source)
	return slices.Contains(e.Supports, h.Shape) && !e.Replays &&
		(h.Shape != workload.ShapeJobs || e.Files != nil || !h.Machineless)
}

// StandIn returns the scenario to run when files are opened during another run, and sentences about the
// choice. It keeps the system, with settings adapted to the files, if that schedules their work; else it takes
// the one of PlayerOf. If no system can play them, it returns s, which Open then refuses.
func (g Registry) StandIn(s *scenario.Scenario, source workload.Source) (*scenario.Scenario, []string) {
	e, err := g.Find(s.System)
	shape := workload.HeaderOf(source).Shape
	if err != nil || shape == "" {
		return s, nil
	}
	own := *s
	if schedules(&e, source) {
		stated := ""
		if e.Adapt != nil {
			own.Settings, stated = e.Adapt(s.Settings, shape, false)
		}
		if stated == "" {
			return s, nil
		}
		return &own, []string{stated}
	}
	i := slices.IndexFunc(g, func(e system.Entry) bool { return e.ID == g.PlayerOf(source) })
	if i < 0 || g[i].ID == e.ID || !plays(&g[i], source) {
		return s, nil
	}
	own.SetSystem(g[i].ID)
	if plays(&e, source) {
		return &own, []string{fmt.Sprintf("the files have %s, so Parley uses %s instead of %s", shape, g[i].Name, e.Name)}
	}
	return &own, []string{fmt.Sprintf("%s cannot schedule the files' %s, so Parley uses %s", e.Name, shape, g[i].Name)}
}

// Loses returns a sentence about the work of s that the system other does not play, or "" if they play a
// kind of work in common or one of the two is unknown.
func (g Registry) Loses(s *scenario.Scenario, other string) string {
	own, err := g.Find(s.System)
	if err != nil {
		return ""
	}
	e, err := g.Find(other)
	if err != nil || slices.ContainsFunc(own.Supports,
		func(shape workload.Shape) bool { return slices.Contains(e.Supports, shape) }) {
		return ""
	}
	return fmt.Sprintf("%s plays %s only: the %s of the scenario are not played", e.Name, e.Supports[0], own.Supports[0])
}

// misplaced returns err, or a better error if the settings have a field that e lacks and other systems of g
// have: it names them. The first such field in alphabetical order counts.
func (g Registry) misplaced(e system.Entry, settings json.RawMessage, err error) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(settings, &given) != nil {
		return err
	}
	unknown := ""
	for name := range given {
		if !e.HasSetting(name) && (unknown == "" || name < unknown) {
			unknown = name
		}
	}
	var others []string
	for i := range g {
		if unknown != "" && g[i].HasSetting(unknown) {
			others = append(others, g[i].ID)
		}
	}
	if others == nil {
		return err
	}
	return fmt.Errorf("settings: %s has no %s, which is a setting of the system %s: choose that system, or leave the setting out", e.ID, unknown, strings.Join(others, " or "))
}

// unchangeable returns a sentence about the settings in may_change that the system does not have, or "" if
// it has them all.
func unchangeable(s *scenario.Scenario, e system.Entry) string {
	var names []string
	for _, path := range s.May {
		name, inside := strings.CutPrefix(path, "settings.")
		name, _, _ = strings.Cut(name, ".")
		if inside && !e.HasSetting(name) {
			names = append(names, path)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("may_change names %s, which the system %s does not have", strings.Join(names, ", "), e.ID)
}

// checkShape returns an error that names other systems if e does not support the kind of work of source. A
// source without a known kind passes.
func (g Registry) checkShape(e system.Entry, source workload.Source) error {
	shape := workload.HeaderOf(source).Shape
	if shape == "" || slices.Contains(e.Supports, shape) {
		return nil
	}
	var fit []string
	for _, other := range g {
		if slices.Contains(other.Supports, shape) && !other.Replays {
			fit = append(fit, other.ID)
		}
	}
	return fmt.Errorf("the system %s cannot schedule the files' %s: choose the system %s", e.ID, shape, strings.Join(fit, " or "))
}
