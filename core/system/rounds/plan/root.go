package plan

// reach returns an argument at which f has just reached size, given
// f(low) < size <= f(high), to 12 digits of size. f is piecewise linear and
// nearly always grows, so this is regula falsi with the Illinois weights; the
// bracket holds even if f jumps.
func reach(low, high, size float64, f func(float64) float64) float64 {
	below, above := f(low)-size, f(high)-size
	side := 0      // the end that the last step moved: 1 the upper one, -1 the lower one
	for range 60 { // a limit, because where f jumps the bracket may shrink slowly
		if above <= 1e-12*size {
			break
		}
		at := high - above*(high-low)/(above-below)
		if !(at > low && at < high) {
			at = (low + high) / 2
			if !(at > low && at < high) {
				break
			}
		}
		if rest := f(at) - size; rest >= 0 {
			high, above = at, rest
			if side > 0 {
				below /= 2
			}
			side = 1
		} else {
			low, below = at, rest
			if side < 0 {
				above /= 2
			}
			side = -1
		}
	}
	return high
}
