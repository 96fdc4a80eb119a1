package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley/core/scenario"
)

func linkCommand(c *Console) *cobra.Command {
	page := ""
	var f changes
	cmd := &cobra.Command{
		Use:   "link SCENARIO | link URL",
		Short: "Turn a scenario into a link, or a link into a scenario",
		Long:  `Prints the link that opens a scenario on the page, or the scenario file of a link. A link is the part of the page's address from # on. --system, --program and --set change the scenario as those of parley run do, and turn a link into another one.`,
		Example: `  parley link google-cell
  parley link google-calm --program policy.star
  parley link 'https://example.org/parley/#v=1&n=2000&seed=9&x.candidates=20'`,
		Args: takes(1, 1, "one SCENARIO or URL"),
		RunE: func(_ *cobra.Command, args []string) error {
			if isLink(args[0]) && f.none() {
				return printScenario(c, args[0])
			}
			return printLink(c, args[0], page, &f)
		},
	}
	f.addChanges(cmd)
	cmd.Flags().StringVar(&page, "page", "", "the page's address, which is put before #")
	return cmd
}

func printLink(c *Console, arg, page string, f *changes) error {
	d, err := readScenario(c, arg, nil)
	if err != nil {
		return err
	}
	if err := f.apply(&d, c.Systems, nil); err != nil {
		return err
	}
	for _, w := range d.warnings {
		fmt.Fprintf(c.Err, "parley: %s\n", w)
	}
	g, err := gallery()
	if err != nil {
		return err
	}
	link := "#" + scenario.LinkTo(d.scenario, g).Encode()
	switch {
	case len(link) > scenario.MostLink:
		return fmt.Errorf("%s makes a link of %d characters, more than the %d that a link may have: send the file", d.label, len(link), scenario.MostLink)
	case len(link) > scenario.PlainLink:
		fmt.Fprintf(c.Err, "parley: the link has %d characters; some programs cut such links\n", len(link))
	}
	_, err = fmt.Fprintln(c.Out, page+link)
	return err
}

func printScenario(c *Console, link string) error {
	d, err := openLink(c, link, nil)
	if err != nil {
		return err
	}
	if a := d.address; a.At > 0 || a.Selected != nil || a.Need != "" {
		fmt.Fprintln(c.Err, "parley: the link also names a place in the run, a node or files, for which a scenario has no room")
	}
	_, err = c.Out.Write(d.scenario.Brief())
	return err
}
