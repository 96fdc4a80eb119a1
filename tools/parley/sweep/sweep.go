// Package sweep is parley sweep: it plays a study on all cores, on Slurm or on Kubernetes.
// Package sweeps has its folders and executors.
package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/assets"
	"parley/core/escape"
	"parley/core/feed"
	"parley/core/paper"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/system"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
	"parley/tools/parley/sweeps"
)

type SweepFlags struct {
	load.Trace
	Out   string
	Jobs  int
	shard string
	json  bool

	onSlurm      bool
	slurmOptions string
	shards       console.Positive
	onKubernetes kubernetesFlags
	podCores     int // --jobs, if it was given

	extent feed.Extent       // of the files
	limit  scenario.Duration // limit for a run that ends with its files
}

// Command returns parley sweep.
func Command(c *console.Console) *cobra.Command {
	var f SweepFlags
	cmd := &cobra.Command{
		Use:   "sweep [FILE…] SWEEP.json",
		Short: "Play a grid of scenarios with several seeds and print one table",
		Long: `Plays a scenario with some of its fields varied, each variant with several seeds, on all cores, and prints one table: means over the seeds with their 95 % intervals. A sweep is a document:

  {"v":1,"base":"google-cell",
   "axes":{"settings.policy":["best-fit","worst-fit"],"workload.scale":{"from":0.8,"to":1.2,"step":0.1}},
   "seeds":{"from":1,"to":10},
   "metrics":["overloaded_pct","tasks_waiting"],
   "compare":{"axis":"settings.policy","with":"best-fit"}}

base is a scenario, the id of one of the gallery, or a file or a folder of parley run --out beside the sweep; with files of a trace, given before the sweep or by --trace, a scenario of the gallery counts with its system and settings alone. axes are fields of the scenario by their path, as --set of parley run takes them; they are crossed, and "zip":[["cluster.nodes","workload.scale"]] links some. compare adds differences to one value, seed by seed.

In place of base, "function" names a function of the papers' experiments and "arguments" what it is called with, as the documents in core/paper do; "rows" are figures that are shown with what they are held to.

Two questions need fewer runs than a grid. "search":{"axis":"workload.scale","from":0.5,"to":2,"step":0.01,"find":"largest","fits":{"overloaded_pct":{"at_most":0.5}}} finds the limit in each cell by bisection, seed by seed. "stop":{"metric":"overloaded_pct","half_width":0.05} plays seeds until the interval is that narrow, or no seed is left, with an interval that keeps its 95 % although it decides when to stop. With "compare", "stop":{"metric":"overloaded_pct","difference":true} plays them until the difference is clear of zero, by the same rule; "half_width" beside it ends earlier where that is narrow enough.

With --out an interrupted or killed sweep continues where it stopped, and no finished run is played twice; sweeps of several machines merge. The folder gets results.jsonl with a line a run, the table as JSON, CSV and Parquet, pictures as SVG, and report.html. --shard 3/16 plays one share of the runs into a folder that sixteen machines have in common; without --shard the same command joins them. --slurm has a Slurm cluster play the shares: it submits a job array, follows it and joins the results; Ctrl-C leaves the job running, and the same command follows it again. --kubernetes writes the manifest of an Indexed Job, whose indices play the shares, and says what to do with it.`,
		Example: `  echo '{"v":1,"base":"central-best-fit","axes":{"settings.policy":["best-fit","worst-fit"],"cluster.nodes":[100,200],"until":["5m"]},"seeds":[1,2,3],"metrics":["overloaded_pct"]}' | parley sweep - --jobs 2`,
		Args:    console.Args(1, -1, "one SWEEP.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, value := range map[string]string{"out": "a folder", "shard": "a share such as 3/16"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return console.NewUsageError(fmt.Errorf("--%s is empty: give %s, or leave the flag out", name, value))
				}
			}
			if err := f.checkFlags(cmd); err != nil {
				return err
			}
			rest := f.TakeTraces(args)
			if len(rest) != 1 {
				return console.NewUsageError(
					fmt.Errorf(
						"sweep takes one SWEEP.json beside the files of a trace, and %d are given; see parley sweep --help", len(rest),
					),
				)
			}
			return f.Sweep(c, rest[0])
		},
	}
	f.AddFiles(cmd)
	cmd.Flags().BoolVar(&f.SkipBad, "skip-bad", false, "skip rows that break the format")
	flags := cmd.Flags()
	flags.StringVar(&f.Out, "out", "",
		"a folder for results and reports; runs whose results it holds are not played again")
	flags.IntVar(&f.Jobs, "jobs", runtime.NumCPU(), "number of runs played at the same time")
	flags.StringVar(&f.shard, "shard", "", "play one share of the runs, such as 3/16 from 0/16 to 15/16, into --out")
	flags.BoolVar(&f.json, "json", false, "print the table as JSON")
	flags.BoolVar(&f.onSlurm, "slurm", false,
		"play on a Slurm cluster: submit a job array, follow it, join its results; --out is a folder that all nodes share")
	flags.StringVar(&f.slurmOptions, "slurm-options",
		"", "options for sbatch, as in \"--partition=short --time=2:00:00 --cpus-per-task=4\"")
	flags.Var(&f.shards, "shards",
		"number of indices over which a cluster shares the runs (default 100, at most one a run)")
	f.onKubernetes.add(flags)
	return cmd
}

