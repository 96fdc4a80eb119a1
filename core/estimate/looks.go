package estimate

// Looks returns when values that arrive one by one are examined, until they suffice: after
// least of them, then twice as many, and so on, and after all. Looking seldom costs few
// values more, and an interval that is to hold at each look need not be much wider.
func Looks(first, all int) (list []int) {
	for n := first; n < all; n *= 2 {
		list = append(list, n)
	}
	return append(list, all)
}

// OfLooks is Of for values that are looked at several times, if the values seen may decide whether
// others follow. The interval at one look holds the true mean with 1 − 0.05/looks, so all of them
// together do with 95 % at least (Bonferroni), and so does the one at which the study stopped, for
// every stopping rule. An interval of Of does not: looked at after each of a hundred values, it
// misses the mean at one time or another in a third of all studies.
func OfLooks(values []float64, looks int) Estimate {
	e := moments(values)
	if e.N > 2 {
		risk := Risk / float64(looks)
		e.around(Quantile(risk, e.N-1), risk)
	}
	return e
}
