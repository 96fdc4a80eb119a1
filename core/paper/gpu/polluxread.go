package gpu

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
)

// applications are those of Pollux's simulator: how many epochs a job of one has, and the largest batch
// of a GPU where that is less than the largest that was measured.
var applications = map[string]struct {
	epochs int
	limit  int64
}{
	"bert": {epochs: 2}, "cifar10": {epochs: 100}, "ncf": {epochs: 10}, "imagenet": {epochs: 90},
	"deepspeech2": {epochs: 80}, "yolov3": {epochs: 50, limit: 8},
}

// maxPublished limits a file of published results.
const maxPublished = 4 << 20

// pollux are the files of Pollux's simulator.
type pollux struct {
	apps      map[string]*application
	workloads map[string][]*polluxJob // by load and name, as "160 workload-6"
	// JCT of each job in s, by policy, load and name, as "tiresias 160 workload-6"
	published map[string]map[string]int64
}

// readPollux reads files of Pollux's simulator in any order.
func readPollux(files []trace.File) (*pollux, error) {
	p := &pollux{
		apps: map[string]*application{}, workloads: map[string][]*polluxJob{},
		published: map[string]map[string]int64{},
	}
	var workloads []*table
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".json") {
			if err := p.readPublished(f); err != nil {
				return nil, err
			}
			continue
		}
		t, err := read(f)
		if err != nil {
			return nil, err
		}
		switch {
		case t.has("name", "time", "application", "num_replicas", "batch_size"):
			workloads = append(workloads, t) // when all applications are known
		case t.has("placement", "local_bsz", "step_time", "sync_time"):
			err = p.readPlacements(t)
		case t.has("progress", "iteration", "grad_sqr", "grad_var"):
			err = p.readEpochs(t)
		case t.has("application", "nodes", "replicas", "local_batch", "step_s", "sync_s"):
			err = p.readWide(t)
		case t.has("num_nodes", "num_replicas", "local_bsz"): // the source of the interpolated wide placements
		default:
			err = fmt.Errorf(
				"%s is none of Pollux's tables: give workload-1.csv to workload-8.csv, the folders of traces, and interpolated-step-times.csv", f.Name,
			)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, t := range workloads {
		if err := p.readWorkload(t); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// of returns the application that a file is about, which its folder names.
func (p *pollux) of(file string) (*application, error) {
	return p.app(path.Base(path.Dir(strings.ReplaceAll(file, `\`, "/"))), file)
}

// app returns the application of a name, new if no file was of it; file is for the error.
func (p *pollux) app(name, file string) (*application, error) {
	known, is := applications[name]
	if !is {
		return nil,
			fmt.Errorf(
				"%s: %q is no application of Pollux's simulator: keep its folders traces/bert, cifar10, deepspeech2, imagenet, ncf and yolov3 as they are", file, name,
			)
	}
	a := p.apps[name]
	if a == nil {
		a = &application{
			name: name, epochs: known.epochs, maxLocal: known.limit, steps: map[int64][]step{},
			wide: map[[3]int64]step{},
		}
		p.apps[name] = a
	}
	return a, nil
}

// readPlacements reads the time of a step of an application, by placement and local batch size. The batches of a
// placement must grow.
func (p *pollux) readPlacements(t *table) error {
	a, err := p.of(t.name)
	if err != nil {
		return err
	}
	for i := range t.rows {
		v, err := t.numbers(i, "placement", "local_bsz", "step_time", "sync_time")
		if err != nil {
			return err
		}
		s := step{local: int64(v[1]), time: v[2], sync: v[3]}
		if n := len(a.steps[int64(v[0])]); n > 0 && a.steps[int64(v[0])][n-1].local >= s.local {
			return fmt.Errorf("%s, row %d: the batches of placement %v do not grow; give the file that was published",
				t.name, i+1, v[0])
		}
		a.steps[int64(v[0])] = append(a.steps[int64(v[0])], s)
		if a.minLocal == 0 || s.local < a.minLocal {
			a.minLocal = s.local
		}
		if applications[a.name].limit == 0 {
			a.maxLocal = max(a.maxLocal, s.local)
		}
	}
	return nil
}

// readWide reads the times of steps on placements that the artefact did not measure, by nodes, replicas and
// local batch size.
func (p *pollux) readWide(t *table) error {
	for i := range t.rows {
		a, err := p.app(t.text(i, "application"), t.name)
		if err != nil {
			return err
		}
		v, err := t.numbers(i, "nodes", "replicas", "local_batch", "step_s", "sync_s")
		if err != nil {
			return err
		}
		a.wide[[3]int64{int64(v[0]), int64(v[1]), int64(v[2])}] = step{time: v[3], sync: v[4]}
	}
	return nil
}

// readEpochs reads the course of training with one batch size, which the file's name has. Courses of an application
// stay sorted by batch size.
func (p *pollux) readEpochs(t *table) error {
	a, err := p.of(t.name)
	if err != nil {
		return err
	}
	name := strings.SplitN(path.Base(strings.ReplaceAll(t.name, `\`, "/")), ".", 2)[0]
	batch, err := strconv.ParseInt(strings.TrimPrefix(name, "validation-"), 10, 32)
	if err != nil || batch < 1 {
		return fmt.Errorf(
			"%s: its name has no batch size, as validation-128.csv has: keep the names that were published", t.name,
		)
	}
	if len(t.rows) < a.epochs {
		return fmt.Errorf("%s has %d epochs, and a job of %s has %d: give the file that was published", t.name,
			len(t.rows), a.name, a.epochs)
	}
	c := course{batch: batch}
	for i := range a.epochs {
		v, err := t.numbers(i, "progress", "iteration", "grad_sqr", "grad_var")
		if err != nil {
			return err
		}
		c.epochs = append(c.epochs, epoch{progress: v[0], iteration: v[1], square: v[2], variance: v[3]})
	}
	at, is := slices.BinarySearchFunc(a.courses, batch, func(c course, batch int64) int { return int(c.batch - batch) })
	if is {
		return fmt.Errorf("%s: batch size %d of %s is there twice: give one of the files", t.name, batch, a.name)
	}
	a.courses = slices.Insert(a.courses, at, c)
	return nil
}

// readWorkload reads a list of jobs. The measurements of its applications must have been read: a job outside the
// measured batch sizes is an error, and so is a second list with the same key.
func (p *pollux) readWorkload(t *table) error {
	var jobs []*polluxJob
	for i := range t.rows {
		v, err := t.numbers(i, "time", "num_replicas", "batch_size")
		if err != nil {
			return err
		}
		a := p.apps[t.text(i, "application")]
		switch {
		case a == nil || len(a.steps) == 0 || len(a.courses) == 0:
			return fmt.Errorf(
				"%s, row %d: of the application %q there are no measurements: give placements.csv and validation-*.csv of traces/%[3]s too", t.name, i+1, t.text(i, "application"),
			)
		case v[1] < 1 || v[1] > nodesOfPollux*gpusOfPollux:
			return fmt.Errorf("%s, row %d: a job of %v GPUs on %d: give the file that was published", t.name, i+1, v[1],
				nodesOfPollux*gpusOfPollux)
		case int64(v[2]) < a.courses[0].batch || int64(v[2]) > a.courses[len(a.courses)-1].batch:
			return fmt.Errorf(
				"%s, row %d: %s was measured with batches from %d to %d, and this job has %v: give the files that were published", t.name, i+1, a.name, a.courses[0].batch, a.courses[len(a.courses)-1].batch, v[2],
			)
		}
		jobs = append(jobs, &polluxJob{
			name: t.text(i, "name"), app: a, submitted: int64(v[0]), gpus: int64(v[1]),
			batch: int64(v[2]), end: -1,
		})
	}
	key := polluxKey(len(jobs), path.Base(strings.ReplaceAll(t.name, `\`, "/")))
	if p.workloads[key] != nil {
		return fmt.Errorf(
			"%s: there are two lists of %s: give one of them, those of workloads-realistic have no published results",
			t.name, strings.Replace(key, " ", " jobs that are called ", 1),
		)
	}
	p.workloads[key] = jobs
	return nil
}

// polluxKey names a list of jobs by how many they are and its file.
func polluxKey(jobs int, file string) string {
	return fmt.Sprintf("%d %s", jobs, strings.SplitN(file, ".", 2)[0])
}

// lastPolicy returns the policy whose name is the last one in a path; "" if the path names none.
func lastPolicy(path string) (policy string) {
	last := -1
	for _, name := range []string{"tiresias", "optimus", "pollux"} {
		if i := strings.LastIndex(path, name); i > last {
			policy, last = name, i
		}
	}
	return policy
}

// readPublished reads the artefact's results of a policy, which is the last one that the file's path names: the
// completion times of the jobs of each list.
func (p *pollux) readPublished(f trace.File) error {
	policy := lastPolicy(f.Name)
	if policy == "" {
		return fmt.Errorf(
			"%s: its path names none of tiresias, optimus and pollux, as tiresias-1.0/summary.json does: keep the names that were published", f.Name,
		)
	}
	content, err := trace.Unpack(f, trace.NewMeter([]trace.File{f}, nil))
	if err != nil {
		return err
	}
	defer content.Close()
	text, err := io.ReadAll(io.LimitReader(content, maxPublished))
	if err != nil {
		return err
	}
	var summary struct {
		JCTs map[string]map[string]int64 `json:"jcts"`
		Rest json.RawMessage             `json:"avgs"`
		Mean float64                     `json:"mean"`
	}
	if err := strict.Part(text, &summary); err != nil {
		return fmt.Errorf("%s is no summary of Pollux's simulator: %w", f.Name, err)
	}
	for workload, jcts := range summary.JCTs {
		p.published[policy+" "+polluxKey(len(jcts), workload)] = jcts
	}
	return nil
}
