package paper_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"parley/core/paper"
	"parley/core/trace"
)

// TestGPUs plays the published files of Muri, Tiresias, Pollux and FGD where they are at hand: each row
// holds, of the first three to the last published digit. Muri's second and fourth trace take 10 s and are left to
// `parley paper gpu/muri`.
func TestGPUs(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	for id, c := range map[string]struct {
		rows  int
		files []string
	}{ // of fgd/openb four figures are 0.1 to 0.7 below published means of other orders of the pods
		"gpu/muri":     {36, []string{"muri/trace1.csv", "muri/trace1_pr.csv", "muri/trace3.csv", "muri/trace3_pr.csv"}},
		"gpu/tiresias": {17, []string{"tiresias/60_job.csv"}},
		"gpu/pollux":   {32, []string{"pollux/workload-*.csv", "pollux/traces/*/*.csv", "pollux/interpolated-step-times.csv", "pollux/published-*-1.0.json"}},
		"fgd/openb":    {23, []string{"../openb2023/openb_node_list_gpu_node.csv", "../openb2023/openb_pod_list_default.csv.gz"}},
	} {
		t.Run(id, func(t *testing.T) {
			var files []trace.File
			for _, name := range c.files {
				paths, err := filepath.Glob(filepath.Join(root, "field", "gpu", filepath.FromSlash(name)))
				if err != nil || len(paths) == 0 {
					t.Skipf("no field/gpu/%s in %s, see PARLEY_TRACES", name, root)
				}
				for _, path := range paths {
					files = append(files, trace.File{Name: path, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(path) }})
				}
			}
			e, err := paper.Find(id)
			if err != nil {
				t.Fatal(err)
			}
			result, err := e.Run(paper.Options{Raw: files})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Rows) != c.rows {
				t.Errorf("%d rows, want %d", len(result.Rows), c.rows)
			}
			open := map[string]bool{}
			for _, name := range []string{"fgd: GPUs allocated, 130 % asked for", "fgd: GPUs allocated, 100 % asked for", "fgd: GPUs that are idle and fragmented, 130 % asked for", "packing: GPUs allocated, 100 % asked for"} {
				open[name] = true
			}
			for _, row := range result.Rows {
				if is := row.Holds != nil && *row.Holds; is == open[row.Name] {
					t.Errorf("%s: published %v, here %v, holds %v", row.Name, *row.Paper, row.Measured, is)
				}
			}
		})
	}
}
