package yield

// perSet is how many small instances the paper's set has.
const perSet = 1440

// survey runs every algorithm on a set and extracts the values of the paper's
// figures: 11 to 14 on small instances, 15 to 18 on large ones, 19 to 22 of parallel jobs.
func (c call) survey() map[string]float64 {
	s := c.take()
	values := s.curves()
	switch c.Set {
	case small:
		s.ofSmall(values)
	case large:
		s.ofLarge(values)
	default:
		s.ofParallel(values)
	}
	return values
}

// ofSmall compares with the exact optimum and the bound of the relaxed program.
func (s survey) ofSmall(values map[string]float64) {
	infeasible := s.at("exact", 0).failed.value()
	values["infeasible instances"] = infeasible / 100 * perSet
	for _, a := range []string{"mcb8", "sg", "gb", "sgb"} {
		values[a+" fails though feasible"] = (s.at(a, 0).failed.value() - infeasible) / 100 * perSet
	}
	for _, a := range s.algorithms[2:7] {
		values["exact above "+a] = s.pairs[a].percentBetter()
	}
	lp := s.pairs["lp"]
	values["lp above exact"] = pair{reference: lp.algorithm, algorithm: lp.reference}.percentBetter()
	s.roundingLoss(values, "rrnz", 2)
	s.roundingLoss(values, "rrnd", 2)
	values["rrnd fails beyond gr"] = s.at("rrnd", 0).failed.value() - s.at("gr", 0).failed.value()
	values["gr fails beyond rrnz"] = s.at("gr", 0).failed.value() - s.at("rrnz", 0).failed.value()
}

// roundingLoss computes a rounding algorithm's loss of minimum yield as the slack
// grows to 0.9.
func (s survey) roundingLoss(values map[string]float64, algorithm string, fromTenths int) {
	from, to := s.at(algorithm, fromTenths).minYield.value(), s.at(algorithm, 9).minYield.value()
	name := map[int]string{2: " loses from slack 0.2 to 0.9", 4: " loses from slack 0.4 to 0.9"}[fromTenths]
	values[algorithm+name] = 100 * (from - to) / from
}

// ofLarge compares with the bound.
func (s survey) ofLarge(values map[string]float64) {
	below := func(tenths int, names ...string) (m mean) {
		for _, a := range names {
			m.add(100 * (1 - s.at(a, tenths).minYield.value()/s.at("lp", tenths).minYield.value()))
		}
		return m
	}
	var loose, greedy mean
	for tenths := 3; tenths <= 9; tenths++ {
		loose.add(below(tenths, "mcb8").value())
		greedy.add(below(tenths, "gr", "sg", "gb", "sgb").value())
	}
	values["mcb8 below lp, slack 0.1"] = below(1, "mcb8").value()
	values["mcb8 below lp, slack 0.2"] = below(2, "mcb8").value()
	values["mcb8 below lp, slack above 0.2"] = loose.value()
	values["greedy below lp, slack above 0.2"] = greedy.value()
	failures := func(a string) float64 { return s.at(a, 0).failed.value() }
	for _, a := range s.algorithms[1:] {
		values[a+" failures"] = failures(a)
	}
	values["mcb8 fails less than gr by"] = 100 * (1 - failures("mcb8")/failures("gr"))
	values["mcb8 fails less than rrnz by"] = 100 * (1 - failures("mcb8")/failures("rrnz"))
	values["rrnd failures over mcb8's"] = failures("rrnd") / failures("mcb8")
	var tight mean
	for tenths := 1; tenths <= 3; tenths++ {
		tight.add(100 - s.at("rrnd", tenths).failed.value())
	}
	values["rrnd solves, slack below 0.4"] = tight.value()
	s.roundingLoss(values, "rrnz", 4)
	values["sg average yield over mcb8's"] = s.at("sg", 0).avgYield.value() - s.at("mcb8", 0).avgYield.value()
}

// ofParallel compares MCB8 and SG.
func (s survey) ofParallel(values map[string]float64) {
	values["mcb8 above sg"] = s.pairs["sg"].percentBetter()
	values["mcb8 below lp, slack 0.9"] = 100 * (1 - s.at("mcb8", 9).minYield.value()/s.at("lp", 9).minYield.value())
	values["failures of mcb8 beyond sg"] = s.at("mcb8", 0).failed.value() - s.at("sg", 0).failed.value()
	values["sg average yield over mcb8's"] = s.at("sg", 0).avgYield.value() - s.at("mcb8", 0).avgYield.value()
}
