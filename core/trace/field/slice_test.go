package field_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/field"
	"parley/core/unit"
	"parley/core/workload"
)

// arrivals returns the tasks of files as text with their moments, and how the reading ends.
func arrivals(files []trace.File, o trace.Options) (at []unit.Time, text []string, err error) {
	source, err := trace.Open(files, field.Formats(), o)
	var r workload.Record
	for err == nil {
		if err = source.Next(&r); err == nil && r.Kind == workload.TaskArrives {
			at = append(at, r.At)
			text = append(text, fmt.Sprintf("%v %v %v %v", r.At, r.Task.Class, r.Task.Request, r.Task.Lifetime))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return at, text, err
}

// sliceable are traces of several formats: in each, work is submitted at several moments.
func sliceable() map[string][]trace.File {
	rows := func(row func(i int) string) string {
		var b strings.Builder
		for i := range 40 {
			b.WriteString(row((i*17)%40) + "\n") // not in the order of time
		}
		return b.String()
	}
	all := map[string][]trace.File{
		"alibaba2018": {memory("batch_task.csv", rows(func(i int) string {
			return fmt.Sprintf("task_x,2,j_%d,1,Terminated,%d,%d,100.0,0.5", i, 100+i*10, 150+i*10)
		}), 0)},
		"alibaba2018 instances": {
			memory("batch_task.csv", rows(func(i int) string {
				return fmt.Sprintf("task_x,2,j_%d,1,Terminated,%d,%d,100.0,0.5", i, 100+i*10, 150+i*10)
			}), 0),
			memory("batch_instance.csv", rows(func(i int) string {
				return fmt.Sprintf("i,task_x,j_%d,1,Terminated,%d,%d,m_1,1,1,90,120,0.1,0.2", i, 120+i*10, 140+i*10)
			}), 0),
		},
		"alibaba2018 containers": {memory("container_meta.csv", rows(func(i int) string { return fmt.Sprintf("c_%d,m_2,%d,app_5,started,400,400,1.56", i, 100+i*10) }), 0)},
		"pai2020": {
			memory("pai_task_table.csv", rows(func(i int) string {
				return fmt.Sprintf("job_%d,worker,1.0,Terminated,%d.0,%d.0,600.0,29.3,100.0,T4", i, 1000+i*10, 1050+i*10)
			}), 0),
			memory("pai_job_table.csv", rows(func(i int) string {
				return fmt.Sprintf("job_%d,j%d,u%d,Terminated,%d.0,%d.0", i, i, i%3, 995+i*10, 1050+i*10)
			}), 0),
		},
		// Jobs without tasks come first and in between, some tasks begin before their job or long after it, one job is in no
		// table of jobs, and instances begin later still.
		"pai2020 instances": {
			memory("pai_job_table.csv", "job_none,j,u0,Terminated,1.0,2.0\n"+rows(func(i int) string {
				return fmt.Sprintf("job_%d,j%d,u%d,Terminated,%d.0,%d.0\nidle_%d,k%d,u1,Failed,%d.0,", i+i/39, i, i%3, 995+i*10, 1050+i*10, i, i, 990+i*10)
			}), 0),
			memory("pai_task_table.csv", rows(func(i int) string {
				return fmt.Sprintf("job_%d,worker,1.0,Terminated,%d.0,%d.0,600.0,29.3,50.0,T4", i, 1000+i*10+i%7*40-i%5*10, 2050+i*10)
			}), 0),
			memory("pai_instance_table.csv", rows(func(i int) string {
				at := 1000 + i*10 + i%7*40 - i%5*10 + i%4*30 - i%3*15
				return fmt.Sprintf("job_%d,worker,a%d,w%d,i%d,Terminated,%d.0,%d.0,m%d\njob_%d,ps,b,v,k,Terminated,%d.0,%d.0,m", i, i, i, i, at, at+50, i%4, i, at, at+9)
			}), 0),
		},
		"pai2020 late tasks": {
			memory("pai_job_table.csv", "job_none,j,u0,Terminated,1.0,2.0\n"+rows(func(i int) string {
				return fmt.Sprintf("job_%d,j%d,u%d,Terminated,%d.0,%d.0", i+i/39, i, i%3, 995+i*10, 1050+i*10)
			}), 0),
			memory("pai_task_table.csv", rows(func(i int) string {
				return fmt.Sprintf("job_%d,worker,1.0,Terminated,%d.0,%d.0,600.0,29.3,50.0,T4", i, 1000+i*10+i%7*40-i%5*10, 2050+i*10)
			}), 0),
		},
		"google2019": {memory("instance_events.json", rows(func(i int) string {
			t := 700_000_000 + i*10_000_000
			return fmt.Sprintf(`{"time":"%d","type":0,"collection_id":"%d","instance_index":0,"priority":%d,"resource_request":{"cpus":0.5,"memory":0.25}}
{"time":"%d","type":3,"collection_id":"%d","instance_index":0,"priority":%d,"machine_id":"7"}
{"time":"%d","type":6,"collection_id":"%d","instance_index":0,"priority":%d,"machine_id":"7"}`, t, i, 100+i, t+5_000_000, i, 100+i, t+95_000_000, i, 100+i)
		}), 0)},
		"azure": {memory("vmtable.csv", "vmid,subscriptionid,deploymentid,vmcreated,vmdeleted,maxcpu,avgcpu,p95maxcpu,vmcategory,vmcorecount,vmmemory\n"+rows(func(i int) string {
			return fmt.Sprintf("v%d,s,d,%d,%d,10,5,9,Interactive,2,3.5", i, i*300, i*300+900)
		}), 0)},
		"openb2023": {memory("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"+rows(func(i int) string {
			return fmt.Sprintf("pod-%04d,12000,16384,1,1000,,LS,Running,%d,%d,%d", i, i*10, i*10+500, i*10+1)
		}), 0)},
		"opendc": {memory("tasks.csv", "id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity\n"+rows(func(i int) string {
			return fmt.Sprintf("%d,%d,60000,2,2600,4096", i, 1376314846000+i*10_000)
		}), 0)},
	}
	all["pai2020 instances without jobs"] = all["pai2020 instances"][1:]
	return all
}

// A slice is what a reading of everything has within it, for windows of each length and place.
func TestSlicesAsWhole(t *testing.T) {
	for name, files := range sliceable() {
		at, whole, err := arrivals(files, trace.Options{})
		if err != nil || len(whole) < 40 {
			t.Fatalf("%s: %d tasks, %v", name, len(whole), err)
		}
		for _, w := range [][2]int{{0, 10}, {5, 6}, {10, 39}, {20, 0}} {
			s := trace.Slice{From: at[w[0]], To: at[w[1]]}
			if w[1] == 0 {
				s.To = 0
			}
			var want []string
			for i, text := range whole {
				if at[i] >= s.From && (s.To == 0 || at[i] < s.To) {
					want = append(want, text)
				}
			}
			_, got, err := arrivals(files, trace.Options{Slice: s})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %v to %v: %v\ngot  %q\nwant %q", name, s.From, s.To, err, got, want)
			}
		}
	}
}

// Classes and users choose as a filter of everything does; every keeps whole jobs.
func TestSlicesByWhom(t *testing.T) {
	files := sliceable()
	_, all, _ := arrivals(files["google2019"], trace.Options{})
	_, production, err := arrivals(files["google2019"], trace.Options{Slice: trace.Slice{Classes: []workload.PriorityClass{workload.Production}}})
	if err != nil || len(production) != 20 || len(all) != 40 { // priorities 120 to 139 of 100 to 139
		t.Errorf("%d of %d are production: %v", len(production), len(all), err)
	}
	_, mine, err := arrivals(files["pai2020"], trace.Options{Slice: trace.Slice{Users: []string{"u1"}}})
	if err != nil || len(mine) != 13 { // of 40 jobs, those of numbers 1, 4, …, 37
		t.Errorf("%d tasks of u1: %v", len(mine), err)
	}
	_, some, _ := arrivals(files["alibaba2018"], trace.Options{Slice: trace.Slice{Every: 4}})
	_, same, _ := arrivals(files["alibaba2018"], trace.Options{EveryJob: 4})
	if !slices.Equal(some, same) || len(some) == 0 || len(some)%2 != 0 {
		t.Errorf("one of four jobs: %d tasks, and %d by EveryJob", len(some), len(same))
	}
}

// What a slice keeps fits if the whole does not.
func TestSlicesAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "task_x,1,j_%d,1,Terminated,%d,%d,100.0,0.5\n", i, i*10, i*10+50)
	}
	files := []trace.File{memory("batch_task.csv", b.String(), 0)}
	if _, _, err := arrivals(files, trace.Options{MaxTasks: 100}); err == nil {
		t.Error("3,000 tasks fit into a hundred")
	}
	_, got, err := arrivals(files, trace.Options{MaxTasks: 100, Slice: trace.Slice{From: 10_000 * unit.Second, To: 10_900 * unit.Second}})
	if err != nil || len(got) != 90 {
		t.Errorf("%d tasks: %v", len(got), err)
	}
	var jobs, tasks, instances strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&jobs, "job_%d,j%d,u%d,Terminated,%d.0,\n", i, i, i%3, i*10)
		fmt.Fprintf(&tasks, "job_%d,worker,1.0,Terminated,%d.0,%d.0,600.0,29.3,50.0,T4\n", i, i*10+5, i*10+50)
		fmt.Fprintf(&instances, "job_%d,worker,a%d,w%d,i%d,Terminated,%d.0,%d.0,m1\n", i, i, i, i, i*10+7, i*10+49)
	}
	pai := []trace.File{
		memory("pai_job_table.csv", jobs.String(), 0), memory("pai_task_table.csv", tasks.String(), 0),
		memory("pai_instance_table.csv", instances.String(), 0),
	}
	for n := 2; n <= 3; n++ {
		o := trace.Options{MaxTasks: 130, Slice: trace.Slice{From: 10_000 * unit.Second, To: 10_900 * unit.Second}}
		if _, got, err = arrivals(pai[:n], o); err != nil || len(got) != 90 {
			t.Errorf("%d tables of PAI: %d tasks: %v", n, len(got), err)
		}
	}
	borg := sliceable()["google2019"] // three rows of each of 40 instances
	if _, got, err = arrivals(borg, trace.Options{MaxTasks: 10, Slice: trace.Slice{From: 900 * unit.Second, To: 920 * unit.Second}}); err != nil || len(got) != 2 {
		t.Errorf("%d instances: %v", len(got), err)
	}
	_, _, err = arrivals(files, trace.Options{Slice: trace.Slice{From: 90_000 * unit.Second}})
	want := "batch_task.csv holds 3000 rows of work, and none submitted from 90000 s to the end; choose another part with workload.jobs: "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// All rows of a virtual machine that is left out are counted by the rule that left out its first row.
