package run

// Audited lets a test stand in for the audit of the cluster.
func Audited(by func() error) Option { return func(r *Run) { r.audit = by } }

// Tell says in sentences what came of an incident.
func (i *Incident) Tell() string { return i.tell() }

// CostLine says in one line what an incident cost.
func (i *Incident) CostLine() string { return i.cost() }

// Notes are those that the run keeps.
func (r *Run) Notes() *Notes { return r.notes }

// Happened lets the run remember these incidents alone.
func (r *Run) Happened(all ...*Incident) { r.incidents.all = all }
