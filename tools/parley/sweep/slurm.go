package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/core/study"
	"parley/tools/parley/console"
	"parley/tools/parley/sweeps"
)

// usualShards is the default number of indices of a job array.
const usualShards = 100

// slurm submits the missing runs to a Slurm cluster and follows the job to its end. If the job of an
// earlier call still runs, slurm follows it and submits none.
func (f *SweepFlags) slurm(c *console.Console, s *study.Study, have *study.Results, folder *sweeps.Folder) error {
	job, err := f.submit(s, have)
	if err != nil || job == "" {
		return err
	}
	fmt.Fprintf(c.Err,
		"parley: job %s plays the sweep; Ctrl-C leaves it running, and the same command follows it again\n", job)
	b := console.NewBar(c)
	defer b.Clear()
	began, before := c.Now(), have.Len()
	cluster := sweeps.Slurm{Dir: f.Out}
	for fails := 0; ; {
		left, wrong := cluster.Left(job)
		if err := folder.Refresh(); err != nil {
			return err
		}
		b.Show("job %s: %s, %d of its indices left", job, pace(c.Now().Sub(began), before, have.Len()-before, s.Runs()),
			left)
		switch {
		case wrong == nil && left == 0:
			return f.whole(s, have, folder, job)
		case wrong == nil:
			fails = 0
		default: // its controller may be away for a moment
			if fails++; fails == 30 {
				return fmt.Errorf("following job %s: %w; it may go on, and the same command follows it again",
					job, wrong)
			}
		}
		select {
		case <-c.Stop:
			return sweeps.ErrStopped
		case <-time.After(followEvery):
		}
	}
}

// followEvery is the interval at which the cluster is polled; a network folder may show a file with
// a delay of this order.
const followEvery = time.Second

// submit returns the cluster's job that plays the missing runs: the one that is there already, or a new one; "" if no
// run is missing.
func (f *SweepFlags) submit(s *study.Study, have *study.Results) (job string, err error) {
	cluster := sweeps.Slurm{Dir: f.Out, Shards: int(f.shards), Options: strings.Fields(f.slurmOptions)}
	if cluster.Shards == 0 {
		cluster.Shards = min(usualShards, s.Runs())
	}
	for _, name := range f.Names {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		cluster.Args = append(cluster.Args, "--trace", absolute)
	}
	if f.SkipBad {
		cluster.Args = append(cluster.Args, "--skip-bad")
	}
	if job, err = cluster.Running(); err != nil || job != "" {
		return job, err
	}
	missing, err := sweeps.MissingShards(s, have, cluster.Shards)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for this program itself, which plays the runs: %w", err)
	}
	if err := cluster.Prepare(self, missing); err != nil {
		return "", err
	}
	return cluster.Submit()
}

// whole returns an error if a job has ended without results for all runs.
func (f *SweepFlags) whole(s *study.Study, have *study.Results, folder *sweeps.Folder, job string) error {
	for range 5 {
		missing, err := sweeps.MissingShards(s, have, 1)
		if err != nil || len(missing) == 0 {
			return err
		}
		time.Sleep(followEvery)
		if err := folder.Refresh(); err != nil {
			return err
		}
	}
	return fmt.Errorf(
		"job %s has ended and runs are missing; the files in %s tell why, what is done is kept, and the same command submits the rest", job, filepath.Join(f.Out, "logs"),
	)
}
