package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/feed"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/workload"
)

// written is a generated table of a published trace.
type written struct {
	name, file, head string
	row              func(i int, random *rng.Stream) string // may be several lines
}

// published are the tables of make bench trace, one a format: its rows are as long as the
// publisher's, and not in the order of time if those are not.
var published = []written{
	{"alibaba2018 batch_task", "batch_task.csv", "", func(i int, r *rng.Stream) string {
		at := 86_400 + r.Intn(600_000)
		return fmt.Sprintf("R%d_1,%d,j_%d,%d,Terminated,%d,%d,100.0,0.%02d", 2+i%4, 1+r.Intn(40), i/4, 1+i%12,
			at, at+1+r.Intn(900), 1+r.Intn(99))
	}},
	{"google2019 instance_events", "instance_events-000000000000.json", "", func(i int, r *rng.Stream) string {
		at := 700_000_000 + int64(r.Intn(2_000_000))*1_000_000
		line := func(at int64, kind, machine string) string {
			return fmt.Sprintf(
				`{"time":"%d","type":"%s","collection_id":"%d","scheduling_class":"2","collection_type":"0","priority":"103","alloc_collection_id":"0","instance_index":"%d","machine_id":"%s","resource_request":{"cpus":0.0164,"memory":0.00%d},"constraint":[]}`, at, kind, 360_000_000_000+i/20, i%20, machine, 1+r.Intn(9),
			)
		}
		return line(at, "0", "0") + "\n" + line(at+2_000_000, "3", fmt.Sprint(20_000_000+r.Intn(9_000))) + "\n" +
			line(at+900_000_000, "6", fmt.Sprint(20_000_000+r.Intn(9_000)))
	}},
	{"azure vmtable", "vmtable.csv", "", func(i int, r *rng.Stream) string {
		at := 300 * r.Intn(8_000)
		return fmt.Sprintf("%044d,%044d,%044d,%d,%d,9%d.3,3.%d,10.%d,Delay-insensitive,%d,%d.75", i, r.Intn(9_000),
			r.Intn(30_000), at, at+300*(1+r.Intn(500)), r.Intn(9), r.Intn(99), r.Intn(99), 1<<r.Intn(4), 1+r.Intn(30))
	}},
	{
		"openb2023 pods", "openb_pod_list_default.csv",
		"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n", func(i int, r *rng.Stream) string {
			at := 10 * i
			return fmt.Sprintf("openb-pod-%04d,%d,%d,1,%d,,LS,Running,%d,%d,%d", i, 1000*(1+r.Intn(16)),
				1024*(1+r.Intn(32)), 10*(1+r.Intn(100)), at, at+1000+r.Intn(100_000), at+1+r.Intn(50))
		},
	},
	{"pai2020 tasks", "pai_task_table.csv", "", func(i int, r *rng.Stream) string {
		at := 2_000_000 + r.Intn(4_000_000)
		return fmt.Sprintf("%024x,worker,%d.0,Terminated,%d.0,%d.0,600.0,29.296875,%d.0,T4", i, 1+r.Intn(8),
			at, at+r.Intn(9_000), 25*(1+r.Intn(8)))
	}},
	{
		"opendc tasks", "tasks.csv", "id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity\n",
		func(i int, r *rng.Stream) string {
			return fmt.Sprintf("%d,%d,%d,%d,%d,%d", i, 1_376_314_846_000+int64(i)*9_000, 1000*(1+r.Intn(90_000)),
				1+r.Intn(8), 2600*(1+r.Intn(8)), 1024*(1+r.Intn(64_000)))
		},
	},
	{
		"sacct", "sacct.txt",
		"JobID|User|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocCPUS|ReqMem|AllocTRES\n",
		func(i int, r *rng.Stream) string {
			at := time.Unix(1_700_000_000+int64(i)*7, 0).UTC()
			run := 60 + r.Intn(90_000)
			begin := at.Add(time.Duration(r.Intn(900)) * time.Second)
			const form = "2006-01-02T15:04:05"
			return fmt.Sprintf(
				"%d|user%d|gpu|%s|%s|%s|%d|1440|COMPLETED|%d|16G|billing=8,cpu=8,gres/gpu=%d,mem=16G,node=1",
				1_000_000+i, r.Intn(300), at.Format(form), begin.Format(form),
				begin.Add(time.Duration(run)*time.Second).Format(form), run, 1<<r.Intn(6), 1+r.Intn(8),
			)
		},
	},
}

// Published measures the rows per second of reading a generated table of a published trace to the
// last record; beside it, the tasks or jobs per second.
func Published(w written, rows int) Measurement {
	return Measurement{
		Name: w.name, Unit: "rows/s", Beside: "tasks or jobs a second",
		Both: func(now func() time.Time) (perRow, perTask float64, err error) {
			random := rng.New(1, "bench/"+w.name)
			var text bytes.Buffer
			text.WriteString(w.head)
			for i := range rows {
				text.WriteString(w.row(i, random) + "\n")
			}
			lines := bytes.Count(text.Bytes(), []byte("\n")) - bytes.Count([]byte(w.head), []byte("\n"))
			tasks := 0
			seconds, err := timed(now, func() error {
				tasks, err = tasksOf(inMemory(w.file, text.Bytes()))
				return err
			})
			return float64(lines) / seconds, float64(tasks) / seconds, err
		},
	}
}

// tasksOf reads a file to its end and counts the tasks and jobs that arrive.
func tasksOf(f trace.File) (tasks int, err error) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central"}`))
	if err != nil {
		return 0, err
	}
	source, err := feed.Open(s, []trace.File{f}, formats.All, trace.Options{})
	if err != nil {
		return 0, err
	}
	var r workload.Record
	for {
		if err := source.Next(&r); errors.Is(err, io.EOF) {
			return tasks, nil
		} else if err != nil {
			return tasks, err
		}
		if r.Kind == workload.TaskArrives || r.Kind == workload.JobArrives {
			tasks++
		}
	}
}

// allPublished returns the measurements of all tables.
func allPublished() (list []Measurement) {
	for _, w := range published {
		list = append(list, Published(w, 100_000))
	}
	return list
}
