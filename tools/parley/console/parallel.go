package console

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
)

// Workers is the number of runs that a command plays at the same time.
type Workers struct{ Jobs int }

func (w *Workers) AddJobs(cmd *cobra.Command) {
	cmd.Flags().IntVar(&w.Jobs, "jobs", runtime.NumCPU(),
		"number of runs played at the same time; it does not change the results")
}

// Each plays the parts 0 to n-1, several at the same time. It returns the error of the
// first part that has one; after an error no further part begins.
func (w *Workers) Each(n int, part func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var players sync.WaitGroup
	for range min(max(w.Jobs, 1), n) {
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

// MaxJobs guards against typing errors.
const MaxJobs = 1024
