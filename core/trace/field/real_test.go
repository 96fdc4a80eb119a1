package field_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/field"
	"parley/core/trace/simgrid"
	"parley/core/workload"
)

// published returns files of the public traces; the test is passed over if they are not there.
func published(t *testing.T, paths ...string) (files []trace.File) {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	for _, path := range paths {
		path = filepath.Join(root, path)
		info, err := os.Stat(path)
		if err != nil {
			t.Skipf("no %s, see PARLEY_TRACES", path)
		}
		files = append(files, trace.File{Name: path, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }})
	}
	return files
}

// The counts of the public files were found with other programs.
func TestReal(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    []string
		machines int64
		gpus     int64
		work     int64 // rows that are played as work
		counts   map[string]int64
		states   map[string]int64
		models   map[string]int64
	}{
		{
			"openb",
			[]string{"field/openb2023/openb_node_list_all_node.csv", "field/openb2023/openb_pod_list_default.csv.gz"},
			1523, 6212, 7255,
			map[string]int64{"nodes_without_gpu": 310, "pods_with_part_of_a_gpu": 3078, "pods_without_gpu": 1088, "running_with_a_deletion_time": 5193, "qos_ls": 4647, "qos_be": 3398},
			map[string]int64{"Running": 5193, "Succeeded": 192, "Failed": 1870, "Pending": 897},
			map[string]int64{"G2": 549, "T4": 404, "A10": 2},
		},
		{
			"openb, models",
			[]string{"field/openb2023/openb_node_list_gpu_node.csv", "field/openb2023/openb_pod_list_gpuspec33.csv.gz"},
			1213, 6212, 7255,
			map[string]int64{"pods_that_name_models": 2388},
			nil,
			map[string]int64{"P100": 134},
		},
		{"openb, no times", []string{"field/openb2023/openb_pod_list_multigpu50.csv.gz"}, -1, -1, 9061, map[string]int64{"pods_with_part_of_a_gpu": 3078}, nil, nil},
		{"PAI machines", []string{"field/pai2020/pai_machine_spec.tar.gz"}, 1897, 6742, 0, nil, nil, map[string]int64{"CPU": 83, "T4": 497, "MISC": 280, "P100": 798, "V100": 104, "V100M32": 135}},
		{
			"DLRM",
			[]string{"field/gpu-disagg2025/disaggregated_DLRM_trace.csv.gz"},
			-1, -1, 23871,
			map[string]int64{"role_hn": 7386, "role_cn": 16485, "created_before_the_trace": 7280, "deleted_after_the_end": 8878},
			nil, nil,
		},
		{"Alibaba 2017", []string{"alibaba2017/batch_task.csv.gz"}, -1, 0, 71705, map[string]int64{"created_before_the_trace": 167, "without_an_end": 208, "without_cpu_and_memory": 9017}, nil, nil},
		{"Grid Workloads Format", []string{"field/gwf/trace.gwf"}, -1, 0, 63, map[string]int64{"workflows": 10, "jobs_with_dependencies": 60, "run_time_zero_or_unknown": 7, "submitted_before_the_row_above": 16}, nil, nil},
		{"Google 2019, a sample", []string{"borg2019/collection-sample.csv"}, 0, 0, 0, map[string]int64{"collection_events_submit": 743}, nil, nil},
		{"Bitbrains", []string{"bitbrains/bitbrains.csv.gz"}, -1, 0, 1, map[string]int64{"virtual_machines": 1}, nil, nil},
		{"Azure", []string{"azure2017/vmtable.csv.gz"}, -1, 0, 10, map[string]int64{"category_unknown": 2, "there_before_the_trace": 7}, nil, nil},
		{"Alibaba 2018", []string{"alibaba2018/machine_meta.csv.gz"}, 4033, 0, 0, map[string]int64{"machines_never_in_use": 1}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := trace.Summarise(published(t, c.files...), field.Formats(), trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := report.Summary.(field.Summary)
			if c.machines >= 0 && s.Machines != c.machines || c.gpus >= 0 && s.MachineGPUs != c.gpus || s.Rows != c.work {
				t.Errorf("%d machines, %d GPUs, %d rows of work, want %d, %d, %d", s.Machines, s.MachineGPUs, s.Rows, c.machines, c.gpus, c.work)
			}
			for _, of := range []struct{ got, want map[string]int64 }{{s.Counts, c.counts}, {s.States, c.states}, {s.Models, c.models}} {
				for name, n := range of.want {
					if of.got[name] != n {
						t.Errorf("%s is %d, want %d", name, of.got[name], n)
					}
				}
			}
		})
	}
}

