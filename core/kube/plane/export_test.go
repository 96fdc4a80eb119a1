package plane

// Begun returns the film that would begin now.
func (p *Plane) Begun() *Recording {
	f := new(Recording)
	f.begin(p)
	return f
}

// Backoff is how long a pod waits after a number of tries.
var Backoff = backoff
