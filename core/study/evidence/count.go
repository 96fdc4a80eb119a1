package evidence

// Counts are how many claims hold, do not hold and are open.
type Counts struct {
	Method             string
	Holds, Fails, Open int
}

// All returns the number of claims.
func (c Counts) All() int { return c.Holds + c.Fails + c.Open }

// Count returns the verdicts of all rows, and those of each method that rows name, in their order.
func Count(rows []Row) (all Counts, apart []Counts) {
	at := map[string]int{}
	for i := range rows {
		r := &rows[i]
		if r.Holds == nil && !r.Open() {
			continue
		}
		into := []*Counts{&all}
		if r.Method != "" {
			if _, known := at[r.Method]; !known {
				at[r.Method] = len(apart)
				apart = append(apart, Counts{Method: r.Method})
			}
			into = append(into, &apart[at[r.Method]])
		}
		for _, c := range into {
			switch {
			case r.Holds == nil:
				c.Open++
			case *r.Holds:
				c.Holds++
			default:
				c.Fails++
			}
		}
	}
	return all, apart
}
