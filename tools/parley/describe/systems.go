package describe

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/tools/parley/console"
)

// SystemsCommand returns parley systems.
func SystemsCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "systems [ID]",
		Short: "List the systems, or one's settings, agents, faults and figures",
		Long:  "Without an ID lists the systems. With an ID prints the description of that system: each setting with its meaning, default and range, its agents and their faults, its own figures and layers.",
		Example: `  parley systems
  parley systems negotiation`,
		Args: console.Args(0, 1, "one ID at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			systems := c.Systems
			if len(args) == 0 {
				if asJSON {
					return console.PrintJSON(c.Out, systems.Descriptions())
				}
				listSystems(c.Out, systems)
				return nil
			}
			entry, err := systems.Find(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return console.PrintJSON(c.Out, entry.Description)
			}
			printSystem(c.Out, entry.Description)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the descriptions as JSON")
	return cmd
}

func listSystems(w io.Writer, systems run.Registry) {
	var t console.Table
	t.Add("system", "", "schedules")
	for _, e := range systems {
		t.Add(e.ID, e.Name, shapes(e.Description))
	}
	t.Left(1)
	t.Left(2)
	t.Print(w)
}

func shapes(d system.Description) string {
	words := make([]string, len(d.Supports))
	for i, shape := range d.Supports {
		words[i] = string(shape)
	}
	return strings.Join(words, ", ")
}

// printSystem writes a description for people.
func printSystem(w io.Writer, d system.Description) {
	fmt.Fprintf(w, "%s schedules %s\n\n%s\n", d.Name, shapes(d), d.About)
	if d.Paper != "" {
		fmt.Fprintf(w, "Source: %s\n", d.Paper)
	}
	switch d.Provides {
	case system.ProvidesAlways:
		fmt.Fprintln(w, "It brings machines and a workload of its own; workload.system of the scenario describes them.")
	case system.ProvidesOnRequest:
		fmt.Fprintln(w, "It makes a workload of its own where the scenario describes one in workload.system.")
	}
	printSettings(w, d.Settings)
	printAgents(w, d)
	section := func(title string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", title)
		t := console.Table{Rows: rows, Lefts: []int{1, 2}}
		t.Print(w)
	}
	var metrics, layers [][]string
	for _, m := range d.Metrics {
		metrics = append(metrics, []string{m.ID, m.Name, m.Unit})
	}
	for _, l := range d.Layers {
		about := l.Unit
		if l.Names != nil {
			about = strings.Join(l.Names, ", ")
		}
		layers = append(layers, []string{l.ID, l.Name, about})
	}
	section("Figures over time, beside those of every cluster", metrics)
	section("Layers of the map, beside those of every cluster", layers)
}

// widest is the maximum length of a list of choices in its column.
const widest = 60

// printSettings writes the settings under their headings, meaning last: a
// terminal that is too narrow breaks there.
func printSettings(w io.Writer, settings []system.Setting) {
	group := "-"
	var t console.Table
	var long []system.Setting // whose choices have a line of their own
	flush := func() {
		t.Left(1)
		t.Left(2)
		t.Left(3)
		t.Print(w)
		for _, s := range long {
			fmt.Fprintf(w, "%s is one of %s.\n", s.ID, s.Allowed())
		}
		t, long = console.Table{}, nil
	}
	for _, s := range settings {
		if s.Group != group {
			flush()
			heading := "Settings"
			if group = s.Group; group != "" {
				heading += ": " + strings.ToLower(group[:1]) + group[1:]
			}
			fmt.Fprintf(w, "\n%s\n", heading)
			t.Add("setting", "default", "range", "meaning")
		}
		allowed := s.Allowed()
		if len(allowed) > widest {
			allowed, long = fmt.Sprintf("one of %d", len(s.Choices)), append(long, s)
		}
		t.Add(s.ID, system.Decimal(s.Value), allowed, s.About)
	}
	flush()
}

func printAgents(w io.Writer, d system.Description) {
	if len(d.Agents) == 0 {
		return
	}
	fmt.Fprintf(w, "\nAgents, and faults beside %s\n", strings.Join(scenario.PhysicalFaults, ", "))
	var t console.Table
	for _, role := range d.Agents {
		many := "one"
		switch {
		case role.On != "":
			many = "one a " + role.On
		case role.Setting != "":
			many = "as many as " + role.Setting + " says"
		}
		t.Add(role.ID, many, faultsOf(role), role.About)
	}
	t.Left(1)
	t.Left(2)
	t.Left(3)
	t.Print(w)
}

func faultsOf(role system.Role) string {
	var words []string
	for _, kind := range role.Faults {
		word := kind.ID
		if kind.Revert != "" {
			word += "/" + kind.Revert
		}
		if kind.Target != role.ID {
			word += " of a " + kind.Target
		}
		if kind.Value != nil {
			word += " (" + strings.TrimSpace(kind.Value.String()+" "+kind.Unit) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