// Every workload of Batsim has the resources, jobs and profiles that were counted.
func TestRealBatsim(t *testing.T) {
	counts, err := published(t, "field/COUNTS.tsv")[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	seen := 0
	for lines := bufio.NewScanner(counts); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), "\t")
		if !strings.HasPrefix(name, "batsim/workloads/") {
			continue
		}
		seen++
		report, err := trace.Summarise(published(t, "field/"+name), field.Formats(), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := report.Summary.(field.Summary)
		got := fmt.Sprintf("nb_res=%d; jobs=%d; profiles=%d; ", s.Counts["resources"], s.Counts["jobs"], s.Counts["profiles"])
		if sorted := s.Counts["submitted_before_the_job_above"] == 0; !strings.HasPrefix(text, got) || !strings.Contains(text, fmt.Sprintf("no_walltime=%d;", s.Counts["jobs_without_walltime"])) ||
			sorted != strings.HasSuffix(text, "sorted=True") || report.Files[0].Rows != s.Counts["jobs"] {
			t.Errorf("%s: %s%+v, want %s", name, got, s.Counts, text)
		}
	}
	if seen == 0 {
		t.Error("no workload of Batsim was counted")
	}
}

// Jobs that compute take as long as the workload of Batsim's own tests expects on hosts of 1 Gflop/s.
func TestRealBatsimPlatform(t *testing.T) {
	const name = "field/batsim/workloads/test_compo_sequence_ptaskcomp.json"
	files := published(t, name, "field/batsim/platforms/cluster512.xml")
	in, err := files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var of struct {
		Jobs     []struct{ Profile string }
		Profiles map[string]struct {
			Expected float64 `json:"expected_execution_time"`
		}
	}
	if err := json.NewDecoder(in).Decode(&of); err != nil {
		t.Fatal(err)
	}
	source, err := trace.Open(files, append(field.Formats(), simgrid.Format()), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	hosts, jobs := 0, 0
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		switch r.Kind {
		case workload.NodeJoins:
			hosts++
		case workload.JobArrives: // all of them at 0, in the order of the file
			if want := of.Profiles[of.Jobs[jobs].Profile].Expected; r.Job.Run.Seconds() != want {
				t.Errorf("job %d runs for %g s, want %g", jobs, r.Job.Run.Seconds(), want)
			}
			jobs++
		}
	}
	if hosts != 512 || jobs != len(of.Jobs) {
		t.Errorf("%d hosts and %d jobs, want 512 and %d", hosts, jobs, len(of.Jobs))
	}
}

// Each case of a published trace has the values beside it, which the publishers' schemas and answers say.
func TestExpected(t *testing.T) {
	for name, want := range map[string][]string{
		"01-alibaba2017-hundredths.csv":          {"29 instances, each of 1 core,", "in all 29 cores; submitted at 59581 s, ended at 59592 s after 11 s"},
		"03-alibaba2018-container-snapshots.csv": {"understood: 4 cores, 1.56 % of the memory of the largest machine; submitted at 0 s, ended at 221530 s after 221530 s, on m_1986", "later sights of a container that a row above describes: 3"},
		"04-alibaba2018-dag-start.csv":           {"· 0.5 cores, 0.2 % of the memory of the largest machine; submitted at 87083 s, ended at 87086 s after 3 s"},
		"06-pai-per-instance.csv":                {"each of 6 cores, 1 GPU,", "in all 24 cores and 4 GPUs;", "each of 4 cores, 0.5 GPUs,", "in all 8 cores and 1 GPU;"},
		"07-openb-running-deleted.csv":           {"1 GPU, 16 GiB; submitted at 0 s, ended at 12537496 s after 12537496 s", "0.46 GPUs, 12 GiB; submitted at 427061 s, ended at 12902960 s after 12475899 s"},
		"09-azure-packing-kinds.csv":             {"type 12 takes of one machine (kind 0: 0.0208 of its CPU, 0.0104 of its memory) or (kind 3: 0.0104 of its CPU, 0.00458 of its memory)"},
		"11-philly-attempts.json":                {"understood: 8 processors at once; submitted at 0 s, ready or started at 30 s, ended at 104 s after 74 s", "jobs that were submitted and never placed: no attempt, or none with a start: 2"},
		"12-borg2019-tiers.jsonl":                {"collection 1: priority 103, best effort batch tier, there before the trace began", "collection 2: priority 450, monitoring tier, first seen at 600 s, alive at the end: it has no end time"},
	} {
		file := published(t, "../cases/traces/"+name)
		report, err := trace.Summarise(file, field.Formats(), trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notes := strings.Join(report.Files[0].Notes, "\n")
		for _, text := range want {
			if !strings.Contains(notes, text) {
				t.Errorf("%s says\n%s\nwant %s in it", name, notes, text)
			}
		}
	}
}
