package yield

// ParallelSlip is Parallel with the size model as the authors' program has it.
func ParallelSlip(e Effort) []Row { return e.parallel(true) }