// checkFlags refuses flags of --kubernetes without it, and sets the cores of a pod, which are 1 unless --jobs is
// given.
func (f *SweepFlags) checkFlags(cmd *cobra.Command) error {
	for _, name := range kubernetesNames {
		if cmd.Flags().Changed(name) && !f.onKubernetes.wanted {
			return console.NewUsageError(fmt.Errorf("--%s is about --kubernetes: give both, or leave it out", name))
		}
	}
	if f.podCores = 1; cmd.Flags().Changed("jobs") {
		f.podCores = f.Jobs
	}
	return nil
}

// Sweep plays the missing runs of the sweep in a file here, as a shard, on Slurm or by a Kubernetes manifest, and
// reports its table. If runs failed or the sweep was stopped, the table of the others is printed before the error is
// returned.
func (f *SweepFlags) Sweep(c *console.Console, arg string) error {
	if f.Jobs < 1 || f.Jobs > console.MaxJobs {
		return console.NewUsageError(fmt.Errorf("--jobs is %d: choose 1 to %d", f.Jobs, console.MaxJobs))
	}
	shard, err := f.share()
	if err != nil {
		return err
	}
	if err := f.checkCluster(); err != nil {
		return err
	}
	s, err := f.Read(c, arg)
	if err != nil {
		return err
	}
	if f.onKubernetes.wanted {
		return f.kubernetes(c, s)
	}
	have := study.NewResults(run.Engine)
	folder, err := f.open(s, have, shard)
	if err != nil {
		return err
	}
	if folder != nil {
		defer folder.Close()
		f.reportRepairs(c, have)
	}
	c.Graceful.Store(true)
	var failed error
	if f.onSlurm {
		failed = f.slurm(c, s, have, folder)
	} else {
		failed = f.Play(c, s, have, folder, shard)
	}
	if failed != nil && !errors.As(failed, new(*sweeps.Failures)) && !errors.Is(failed, sweeps.ErrStopped) {
		return failed
	}
	if f.shard != "" {
		if failed == nil {
			failed = folder.Done()
		}
		return f.ended(failed, have, s)
	}
	t, err := s.Tabulate(have)
	if err != nil {
		return err
	}
	if err := f.report(c, s, t, have); err != nil {
		return err
	}
	return f.ended(failed, have, s)
}

// checkCluster refuses flags of clusters that exclude each other or lack --out. For Slurm it makes --out absolute.
func (f *SweepFlags) checkCluster() error {
	switch {
	case f.shards > study.MaxRuns:
		return console.NewUsageError(fmt.Errorf("--shards is %d: choose 1 to %d", f.shards, study.MaxRuns))
	case f.onSlurm && f.shard != "":
		return console.NewUsageError(
			errors.New("--slurm and --shard: the cluster's indices play the shards; leave one of the two out"),
		)
	case f.onSlurm && f.Out == "":
		return console.NewUsageError(errors.New("--slurm needs --out, a folder that all nodes share"))
	case f.onKubernetes.wanted && f.Out == "":
		return console.NewUsageError(errors.New("--kubernetes needs --out, a folder for the manifest and the results"))
	case f.onKubernetes.wanted && (f.onSlurm || f.shard != ""):
		return console.NewUsageError(errors.New("--kubernetes stands alone: leave --slurm and --shard out"))
	case !f.onSlurm && f.slurmOptions != "":
		return console.NewUsageError(errors.New("--slurm-options is about --slurm: give both, or leave it out"))
	}
	if !f.onSlurm {
		return nil
	}
	absolute, err := filepath.Abs(f.Out)
	f.Out = absolute
	return err
}

// ended returns the error of a sweep; that of one that was stopped says how much is done and whether it is kept.
func (f *SweepFlags) ended(failed error, have *study.Results, s *study.Study) error {
	if !errors.Is(failed, sweeps.ErrStopped) {
		return failed
	}
	kept := "; with --out what is done would be kept"
	if f.Out != "" {
		kept = fmt.Sprintf("; what is done is in %s, and the same command goes on from there", f.Out)
	}
	return fmt.Errorf("%w after %d of %d runs%s", console.ErrInterrupted, have.Len(), s.Runs(), kept)
}

