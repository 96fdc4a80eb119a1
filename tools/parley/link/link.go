// Package link is parley link: it writes a scenario as a link.
package link

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley/core/scenario"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// Command returns parley link.
func Command(c *console.Console) *cobra.Command {
	page := ""
	var f load.Changes
	cmd := &cobra.Command{
		Use:   "link SCENARIO | link URL",
		Short: "Turn a scenario into a link, or a link into a scenario",
		Long:  `Prints the link that opens a scenario on the page, or the scenario file of a link. A link is the part of the page's address from # on. --system, --program and --set change the scenario as those of parley run do, and turn a link into another one.`,
		Example: `  parley link google-cell
  parley link google-calm --program policy.star
  parley link 'https://example.org/parley/#v=1&n=2000&seed=9&x.candidates=20'`,
		Args: console.Args(1, 1, "one SCENARIO or URL"),
		RunE: func(_ *cobra.Command, args []string) error {
			if load.IsLink(args[0]) && f.None() {
				return printScenario(c, args[0])
			}
			return printLink(c, args[0], page, &f)
		},
	}
	f.AddChanges(cmd)
	cmd.Flags().StringVar(&page, "page", "", "the page's address, which is put before #")
	return cmd
}

func printLink(c *console.Console, arg, page string, f *load.Changes) error {
	d, err := load.ReadScenario(c, arg, nil)
	if err != nil {
		return err
	}
	if err := f.Apply(&d, c.Systems, nil); err != nil {
		return err
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(c.Err, "parley: %s\n", w)
	}
	g, err := load.Gallery()
	if err != nil {
		return err
	}
	link := "#" + scenario.LinkTo(d.Scenario, g).Encode()
	switch {
	case len(link) > scenario.MaxLink:
		return fmt.Errorf("%s makes a link of %d characters, more than the %d that a link may have: send the file",
			d.Label, len(link), scenario.MaxLink)
	case len(link) > scenario.PlainLink:
		fmt.Fprintf(c.Err, "parley: the link has %d characters; some programs cut such links\n", len(link))
	}
	_, err = fmt.Fprintln(c.Out, page+link)
	return err
}

func printScenario(c *console.Console, link string) error {
	d, err := load.OpenLink(c, link, nil)
	if err != nil {
		return err
	}
	if a := d.Address; a.At > 0 || a.Selected != nil || a.Need != "" {
		fmt.Fprintln(c.Err,
			"parley: the link also names a place in the run, a node or files, for which a scenario has no room")
	}
	_, err = c.Out.Write(d.Scenario.Brief())
	return err
}
