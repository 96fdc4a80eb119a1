package gpu

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"parley/core/trace"
)

// file is a file of a test.
func file(text string) trace.File {
	return trace.File{Name: "jobs.csv", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// TestMuriByHand holds three jobs of 32 GPUs to a calculation by hand. An iteration of 1,000 ms
// takes 1.015 s and each decision costs a running vgg16 10 s, so a does 40 s until c comes at 50.
//
// SRTF: at 50 c (10.15 s left) and a (61.5) run and b (264.5) stops; at 60.15 c ends and a has lost
// all but 0.15 s; at 121.5 a ends; b, which lost 10 s then, ends at 334.65.
//
// Tiresias-L: a and b reach 3,250 GPU s at the whole second 102, with 19.5 and 222.5 s left, and go
// down; c runs until 112.15, a until 131.5; b goes down again at 235.15 and ends at 354.65.
func TestMuriByHand(t *testing.T) {
	for policy, want := range map[string][]float64{"srtf": {10.15, 121.5, 334.65}, "srsf": {10.15, 121.5, 334.65}, "tiresias-l": {62.15, 131.5, 354.65}} {
		jobs := []*muriJob{
			{gpus: 32, left: 100, iteration: 1.015, cost: 10},
			{gpus: 32, left: 300, iteration: 1.015, cost: 10},
			{gpus: 32, submitted: 50, left: 10, iteration: 1.015, cost: 10},
		}
		m := playMuri(jobs, policy)
		for i, x := range m.jcts {
			if math.Abs(x-want[i]) > 1e-9 || len(m.jcts) != 3 {
				t.Errorf("%s: JCTs are %v, by hand %v", policy, m.jcts, want)
			}
		}
	}
}

// TestRefusals holds what is said of files and arguments that do not fit.
func TestRefusals(t *testing.T) {
	const head = "num_gpu,submit_time,iterations,model_name,iteration_time\n"
	row := func(text string) string { return head + strings.Repeat("1,0,10,dqn,490\n", 991) + text + "\n" }
	for _, c := range []struct{ function, arguments, text, want string }{
		{"gpu/muri", `{"policy":"fifo"}`, head, "none of srtf"},
		{"gpu/muri", `{"policy":"srtf"}`, "", "no line of comma-separated names"},
		{"gpu/muri", `{"policy":"srtf"}`, "a,b\n1,2\n", "none of Muri's traces"},
		{"gpu/muri", `{"policy":"srtf"}`, head + "1,0,10,dqn,490\n", "none of Muri's traces"},
		{"gpu/muri", `{"policy":"srtf"}`, row("1,0,10,dqn"), "wrong number of fields"},
		{"gpu/muri", `{"policy":"srtf"}`, row("1,soon,10,dqn,490"), `row 992, column "submit_time": "soon"`},
		{"gpu/muri", `{"policy":"srtf"}`, row("3,0,10,dqn,490"), "row 992: a job of 3 GPUs"},
		{"gpu/muri", `{"policy":"srtf"}`, row("1,0,0,dqn,490"), "row 992: a job of 1 GPUs with 0 iterations"},
		{"gpu/muri", `{"policy":"srtf"}`, row("1,0,NaN,dqn,490"), `"NaN" is no number`},
		{"gpu/tiresias", `{"policy":"sooner"}`, "", `the policy is "sooner"`},
		{"gpu/tiresias", `{"policy":"srtf"}`, head, "no columns job_id"},
		{"gpu/tiresias", `{"policy":"srtf"}`, "job_id,num_gpu,submit_time,duration\n1,1,0,5\n", "not numbered from 0"},
		{"gpu/tiresias", `{"policy":"srtf"}`, "job_id,num_gpu,submit_time,duration\n0,1,0,0.5\n", `"0.5" is no number from 1`},
		{"gpu/tiresias", `{"policy":"srtf"}`, "job_id,num_gpu,submit_time,duration\n0,1,0,1.5\n", "1.5 is no whole number"},
		{"gpu/tiresias", `{"policy":"srtf"}`, "job_id,num_gpu,submit_time,duration\n0,1,9,5\n1,1,3,5\n", "row 2: the jobs are not numbered"},
		{"fgd/openb", `{"policy":"luck"}`, "", `the policy is "luck"`},
		{"fgd/openb", `{"policy":"fgd"}`, head, "no list of nodes or pods of openb"},
		{"fgd/openb", `{"policy":"fgd"}`, "sn,cpu_milli,memory_mib,gpu\na,8000,10,2\n", "a list of nodes and a list of pods are needed"},
		{"fgd/openb", `{"policy":"fgd"}`, "sn,cpu_milli,memory_mib,gpu\na,8000,10,many\n", `row 1, column "gpu": "many"`},
		{"fgd/openb", `{"policy":"fgd"}`, "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np,1,1,2,500,\n", "row 1: 2 devices of 500 thousandths each"},
		{"fgd/openb", `{"policy":"fgd"}`, "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np,1,1,1,1500,\n", `"1500" is no number from 0 to 1000`},
	} {
		_, err := Functions([]trace.File{file(c.text)})[c.function](1, json.RawMessage(c.arguments))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.function, c.arguments, err, c.want)
		}
	}
}

// TestFGDByHand plays two pods of half a device and one of a whole one on a node of two devices,
// until they ask for 1.3 times these. Whatever the order, what is drawn after the first three fits
// nowhere: the halves share a device.
func TestFGDByHand(t *testing.T) {
	files := []trace.File{
		file("sn,cpu_milli,memory_mib,gpu,model\na,64000,1000,2,T4\n"),
		file("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np0,1000,1,1,500,\np1,1000,1,1,500,T4|V100\np2,1000,1,1,1000,\np3,1000,1,0,0,\n"),
	}
	for _, policy := range []string{"fgd", "best-fit", "packing"} {
		told, err := Functions(files)["fgd/openb"](1, json.RawMessage(`{"policy":"`+policy+`"}`))
		if err != nil || told["allocated at 130 %"] != 100 || told["allocated at 100 %"] != 100 || told["fragmented at 130 %"] != 0 {
			t.Errorf("%s: %v, %v", policy, told, err)
		}
	}
}

// TestTiresiasCounts plays three jobs on a node and counts those that do as it was published.
func TestTiresiasCounts(t *testing.T) {
	f := file("job_id,num_gpu,submit_time,duration\n0,4,0,10\n1,4,2,3\n2,1,20,5\n")
	told, err := Functions([]trace.File{f})["gpu/tiresias"](1, json.RawMessage(`{"policy":"srtf","as":"x","nodes":1,"published":{"x":{"start":[0,2,20],"end":[13,5,25],"stops":[1,0,1]}}}`))
	if err != nil || told["as published"] != 2 || told["preemptions"] != 1 || math.Abs(told["mean JCT"]-7) > 1e-9 {
		t.Errorf("%v, %v", told, err)
	}
}
