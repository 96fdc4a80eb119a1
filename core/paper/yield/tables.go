package yield

// variants are the eight bin packing variants of tables 1 and 7.
var variants = []string{"mcb1", "mcb2", "mcb3", "mcb4", "mcb5", "mcb6", "mcb7", "mcb8"}

// degradation measures by how many per cent each variant stays below the best
// one of an instance. Instances that no variant solves are left out. A variant
// that fails where another succeeds counts as 100 % in the average and not at
// all in the maximum: the reading under which both tables come out.
func (c call) degradation() map[string]float64 {
	values := map[string]float64{}
	average := map[string]*mean{}
	for _, v := range variants {
		average[v] = &mean{}
		values[v+" maximum"] = 0
	}
	var above3, above10 mean
	c.each(func(d drawn) {
		found := map[string]solution{}
		best := 0.0
		for _, v := range variants {
			found[v] = d.run(v)
			best = max(best, found[v].minYield)
		}
		if best == 0 {
			return
		}
		for _, v := range variants {
			below := 100 * (best - found[v].minYield) / best
			average[v].add(below)
			if found[v].solved {
				values[v+" maximum"] = max(values[v+" maximum"], below)
			}
			if v == "mcb8" {
				above3.add(percentIf(below > 3))
				above10.add(percentIf(below > 10))
			}
		}
	})
	for _, v := range variants {
		values[v+" average"] = average[v].value()
	}
	values["mcb8 more than 3 % below best"] = above3.value()
	values["mcb8 more than 10 % below best"] = above10.value()
	return values
}

func percentIf(b bool) float64 {
	if b {
		return 100
	}
	return 0
}
