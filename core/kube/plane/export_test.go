package plane

import "parley/core/unit"

// Begun returns the film that would begin now.
func (p *Plane) Begun() *Recording {
	f := new(Recording)
	f.begin(p)
	return f
}

// GoneAfter removes the object of a pod after a time, as kubectl delete --force does.
func (p *Plane) GoneAfter(i int, t unit.Time) { p.after(t, func() { p.gone(i, p.pods[i].life) }) }

// Backoff is how long a pod waits after a number of tries.
var Backoff = backoff
