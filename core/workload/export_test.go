package workload

// Exp2, Log2 and Deviation are the arithmetic of the moving usage model, for tests
// beside floats.
var (
	Exp2      = exp2
	Log2      = log2
	Deviation = deviation
)
