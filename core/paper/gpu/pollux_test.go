package gpu

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
)

// polluxFiles are a small artefact: one application of two epochs, in which a step of 12 examples takes
// 1 s on a GPU, 0.9 s on two of a node, and 2 s on 64, and the variance of the gradients is all that
// there is, so that the progress of a step grows as the batch.
func polluxFiles() map[string]string {
	const course = "progress,iteration,metric,grad_sqr,grad_var\n100,100,0,0,5\n200,200,0,0,5\n"
	return map[string]string{
		"traces/bert/placements.csv":     "placement,local_bsz,step_time,sync_time\n1,12,1,0.5\n1,24,2,0.5\n2,12,0.9,0.5\n2,24,2,0.5\n",
		"traces/bert/scalability.csv":    "num_nodes,num_replicas,local_bsz,step_time,sync_time\n6,6,12,1,1\n",
		"traces/bert/validation-12.csv":  course,
		"traces/bert/validation-768.csv": course,
		"interpolated-step-times.csv":    "application,nodes,replicas,local_batch,step_s,sync_s\nbert,16,64,12,2,1\n",
		"workload-1.csv":                 "name,time,application,num_replicas,batch_size\na,10,bert,1,12\nb,20,bert,64,768\n",
		"workload-2.csv":                 "name,time,application,num_replicas,batch_size\na,10,bert,1,12\nb,20,bert,2,24\n",
		"tiresias-1.0/summary.json":      `{"jcts":{"workload-1":{"a":280,"b":317}},"avgs":{"workload-1":298.5},"mean":298.5}`,
	}
}

// callPollux calls the function on files.
func callPollux(files map[string]string, arguments string) (map[string]float64, error) {
	var list []trace.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, trace.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(files[name])), nil }})
	}
	return Functions(list)["gpu/pollux"](1, json.RawMessage(arguments))
}

// TestPolluxByHand holds two jobs under each policy to a calculation by hand. Decisions are at multiples
// of 60 s, and a job trains 30 s after it got GPUs.
//
// Tiresias: a has a GPU at 60, trains from 90, 100 steps an epoch, and ends at 290, after 280. b needs
// all 64, so it starts at 300 and trains from 330: 64 times the progress in 2 s is 3.125 s an epoch,
// which counts as 3; it ends at 336, after 316. The summary has 317.
//
// Optimus: b, of 24 examples, takes 1.5 s on one GPU, in two parts, and 0.9 s on two, so it gets two, and
// a, of 12, can have no more than one. b trains from 90, 45 s an epoch, and ends at 180, after 160.
func TestPolluxByHand(t *testing.T) {
	for arguments, want := range map[string]map[string]float64{
		`{"policy":"tiresias","jobs":2,"workload":"workload-1"}`: {"mean JCT": 298, "starts": 2, "jobs as published": 1},
		`{"policy":"optimus","jobs":2,"workload":"workload-2"}`:  {"mean JCT": 220, "starts": 2},
		`{"policy":"optimus","jobs":2,"workload":"workload-3"}`:  nil,
	} {
		if told, err := callPollux(polluxFiles(), arguments); err != nil || !maps.Equal(told, want) {
			t.Errorf("%s: %v, %v, want %v", arguments, told, err, want)
		}
	}
}

// TestPolluxRefusals holds what is said of files that do not fit.
func TestPolluxRefusals(t *testing.T) {
	const tiresias = `{"policy":"tiresias","jobs":2,"workload":"workload-1"}`
	for _, c := range []struct{ arguments, file, text, want string }{
		{`{"policy":"fifo"}`, "", "", "none of tiresias and optimus"},
		{tiresias, "other.csv", "a,b\n1,2\n", "other.csv is none of Pollux's tables"},
		{tiresias, "traces/bart/placements.csv", "placement,local_bsz,step_time,sync_time\n", `"bart" is no application`},
		{tiresias, "traces/bert/placements.csv", "placement,local_bsz,step_time,sync_time\n1,24,1,0\n1,12,1,0\n", "row 2: the batches of placement 1 do not grow"},
		{tiresias, "traces/bert/placements.csv", "placement,local_bsz,step_time,sync_time\n1,soon,1,0\n", `row 1, column "local_bsz": "soon"`},
		{tiresias, "traces/bert/placements.csv", "placement,local_bsz,step_time,sync_time\n1,24,1,0\n1,48,1,0\n", "not measured with 12 examples"},
		{tiresias, "traces/bert/validation-48.csv", "progress,iteration,metric,grad_sqr,grad_var\n1,1,1,1,1\n", "has 1 epochs, and a job of bert has 2"},
		{tiresias, "traces/bert/validation.csv", "progress,iteration,metric,grad_sqr,grad_var\n1,1,1,1,1\n", "its name has no batch size"},
		{tiresias, "traces/bert/validation-012.csv", polluxFiles()["traces/bert/validation-12.csv"], "batch size 12 of bert is there twice"},
		{tiresias, "interpolated-step-times.csv", "application,nodes,replicas,local_batch,step_s,sync_s\n", "no step time of bert with 64 GPUs on 16 nodes and 12 examples on each"},
		{tiresias, "workload-1.csv", "name,time,application,num_replicas,batch_size\na,10,ncf,1,12\nb,10,bert,1,12\n", `row 1: of the application "ncf" there are no measurements`},
		{tiresias, "workload-1.csv", "name,time,application,num_replicas,batch_size\na,10,bert,65,12\n", "row 1: a job of 65 GPUs on 64"},
		{tiresias, "workload-1.csv", "name,time,application,num_replicas,batch_size\na,10,bert,1,6\n", "batches from 12 to 768, and this job has 6"},
		{tiresias, "again/workload-1.csv", polluxFiles()["workload-1.csv"], "two lists of 2 jobs that are called workload-1"},
		{tiresias, "summary.json", `{"jcts":{}}`, "its path names none of tiresias"},
		{tiresias, "tiresias.json", `[1]`, "no summary of Pollux's simulator"},
		{tiresias, "traces/bert/placements.csv", "placement,local_bsz,step_time,sync_time\n1,12,1e7,0\n1,24,1e7,0\n", "1 of 2 jobs have not ended after 1157 days"},
	} {
		files := polluxFiles()
		if c.file != "" {
			files[c.file] = c.text
		}
		_, err := callPollux(files, c.arguments)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, want %q", c.file, c.text, err, c.want)
		}
	}
}
