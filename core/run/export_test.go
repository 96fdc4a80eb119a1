package run

// Audited lets a test stand in for the audit of the cluster.
func Audited(by func() error) Option { return func(r *Run) { r.audit = by } }
