// Package load turns arguments into runs: scenarios, links, files of a trace, changes on the command
// line, and the user's own schedulers.
package load

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
	"parley/tools/parley/console"
)

// Changes are the flags that change a scenario.
type Changes struct {
	System  string
	Program string // name of a file
	Set     []string
}

func (f *Changes) AddChanges(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.System, "system", "", "the system in place of the scenario's, with its own settings")
	cmd.Flags().StringVar(&f.Program, "program", "",
		"a file with your own scheduler in Starlark, which plays in place of the scenario's system")
	f.AddSet(cmd)
}

func (f *Changes) AddSet(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Set, "set", nil,
		"change a field of the scenario, as in settings.policy=easy or window.warm_up=7d")
}

// None reports whether there are no changes.
func (f *Changes) None() bool { return f.System == "" && f.Program == "" && len(f.Set) == 0 }

// Apply makes the changes. Another system begins with its defaults: settings of
// the scenario's own system are left out, with a warning.
func (f *Changes) Apply(d *Document, systems run.Registry, files []string) error {
	id, policy, err := policyOf(f.System, systems)
	if err != nil {
		return err
	}
	if s := d.Scenario; id != "" && s.System != id {
		if len(s.Settings) > 0 {
			d.Warnings = append(d.Warnings, fmt.Sprintf("--system %s: the scenario's settings of %s were left out",
				f.System, s.System))
		}
		if lost := systems.Loses(s, id); lost != "" && len(files) == 0 {
			d.Warnings = append(d.Warnings, fmt.Sprintf("--system %s: %s", f.System, lost))
		}
		s.SetSystem(id)
	}
	if policy != "" {
		if d.Scenario, err = d.Scenario.Set([]string{policy}); err != nil {
			return err
		}
	}
	if err := f.readProgram(d.Scenario, systems); err != nil {
		return err
	}
	if len(f.Set) == 0 {
		return nil
	}
	s, err := d.Scenario.Set(f.Set)
	if err != nil {
		return console.NewUsageError(fmt.Errorf("--set: %w", err))
	}
	d.Scenario = s
	d.Endless = d.Endless && !slices.ContainsFunc(f.Set, func(c string) bool { return strings.HasPrefix(c, "until=") })
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
		return "", "", console.NewUsageError(fmt.Errorf("--system %s: %w", name, err))
	}
	if len(e.Settings) == 0 || len(e.Settings[0].Choices) == 0 {
		return "", "", console.NewUsageError(fmt.Errorf("--system %s: %s has no policies to choose from; write --system %s",
			name, id, id))
	}
	if lead := e.Settings[0]; slices.Contains(lead.Choices, policy) {
		return id, "settings." + lead.ID + "=" + policy, nil
	}
	return "", "", console.NewUsageError(fmt.Errorf("--system %s: %s is %q: choose one of %s", name, e.Settings[0].ID,
		policy, strings.Join(e.Settings[0].Choices, ", ")))
}

// readProgram makes the text of a file the scenario's program, and its system the one
// that reads programs.
func (f *Changes) readProgram(s *scenario.Scenario, systems run.Registry) error {
	if f.Program == "" {
		return nil
	}
	text, err := os.ReadFile(f.Program)
	if err != nil {
		return console.Unreadable(f.Program, err)
	}
	if len(text) == 0 {
		return fmt.Errorf(
			"%s is empty: write def on_submit(task, cluster, state), or for rigid jobs def on_jobs(cluster, state)",
			f.Program,
		)
	}
	if e, err := systems.Find(s.System); err != nil || e.Program == nil {
		if f.System != "" {
			return console.NewUsageError(fmt.Errorf("--system %s reads no program: leave --system out, or --program",
				f.System))
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

// AroundFiles returns a scenario that plays files under a system; if id is "", the files determine
// the system.
func (t *Trace) AroundFiles(c *console.Console, id string) (d Document, err error) {
	id, _, _ = strings.Cut(id, ".") // apply chooses the policy
	if id == "" {
		if id, err = t.playerOf(c); err != nil {
			return d, err
		}
		d.Warnings = append(d.Warnings, chosenFor(id))
	}
	d.Label, d.Endless = filepath.Base(t.Names[0]), true
	d.Scenario, err = scenario.Parse(fmt.Appendf(nil, `{"v":%d,"system":%q}`, scenario.Version, id))
	return d, err
}

// playerOf returns the system that plays the files if none is chosen.
func (t *Trace) playerOf(c *console.Console) (string, error) {
	files, err := t.Files()
	if err != nil {
		return "", err
	}
	known, err := t.Formats()
	if err != nil {
		return "", err
	}
	source, err := trace.Open(files, known, t.Options())
	if err != nil {
		return "", err
	}
	return c.Systems.PlayerOf(source), source.Close()
}

// chosenFor returns a note about the system that the files determined.
func chosenFor(id string) string {
	return fmt.Sprintf("no system was chosen: the files are played by %s; --system chooses another", id)
}

// IsTrace reports whether a file of this name is of a format that can be played.
func (t *Trace) IsTrace(name string) bool {
	one := Trace{Names: []string{name}, mapping: t.mapping}
	files, err := one.Files()
	if err != nil || IsLink(name) {
		return false
	}
	head, err := trace.ReadHead(files[0])
	if err != nil {
		return false
	}
	known, err := one.Formats()
	if err != nil {
		return false
	}
	_, _, err = trace.Identify(head, known)
	return err == nil
}

// TakeTraces moves the arguments that are files of a trace to the files of --trace.
func (t *Trace) TakeTraces(args []string) (rest []string) {
	for _, arg := range args {
		if t.IsTrace(arg) {
			t.Names = append(t.Names, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	return rest
}
