package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/field"
	"parley/core/trace/formats"
	"parley/core/trace/jobtable"
	"parley/tools/parley/load"
)

// sharedTraces is the folder of public traces that are too large or not free to be kept here; the
// test is skipped if it is absent.
func sharedTraces(t *testing.T) string {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	if _, err := os.Stat(filepath.Join(root, "field", "COUNTS.tsv")); err != nil {
		t.Skip("the public traces are not here: name their folder in PARLEY_TRACES")
	}
	return root
}

// counted returns what a line of COUNTS.tsv says, by name.
func counted(text string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(text, "; ") {
		name, value, _ := strings.Cut(part, "=")
		all[name] = value
	}
	return all
}

// TestCounts reads the files that COUNTS.tsv counts, which another program did, as the command line
// does. A line is met, or its file is refused with a sentence. Those of batch systems are read by tests
// of their own package.
func TestCounts(t *testing.T) {
	root := sharedTraces(t)
	list, err := os.Open(filepath.Join(root, "field", "COUNTS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), "\t")
		t.Run(name, func(t *testing.T) { meets(t, filepath.Join(root, "field"), name, counted(text)) })
	}
}

// meets compares what is read of one line's files with what was counted.
func meets(t *testing.T, root, name string, want map[string]string) {
	files := []string{name}
	refusal := ""
	switch {
	case strings.HasPrefix(name, "sacct/"), strings.HasPrefix(name, "accounting/"):
		t.Skip("a log of a batch system, which tests of jobtable read")
	case name == "borg2019 machines, all cells":
		t.Skip("the sum of other lines")
	case strings.HasPrefix(name, "opendc/failure/"):
		files, refusal = []string{name + ".parquet"}, "is a table of failures of OpenDC"
	case strings.HasPrefix(name, "opendc/"), strings.HasPrefix(name, "wtf/"):
		files = nil
		if _, err := os.Stat(filepath.Join(root, name+".parquet")); err == nil {
			files = []string{name + ".parquet"}
		} else {
			for _, part := range []string{"meta", "tasks", "trace", "fragments"} {
				if _, err := os.Stat(filepath.Join(root, name, part+".parquet")); err == nil {
					files = append(files, name+"/"+part+".parquet")
				}
			}
		}
	case strings.HasSuffix(name, "_host_resource.csv"):
		refusal = "is a list of machine sizes of the Google trace of 2019"
	case strings.HasSuffix(name, "_user_requests.csv.gz"):
		refusal = "without a column type"
	case strings.HasPrefix(name, "alibaba2018/tiny"):
		refusal = "is a table of jobs without a column that is known for submit and processors"
	}
	for i := range files {
		files[i] = filepath.Join(root, files[i])
		if info, err := os.Stat(files[i]); err == nil && info.Size() > 300_000 && testing.Short() {
			t.Skip("-short: a file of more than 300 kB")
		}
	}
	given := load.Trace{Names: files}
	opened, err := given.Files()
	if err != nil {
		t.Fatal(err)
	}
	report, err := trace.Summarise(opened, formats.All, trace.Options{})
	if refusal != "" {
		if err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("%v\nwant a refusal that says: %s", err, refusal)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := found(report, strings.HasPrefix(name, "opendc/"))
	checked := 0
	for subject, value := range want {
		if have, known := got[subject]; known {
			checked++
			if have != value {
				t.Errorf("%s is %s, want %s", subject, have, value)
			}
		}
	}
	if checked < 1 || checked < 3 && len(want) > 4 && name != "wtf/shell/workflows" { // of which rows are counted alone
		t.Errorf("%d of %d counts are compared: %v, of %v", checked, len(want), want, got)
	}
}

// found returns what a report counts, by the names of COUNTS.tsv.
func found(r trace.Report, opendc bool) map[string]string {
	rows := int64(0)
	for _, f := range r.Files {
		rows += f.Rows
	}
	got := map[string]string{}
	number := func(name string, n int64) { got[name] = strconv.FormatInt(n, 10) }
	switch s := r.Summary.(type) {
	case jobtable.Summary:
		number("rows", rows)
		number("jobs", s.Jobs)
		got["gpu_hours"] = fmt.Sprintf("%.1f", s.GPUHours)
	case field.Summary:
		if number("rows", rows); opendc {
			delete(got, "rows")
			number("tasks", s.Rows)
			number("ids", s.Jobs)
			number("fragments", s.Counts["fragments"])
			number("usage_over_capacity", s.Counts["fragments_beyond_the_capacity"])
			return got
		}
		switch s.Trace {
		case "Alibaba's openb trace of 2023":
			if s.Machines > 0 && s.Instances == 0 {
				number("gpus", s.MachineGPUs)
				number("cpu_only_nodes", s.Counts["nodes_without_gpu"])
				got["cores"] = fmt.Sprint(s.MachineCores)
				break
			}
			number("gpu_spec", s.Counts["pods_that_name_models"])
			number("fractional", s.Counts["pods_with_part_of_a_gpu"])
			number("cpu_only", s.Counts["pods_without_gpu"])
			number("running_with_deletion", s.Counts["running_with_a_deletion_time"])
		case "Alibaba's PAI trace of 2020":
			number("machines", s.Machines)
			got["gpus"], got["cores"] = fmt.Sprintf("%d.0", s.MachineGPUs), fmt.Sprintf("%.1f", s.MachineCores)
		case "Alibaba's DLRM trace of 2025":
			number("instances", s.Instances)
			number("no_creation", s.Counts["created_before_the_trace"])
			number("no_deletion", s.Counts["deleted_after_the_end"])
			number("apps", s.Jobs)
		case "the Grid Workloads Format", "the Workflow Trace Format":
			number("workflows", s.Counts["workflows"])
			number("with_deps", s.Counts["jobs_with_dependencies"])
			number("zero_run", s.Counts["run_time_zero_or_unknown"])
			number("unsorted", s.Counts["submitted_before_the_row_above"])
			if number("parent_links", s.Counts["dependencies_of_all_jobs"]); s.Rows == 0 { // the table of workflows alone
				got = map[string]string{"rows": got["rows"]}
			}
		case "Batsim's workloads":
			number("nb_res", s.Counts["resources"])
			number("jobs", s.Counts["jobs"])
			number("profiles", s.Counts["profiles"])
			number("no_walltime", s.Counts["jobs_without_walltime"])
			delete(got, "rows")
		}
	}
	return got
}
