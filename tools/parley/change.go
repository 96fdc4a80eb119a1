package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
)

// changes are what a command line changes of its scenario.
type changes struct {
	system string
	set    []string
}

func (f *changes) addChanges(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.system, "system", "", "the system in place of the scenario's, with its own settings")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "change a field of the scenario, as in settings.policy=easy or faults.0.at=5m")
}

// apply makes the changes. Another system begins with its defaults: settings of
// the scenario's own system are left out, with a warning.
func (f *changes) apply(d *document) error {
	if s := d.scenario; f.system != "" && s.System != f.system {
		if len(s.Settings) > 0 {
			d.warnings = append(d.warnings, fmt.Sprintf("--system %s: the scenario's settings of %s were left out", f.system, s.System))
		}
		s.System, s.Settings = f.system, nil
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

// readArguments returns the scenario that is the only argument, or one around
// the files of a trace where these are the arguments.
func (f *runFlags) readArguments(c *Console, args []string) (document, error) {
	if !isTrace(args[0]) {
		if len(args) > 1 {
			return document{}, wrongUse{fmt.Errorf("run takes one SCENARIO, and %q is more; see parley run --help", args[1])}
		}
		return readScenario(c, args[0])
	}
	if f.system == "" {
		var known []string
		for _, e := range c.Systems {
			known = append(known, e.ID)
		}
		return document{}, wrongUse{fmt.Errorf("%s is a file of a trace and no scenario: choose who plays it with --system, one of %s", args[0], strings.Join(known, ", "))}
	}
	f.names = append(f.names, args...)
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":%d,"system":%q}`, scenario.Version, f.system))
	return document{label: filepath.Base(args[0]), scenario: s, endless: true}, err
}

// isTrace reports whether a file of this name is of a format that can be played.
func isTrace(name string) bool {
	t := tracing{names: []string{name}, everyJob: 1}
	files, err := t.files()
	if err != nil || isLink(name) {
		return false
	}
	head, err := trace.ReadHead(files[0])
	if err != nil {
		return false
	}
	_, _, err = trace.Identify(head, formats.All)
	return err == nil
}
