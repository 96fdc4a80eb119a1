package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
)

// working is how many runs a command plays at the same time.
type working struct{ jobs int }

func (w *working) addJobs(cmd *cobra.Command) {
	cmd.Flags().IntVar(&w.jobs, "jobs", runtime.NumCPU(), "number of runs played at the same time; it does not change the results")
}

// each plays the parts 0 to n-1, several at the same time. It returns the error of the
// first part that has one; after an error no further part begins.
func (w *working) each(n int, part func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var players sync.WaitGroup
	for range min(max(w.jobs, 1), n) {
		players.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = part(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	players.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