// share parses --shard, as in 3/16; without it, the one share is the whole sweep.
func (f *SweepFlags) share() (study.Shard, error) {
	if f.shard == "" {
		return study.Shard{Of: 1}, nil
	}
	number, of, _ := strings.Cut(f.shard, "/")
	i, err1 := strconv.Atoi(number)
	n, err2 := strconv.Atoi(of)
	switch {
	case err1 != nil || err2 != nil || n < 1 || n > study.MaxRuns || i < 0 || i >= n:
		return study.Shard{}, console.NewUsageError(fmt.Errorf("--shard is %q: write a share such as 3/16, from 0/16 to 15/16",
			f.shard))
	case f.Out == "":
		return study.Shard{},
			console.NewUsageError(errors.New("--shard needs --out, the folder that the shares have in common"))
	}
	return study.Shard{Number: i, Of: n}, nil
}

// Read returns the sweep of a file, - for standard input, with its base joined with the trace of the flags. It
// refuses axes, metrics and parts of the base that have no effect.
func (f *SweepFlags) Read(c *console.Console, arg string) (*study.Study, error) {
	text, err := console.ReadText(c, arg)
	if err != nil {
		return nil, err
	}
	s, err := study.Parse(text, func(name string) ([]byte, bool) {
		if text, ok := assets.Scenario(name); ok {
			return f.ofGallery(text), true
		}
		text, err := os.ReadFile(load.StoredScenario(filepath.Join(filepath.Dir(arg), name)))
		return text, err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", console.ShownName(arg), err)
	}
	if s.Base == nil {
		if _, err := paper.Functions().Find(s.Function); err != nil {
			return nil, fmt.Errorf("%s: %w", console.ShownName(arg), err)
		}
		return s, nil
	}
	if err := knowsAxes(c.Systems, s); err != nil {
		return nil, fmt.Errorf("%s: %w", console.ShownName(arg), err)
	}
	if err := f.unread(c, s); err != nil {
		return nil, fmt.Errorf("%s: %w", console.ShownName(arg), err)
	}
	p, err := f.Prepare(c, load.Document{Label: console.ShownName(arg), Scenario: s.Base, Endless: s.Endless})
	if err != nil {
		return nil, err
	}
	if f.limit = scenario.Duration(scenario.MaxUntil); p.Scenario.MaxUntil > 0 {
		f.limit = p.Scenario.MaxUntil
	}
	if s.Base.Workload.Jobs.Resample == "" { // else each seed has another number of jobs
		f.extent = p.Extent
	}
	return s, nil
}

// unread refuses parts of a sweep's base that no run reads, and systems that play none of it.
func (f *SweepFlags) unread(c *console.Console, s *study.Study) error {
	systems := s.Systems()
	base, err := c.Systems.Find(s.Base.System)
	if err != nil {
		return err
	}
	provides := func(e system.Entry) bool {
		return e.Provides == system.ProvidesAlways || e.Provides == system.ProvidesOnRequest &&
			len(s.Base.Workload.Raw) > 0
	}
	for _, id := range systems {
		if e, _ := c.Systems.Find(id); provides(base) && !provides(e) && len(s.Base.Workload.Graphs) == 0 &&
			!f.Given() {
			return fmt.Errorf(
				"axes: system %s cannot play the workload of %s: leave it out, or begin with a base of its kind",
				id, base.ID,
			)
		}
		if lost := c.Systems.Loses(s.Base, id); lost != "" && !f.Given() {
			return fmt.Errorf("axes: system %s: %s; leave it out, or begin with a base of its kind", id, lost)
		}
	}
	return load.UnreadIn(c, s.Base, systems)
}

// ofGallery returns the document of a scenario of the gallery as a base: beside files only
// its system and settings count.
func (f *SweepFlags) ofGallery(text []byte) []byte {
	if s, err := scenario.Parse(text); err == nil && len(f.Names) > 0 {
		return s.ForFiles().Brief()
	}
	return text
}

// knowsAxes returns an error about unknown systems, axes about settings that none of the sweep's systems has,
// and metrics that none of their runs has.
func knowsAxes(known run.Registry, s *study.Study) error {
	entries := map[string]system.Entry{}
	for _, id := range s.Systems() {
		e, err := known.Find(id)
		if err != nil {
			return err
		}
		entries[id] = e
	}
	err := s.CheckSettings(func(id, setting string) bool {
		e := entries[id]
		return e.HasSetting(setting)
	})
	if err != nil {
		return err
	}
	return s.CheckMetrics(known.CheckFigure)
}

// open opens the folder of --out and reads its results into have; nil without --out. A shard gets a file of its
// own there, so that several processes may write at once.
func (f *SweepFlags) open(s *study.Study, have *study.Results, shard study.Shard) (*sweeps.Folder, error) {
	if f.Out == "" {
		return nil, nil
	}
	if f.shard != "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unnamed"
		}
		folder, err := sweeps.OpenPart(f.Out, have,
			shard, fmt.Sprintf("%s-%d-%d", host, os.Getpid(), time.Now().UnixNano()))
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		return folder, nil
	}
	folder, err := sweeps.OpenFolder(f.Out, have)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return folder, sweeps.Replace(filepath.Join(f.Out, "sweep.json"), s.Encode())
}

