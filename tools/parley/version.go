package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"parley/core/run"
	"parley/core/scenario"
	"parley/tools/parley/console"
)

// release and commit are set by make release; see tools/build/release.
var release, commit string

// built identifies this program.
type built struct {
	Release  string `json:"release"`  // empty for builds that are not releases
	Commit   string `json:"commit"`   // of the source; empty: unknown
	Engine   string `json:"engine"`   // runs of one engine have one digest
	Scenario int    `json:"scenario"` // the version of scenarios and links that it writes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print release, commit and engine of this program",
		Long:    "Prints the release and the commit that this program was built from, the engine's version, under which the same scenario and seed have the same digest, and the version of scenarios and links that it writes. SECURITY.md says what these versions promise.",
		Example: "  parley version\n  parley version --json",
		Args:    console.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			b := thisProgram()
			if asJSON {
				text, err := json.MarshalIndent(b, "", "  ")
				if err == nil {
					_, err = fmt.Fprintln(c.Out, string(text))
				}
				return err
			}
			for _, row := range [][2]string{
				{"release", or(b.Release, "none: built from source")},
				{"commit", or(b.Commit, "unknown")},
				{"engine", b.Engine},
				{"scenario", fmt.Sprint(b.Scenario)},
				{"go", b.Go},
				{"platform", b.Platform},
			} {
				fmt.Fprintf(c.Out, "%-8s  %s\n", row[0], row[1])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func thisProgram() built {
	b := built{
		Release: release, Commit: commit, Engine: run.Engine, Scenario: scenario.Version, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	return b
}
