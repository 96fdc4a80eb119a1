package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
)

// changes are what a command line changes of its scenario.
type changes struct {
	system  string
	program string // name of a file
	set     []string
}

func (f *changes) addChanges(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.system, "system", "", "the system in place of the scenario's, with its own settings")
	cmd.Flags().StringVar(&f.program, "program", "", "a file with your own scheduler in Starlark, which plays in place of the scenario's system")
	f.addSet(cmd)
}

func (f *changes) addSet(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "change a field of the scenario, as in settings.policy=easy or window.warm_up=7d")
}

// none reports whether nothing is changed.
func (f *changes) none() bool { return f.system == "" && f.program == "" && len(f.set) == 0 }

// apply makes the changes. Another system begins with its defaults: settings of
// the scenario's own system are left out, with a warning.
func (f *changes) apply(d *document, systems run.Registry, files []string) error {
	id, policy, err := policyOf(f.system, systems)
	if err != nil {
		return err
	}
	if s := d.scenario; id != "" && s.System != id {
		if len(s.Settings) > 0 {
			d.warnings = append(d.warnings, fmt.Sprintf("--system %s: the scenario's settings of %s were left out", f.system, s.System))
		}
		if lost := systems.Loses(s, id); lost != "" && len(files) == 0 {
			d.warnings = append(d.warnings, fmt.Sprintf("--system %s: %s", f.system, lost))
		}
		s.SetSystem(id)
	}
	if policy != "" {
		if d.scenario, err = d.scenario.Set([]string{policy}); err != nil {
			return err
		}
	}
	if err := f.readProgram(d.scenario, systems); err != nil {
		return err
	}
	if len(f.set) == 0 {
		return nil
	}
	s, err := d.scenario.Set(f.set)
	if err != nil {
		return wrongUse{fmt.Errorf("--set: %w", err)}
	}
	d.scenario = s
	d.endless = d.endless && !slices.ContainsFunc(f.set, func(c string) bool { return strings.HasPrefix(c, "until=") })
	return nil
}

// policyOf splits such as central.worst-fit into a system and the change of its first setting
// that chooses the policy; without a point there is none.
func policyOf(name string, systems run.Registry) (id, change string, err error) {
	id, policy, found := strings.Cut(name, ".")
	if !found {
		return name, "", nil
	}
	e, err := systems.Find(id)
	if err != nil {
		return "", "", wrongUse{fmt.Errorf("--system %s: %w", name, err)}
	}
	if len(e.Settings) == 0 || len(e.Settings[0].Choices) == 0 {
		return "", "", wrongUse{fmt.Errorf("--system %s: %s has no policies to choose from; write --system %s", name, id, id)}
	}
	if lead := e.Settings[0]; slices.Contains(lead.Choices, policy) {
		return id, "settings." + lead.ID + "=" + policy, nil
	}
	return "", "", wrongUse{fmt.Errorf("--system %s: %s is %q: choose one of %s", name, e.Settings[0].ID, policy, strings.Join(e.Settings[0].Choices, ", "))}
}

// readProgram makes the text of a file the scenario's program, and its system the one
// that reads programs.
func (f *changes) readProgram(s *scenario.Scenario, systems run.Registry) error {
	if f.program == "" {
		return nil
	}
	text, err := os.ReadFile(f.program)
	if err != nil {
		return unreadable(f.program, err)
	}
	if len(text) == 0 {
		return fmt.Errorf("%s is empty: write def on_submit(task, cluster, state), or for rigid jobs def on_jobs(cluster, state)", f.program)
	}
	if e, err := systems.Find(s.System); err != nil || e.Program == nil {
		if f.system != "" {
			return wrongUse{fmt.Errorf("--system %s reads no program: leave --system out, or --program", f.system)}
		}
		for _, e := range systems {
			if e.Program != nil {
				s.SetSystem(e.ID)
			}
		}
	}
	s.Program = string(text)
	return s.Validate()
}

// readArguments returns the scenario that is the only argument, or one around
// the files of a trace where these are the arguments.
func (f *runFlags) readArguments(c *Console, args []string) (document, error) {
	if !f.isTrace(args[0]) {
		if len(args) > 1 {
			return document{}, wrongUse{fmt.Errorf("run takes one SCENARIO, and %q is more; see parley run --help", args[1])}
		}
		return readScenario(c, args[0], &f.tracing)
	}
	f.names = append(f.names, args...)
	return f.aroundFiles(c, f.system)
}

// aroundFiles returns a scenario of a system that plays files; where none is named, of
// the one that the files decide.
func (t *tracing) aroundFiles(c *Console, id string) (d document, err error) {
	id, _, _ = strings.Cut(id, ".") // apply chooses the policy
	if id == "" {
		if id, err = t.playerOf(c); err != nil {
			return d, err
		}
		d.warnings = append(d.warnings, chosenFor(id))
	}
	d.label, d.endless = filepath.Base(t.names[0]), true
	d.scenario, err = scenario.Parse(fmt.Appendf(nil, `{"v":%d,"system":%q}`, scenario.Version, id))
	return d, err
}

// playerOf returns the system that plays the files if none is chosen.
func (t *tracing) playerOf(c *Console) (string, error) {
	files, err := t.files()
	if err != nil {
		return "", err
	}
	known, err := t.formats()
	if err != nil {
		return "", err
	}
	source, err := trace.Open(files, known, t.options())
	if err != nil {
		return "", err
	}
	return c.Systems.PlayerOf(source), source.Close()
}

// chosenFor says which system the files decided.
func chosenFor(id string) string {
	return fmt.Sprintf("no system was chosen: the files are played by %s; --system chooses another", id)
}

// isTrace reports whether a file of this name is of a format that can be played.
func (t *tracing) isTrace(name string) bool {
	one := tracing{names: []string{name}, mapping: t.mapping}
	files, err := one.files()
	if err != nil || isLink(name) {
		return false
	}
	head, err := trace.ReadHead(files[0])
	if err != nil {
		return false
	}
	known, err := one.formats()
	if err != nil {
		return false
	}
	_, _, err = trace.Identify(head, known)
	return err == nil
}

// takeLogs moves the arguments that are files of a trace to the files of --trace.
func (t *tracing) takeLogs(args []string) (rest []string) {
	for _, arg := range args {
		if t.isTrace(arg) {
			t.names = append(t.names, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	return rest
}