// reportRepairs reports results in the folder that do not count, and results without a checksum.
func (f *SweepFlags) reportRepairs(c *console.Console, have *study.Results) {
	if have.Repairs > 0 {
		fmt.Fprintf(c.Err, "parley: %s: results that were written by half and are played again: %d\n", f.Out,
			have.Repairs)
	}
	if have.NoSums > 0 {
		fmt.Fprintf(c.Err, "parley: %s: results of an earlier version, which have no checksum and are believed: %d\n",
			f.Out, have.NoSums)
	}
	versions := make([]string, 0, len(have.Others))
	for engine := range have.Others {
		versions = append(versions, engine)
	}
	slices.Sort(versions)
	for _, engine := range versions {
		fmt.Fprintf(c.Err,
			"parley: %s: %d results are of the engine %s and stay there, but count for nothing here, which is %s\n",
			f.Out, have.Others[engine], escape.Line(engine), have.Engine)
	}
}

// Play plays the missing runs of a shard with processes of this program and adds each result to folder, or to
// have if folder is nil. Failed runs are a *sweeps.Failures, a stop is sweeps.ErrStopped.
func (f *SweepFlags) Play(c *console.Console, s *study.Study, have *study.Results, folder *sweeps.Folder,
	shard study.Shard,
) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program itself, which plays the runs: %w", err)
	}
	command := []string{self, "sweep-worker"}
	for _, name := range f.Names {
		command = append(command, "--trace", name)
	}
	if f.SkipBad {
		command = append(command, "--skip-bad")
	}
	if f.EveryJob > 0 {
		command = append(command, "--every-job", f.EveryJob.String())
	}
	if f.MaxTasks > 0 {
		command = append(command, "--max-tasks", f.MaxTasks.String())
	}
	if s.Endless && !slices.ContainsFunc(s.Axes, func(a study.Axis) bool { return a.Path == "until" }) {
		command = append(command, "--endless", f.limit.String())
	}
	pool, err := sweeps.NewPool(min(f.Jobs, s.Runs()), command)
	if err != nil {
		return err
	}
	defer pool.Close()
	keep := func(r study.Result) error { return have.Add(r, "this sweep") }
	if folder != nil {
		keep = folder.Add
	}
	b := console.NewBar(c)
	defer b.Clear()
	began, before, last := c.Now(), have.Len(), 0
	printed := began
	p := &sweeps.Player{
		Sweep: s, Have: have, Keep: keep, Pool: pool, Stop: c.Stop, Every: load.Slice,
		Progress: func(finished int) {
			last = finished
			now := c.Now()
			text := pace(now.Sub(began), before, finished, s.Runs())
			b.Show("%s", text)
			if !c.Terminal && now.Sub(printed) >= printEvery {
				printed = now
				fmt.Fprintln(c.Err, "parley:", text)
			}
		},
	}
	if err := p.Play(shard); err != nil {
		return err
	}
	if took := c.Now().Sub(began); last > 0 && (c.Terminal || took >= printEvery) {
		b.Clear()
		fmt.Fprintf(c.Err, "parley: %s runs played in %v, %s a second\n", console.Grouped(int64(last)),
			took.Round(100*time.Millisecond), console.Number(float64(last)/max(took.Seconds(), 1e-9)))
	}
	return nil
}

// printEvery is the interval of progress lines if the terminal cannot rewrite a line.
const printEvery = 10 * time.Second

// pace describes the progress of a sweep: before runs were done when it began, finished since, in the time took.
func pace(took time.Duration, before, finished, runs int) string {
	text := fmt.Sprintf("%s of %s runs", console.Grouped(int64(before+finished)), console.Grouped(int64(runs)))
	if finished == 0 || took <= 0 {
		return text
	}
	rate := float64(finished) / took.Seconds()
	left := time.Duration(float64(max(runs-before-finished, 0)) / rate * float64(time.Second))
	return fmt.Sprintf("%s, %s a second, %v left", text, console.Number(rate),
		scenario.Duration(left.Round(time.Second).Microseconds()))
}
