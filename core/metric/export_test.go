package metric

// AliveJobs is of how many jobs j has kept anything.
func AliveJobs(j *Jobs) int { return len(j.alive) }

// Spiked is spiked.
var Spiked = spiked