func TestSeriesLeftOut(t *testing.T) {
	for _, c := range []struct {
		second string // the other file; the first is kept
		o      trace.Options
		want   string
	}{
		{series(7200), trace.Options{Slice: trace.Slice{To: unit.Hour}}, "left out: outside the slice that is read (workload.jobs): 2"},
		{series(0), trace.Options{EveryJob: 2}, "left out: not among the one of every few jobs that is kept: 2"},
	} {
		files := []trace.File{memory("1.csv", series(0), 0), memory("2.csv", c.second, 0)}
		report, err := trace.Summarise(files, field.Formats(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, note := range report.Files[0].Notes {
			if strings.HasPrefix(note, "left out: ") {
				left = append(left, note)
			}
		}
		if !slices.Equal(left, []string{c.want}) {
			t.Errorf("%q\nwant %s", left, c.want)
		}
	}
}

// series is a file of Bitbrains: two measurements of a virtual machine, the first a number of seconds after the
// first of the trace.
func series(from int) string {
	at := 1_376_314_846 + from
	return "Timestamp [ms];CPU cores;CPU capacity provisioned [MHZ];CPU usage [MHZ];CPU usage [%];Memory capacity provisioned [KB];Memory usage [KB]\n" +
		fmt.Sprintf("%d;4;11704;10912;93.2;67108864;6129274\n%d;4;11704;10890;93;67108864;755691\n", at, at+300)
}
