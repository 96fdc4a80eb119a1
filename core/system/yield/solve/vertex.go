package solve

// Share is one positive entry of a relaxed solution: task i is on Host with weight E and receives
// CPU there.
type Share struct {
	Host int
	E    float64 // e_ij; over the hosts of a task it sums to 1
	CPU  float64 // a_ij <= e_ij; over the hosts of a task it sums to need * Bound
}

// vertex returns an optimal vertex of the relaxed program (3)-(11) without its
// integrality: for each task, jobs in order, its entries by host. All tasks together must
// fit into all memory.
//
// At the optimum Y the CPU a task gets is fixed, c_i = a_i*Y: either all CPU is
// used up or every need is met. So e splits into a CPU parcel of size c_i and a
// parcel s_i of size 1-c_i, and the program into two transportation problems:
// parcels c over hosts of CPU 1, and then parcels s, each weighing m_i a unit,
// over the memory that the first leaves. Filling the hosts in order (the
// north-west corner rule) gives a vertex of each. The first never breaks memory,
// because sum m_i*a_ij <= sum a_ij <= 1, and is fixed by CPU rows alone; given it,
// the second is fixed by the memory rows. Hence the pair is a vertex of the whole.
func (t tasks) vertex() [][]Share {
	shares := make([][]Share, t.len())
	cpu := corner{room: make([]float64, t.hosts)}
	mem := corner{room: make([]float64, t.hosts)}
	for h := range t.hosts {
		cpu.room[h], mem.room[h] = 1, 1
	}
	for i, a := range t.cpu {
		cpu.pour(float64(a*t.bound), func(h int, amount float64) {
			shares[i] = append(shares[i], Share{Host: h, E: amount, CPU: amount})
			mem.room[h] -= float64(amount * t.mem[i])
		})
	}
	for i, m := range t.mem {
		mem.pour(float64(m*(1-float64(t.cpu[i]*t.bound))), func(h int, amount float64) {
			shares[i] = addToHost(shares[i], h, amount/m)
		})
	}
	return shares
}

// addToHost adds e to the entry of host h, keeping the entries sorted by host.
func addToHost(shares []Share, h int, e float64) []Share {
	at := len(shares)
	for at > 0 && shares[at-1].Host >= h {
		at--
	}
	if at < len(shares) && shares[at].Host == h {
		shares[at].E += e
		return shares
	}
	shares = append(shares, Share{})
	copy(shares[at+1:], shares[at:])
	shares[at] = Share{Host: h, E: e}
	return shares
}

// corner fills hosts one after the other.
type corner struct {
	room []float64
	at   int
}

// dust is an amount that only rounding leaves over.
const dust = 1e-12

// pour hands amount to the hosts from c.at on and calls put for each part; hosts that are full are
// passed for good. The last host takes any remainder, which only rounding may leave if all fits in
// total.
func (c *corner) pour(amount float64, put func(host int, amount float64)) {
	for amount > dust {
		last := c.at == len(c.room)-1
		if c.room[c.at] <= dust && !last {
			c.at++
			continue
		}
		part := amount
		if !last {
			part = min(amount, c.room[c.at])
		}
		put(c.at, part)
		c.room[c.at] -= part
		amount -= part
	}
}
