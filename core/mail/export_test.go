package mail

// QueueCapacity is how many waits the memory of d has room for.
func QueueCapacity(d *Deadlines) int { return cap(d.queue.Values()) }
