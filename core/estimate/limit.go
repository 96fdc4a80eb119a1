package estimate

// Limit finds the last of the places 0 to last that fits, given that all up to it do and none
// beyond. It asks for one place after the other: begin is its first place, from which it goes on in
// steps of 4, 8, 16 … until it has passed the limit, or -1 for plain bisection. If try does not
// know a place yet, Limit returns it as ask; else ask is -1 and limit the answer, -1 if none fits.
func Limit(begin, last int, try func(int) (fits, known bool)) (limit, ask int) {
	low, high := -1, last+1 // low fits, high does not
	at, step := begin, 4
	if begin < 0 {
		at = (low + high) / 2
	}
	for high-low > 1 {
		fits, known := try(at)
		if !known {
			return low, at
		}
		if fits {
			low = at
		} else {
			high = at
		}
		switch {
		case begin >= 0 && low == -1:
			at = max(high-step, 0)
			step *= 2
		case begin >= 0 && high == last+1:
			at = min(low+step, last)
			step *= 2
		default:
			at = (low + high) / 2
		}
	}
	return low, -1
}
