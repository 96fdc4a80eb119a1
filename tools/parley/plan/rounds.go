package plan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/system/rounds/grid"
	"parley/core/system/rounds/plan"
	"parley/core/trace/simgrid"
	"parley/tools/parley/console"
)

// roundsFlags are the flags of a plan in rounds. Those about SimGrid provide the values that its
// platforms lack.
type roundsFlags struct {
	algorithm string
	json      bool
	master    string
	load      float64
	unit      grid.Unit
}

func planRounds(c *console.Console) *cobra.Command {
	var f roundsFlags
	cmd := &cobra.Command{
		Use:   "rounds PLATFORM.json|PLATFORM.xml",
		Short: "Share a divisible load among workers in rounds",
		Long: `Reads a load and workers and plans what is sent to whom. The load is in work units, speed and bandwidth in work units a second, latencies in seconds.

A platform of SimGrid in XML names neither master nor load: give them with --master and --load, and how large a work unit is.

Algorithms: ` + strings.Join(plan.Algorithms(), ", ") + ".",
		Example: `  echo '{"load":1000,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1,"comm_latency":0.1},{"speed":30,"bandwidth":900}]}' | parley plan rounds -`,
		Args:    console.Args(1, 1, "one PLATFORM"),
		RunE:    func(_ *cobra.Command, args []string) error { return f.plan(c, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.algorithm, "algorithm", "umr2", "how to share")
	flags.StringVar(&f.master, "master", "", "of a SimGrid platform: the host that holds the load")
	flags.Float64Var(&f.load, "load", 0, "of a SimGrid platform: the load in work units")
	flags.Float64Var(&f.unit.Flops, "unit-flops", 1e9, "of a SimGrid platform: flops that a work unit takes")
	flags.Float64Var(&f.unit.Bytes, "unit-bytes", 1e6, "of a SimGrid platform: bytes that a work unit has")
	flags.BoolVar(&f.json, "json", false, "print the plan as JSON")
	return cmd
}

// platform is the platform that a file describes.
type platform struct {
	plan.Platform
	load  float64
	names []string // of SimGrid's workers
	notes []string // parts of the file that were skipped
}

// name returns the name of a worker.
func (p platform) name(worker int) string {
	if p.names != nil {
		return p.names[worker]
	}
	return fmt.Sprint(worker)
}

func (f *roundsFlags) plan(c *console.Console, name string) error {
	var in platform
	err := readInstance(c, name, func(r io.Reader) (err error) {
		in, err = f.read(name, r)
		return err
	})
	if err != nil {
		return err
	}
	began := c.Now()
	result, err := plan.Plan(in.Platform, in.load, f.algorithm, plan.Options{})
	took := micros(c.Now().Sub(began))
	if err != nil {
		return err
	}
	if f.json {
		return console.PrintJSON(c.Out, struct {
			plan.Result
			Hosts  []string `json:"hosts,omitempty"` // of a SimGrid platform, by worker index
			Notes  []string `json:"notes,omitempty"` // parts of the file that were skipped
			WallUS float64  `json:"wall_us"`
		}{result, in.names, in.notes, took})
	}
	printRounds(c.Out, result, in, took)
	if result.Warning != "" {
		fmt.Fprintf(c.Out, "\nWarning: %s.\n", result.Warning)
	}
	return nil
}

// read reads a platform in either form.
func (f *roundsFlags) read(name string, r io.Reader) (platform, error) {
	text := bufio.NewReaderSize(r, 4096)
	head, err := text.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return platform{}, err
	}
	if !simgrid.Detect(head) {
		p, load, err := plan.Decode(text)
		return platform{Platform: p, load: load}, err
	}
	if f.master == "" || f.load <= 0 {
		return platform{},
			errors.New("this is a platform of SimGrid: name its master with --master and the load above 0 with --load")
	}
	file, err := simgrid.Read(console.ShownName(name), text)
	if err != nil {
		return platform{}, err
	}
	p, names, err := grid.Platform(file, f.master, f.unit)
	notes := file.Notes
	if left := grid.Unreached(file, f.master); left != "" {
		notes = append(notes, left)
	}
	return platform{p, f.load, names, notes}, err
}

func printRounds(w io.Writer, r plan.Result, in platform, took float64) {
	var t console.Table
	t.Add("algorithm", strings.TrimSpace(r.Algorithm+" "+r.Policy))
	t.Add("workers used", console.Grouped(int64(len(r.Order))))
	t.Add("rounds", console.Grouped(int64(r.Rounds)))
	t.Add("makespan", console.Number(r.Makespan)+" s simulated")
	t.Add("", console.Number(r.Predicted)+" s predicted")
	t.Add("bound", console.Number(r.Bound)+" s")
	t.Add("idle", console.Number(r.IdlePct)+" %")
	t.Add("time", console.Number(took)+" µs")
	t.Print(w)
	fmt.Fprintln(w)
	var workers console.Table
	workers.Add("worker", "work units", "of which in the first round", "in the last")
	for k, worker := range r.Order[:min(len(r.Order), maxListed)] {
		sum := 0.0
		for _, row := range r.Chunks {
			sum += row[k]
		}
		workers.Add(in.name(worker), console.Number(sum), console.Number(r.Chunks[0][k]),
			console.Number(r.Chunks[len(r.Chunks)-1][k]))
	}
	workers.Print(w)
	more(w, len(r.Order), "workers")
	for _, note := range in.notes {
		fmt.Fprintf(w, "\nNote: %s\n", escape.Line(note))
	}
}
