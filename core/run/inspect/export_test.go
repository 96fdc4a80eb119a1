package inspect

// Tell says in sentences what came of an incident.
func (i *Incident) Tell() string { return i.consequences() }

// CostLine says in one line what an incident cost.
func (i *Incident) CostLine() string { return i.cost() }

// Notes are those that the run keeps.
func (r *Inspector) Notes() *Notes { return r.of.Notes }

// Happened lets the run remember these incidents alone.
func (r *Inspector) Happened(all ...*Incident) { r.of.Incidents.all = all }
