package field_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/field"
)

// published returns files of the public traces; the test is passed over where they are not there.
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
