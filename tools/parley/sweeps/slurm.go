package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/study"
)

// Slurm submits a sweep to a cluster as a job array. Each index plays a shard with this program and
// writes into the shared folder. Slurm queues, places, limits and requeues; an index that is played
// again continues where the earlier attempt stopped.
type Slurm struct {
	Dir     string   // shared by all nodes, as an absolute path
	Shards  int      // indices of the array
	Options []string // for sbatch, as people gave them
	Args    []string // for parley sweep, beside those of the shard
}

const (
	jobFile    = "slurm.job"
	scriptFile = "slurm.sh"
	logFolder  = "logs"
)

// MissingShards returns the shards that have something to play.
func MissingShards(s *study.Study, have *study.Results, shards int) (list []int, err error) {
	for i := range shards {
		_, missing, err := study.NewQueue(s, have, study.Shard{Number: i, Of: shards}).Take()
		if err != nil {
			return nil, err
		}
		if missing {
			list = append(list, i)
		}
	}
	return list, nil
}

// Prepare writes the inputs of the array into the folder: this program, which all nodes
// then have in one version, and the script.
func (s Slurm) Prepare(program string, shards []int) error {
	if err := os.MkdirAll(filepath.Join(s.Dir, logFolder), 0o755); err != nil {
		return unwritable(filepath.Join(s.Dir, logFolder), err)
	}
	if err := copyProgram(program, filepath.Join(s.Dir, "parley")); err != nil {
		return err
	}
	return Replace(filepath.Join(s.Dir, scriptFile), s.Script(shards))
}

// Script returns the script for sbatch.
func (s Slurm) Script(shards []int) []byte {
	words := []string{
		escape.Shell(filepath.Join(s.Dir, "parley")), "sweep",
		escape.Shell(filepath.Join(s.Dir, "sweep.json")), "--out", escape.Shell(s.Dir),
	}
	for _, a := range s.Args {
		words = append(words, escape.Shell(a))
	}
	return fmt.Appendf(nil, `#!/bin/sh
# A share of a sweep an index; written by parley sweep --slurm. Requeued indices go on where they stopped.
#SBATCH --job-name=parley-sweep
#SBATCH --array=%s
#SBATCH --requeue
#SBATCH --open-mode=append
exec %s --shard "$SLURM_ARRAY_TASK_ID/%d" --jobs "${SLURM_CPUS_PER_TASK:-1}"
`, ranges(shards), strings.Join(words, " "), s.Shards)
}

// ranges writes numbers in the form 0-4,7,9-12.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	part := to + ".new"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		return unwritable(to, err)
	}
	return nil
}

// Running returns the job that an earlier call submitted and that has not ended; "" if
// there is none.
func (s Slurm) Running() (job string, err error) {
	text, err := os.ReadFile(filepath.Join(s.Dir, jobFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	job = strings.TrimSpace(string(text))
	left, err := s.Left(job)
	if err != nil || left == 0 {
		return "", err
	}
	return job, nil
}

// Submit submits the script to Slurm and returns the job's number.
func (s Slurm) Submit() (job string, err error) {
	logs := filepath.Join(strings.ReplaceAll(s.Dir, "%", "%%"), logFolder, "%a.log")
	args := append([]string{"--parsable", "--output", logs}, s.Options...)
	out, err := command("sbatch", append(args, filepath.Join(s.Dir, scriptFile))...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	return job, Replace(filepath.Join(s.Dir, jobFile), []byte(job+"\n"))
}

// Left returns the number of a job's indices that wait or run.
func (s Slurm) Left(job string) (int, error) {
	out, err := command("squeue", "--noheader", "--array", "--jobs", job, "--format", "%i")
	if err != nil && strings.Contains(err.Error(), "Invalid job id") { // it ended some minutes ago
		return 0, nil
	}
	return len(strings.Fields(out)), err
}

// command runs a program of Slurm's and returns its output.
func command(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stated bytes.Buffer
	cmd.Stderr = &stated
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("there is no program %s here: --slurm is called on a node from which jobs are submitted",
			name)
	} else if err != nil {
		words := strings.Join(strings.Fields(stated.String()), " ")
		return "", fmt.Errorf("%s fails (%v): %s", name, err, words[:min(len(words), 300)])
	}
	return string(out), nil
}
