package kube

import (
	"math"
	"strings"
)

// Quantity is an amount as Kubernetes writes it ("250m", "1.5Gi", "12E-3"), exact to a
// thousand-millionth. It is never below 0.
type Quantity struct {
	whole int64
	nano  int64 // 0 … 999,999,999
}

const (
	nanos = 1_000_000_000
	milli = nanos / 1000
)

// ParseQuantity reads a quantity. It rounds up to a multiple of 10⁻⁹, and amounts above 2^63 − 1
// become 2^63 − 1. It returns false if the text is not a quantity or is negative.
// (k8s.io/apimachinery pkg/api/resource/quantity.go)
func ParseQuantity(text string) (Quantity, bool) {
	text = strings.TrimPrefix(text, "+")
	digits, point, seen := 0, -1, 0
	for digits < len(text) {
		c := text[digits]
		if c == '.' && point < 0 {
			point = digits
		} else if c < '0' || c > '9' {
			break
		} else {
			seen++
		}
		digits++
	}
	if seen == 0 {
		return Quantity{}, false
	}
	number, suffix := text[:digits], text[digits:]
	fraction := ""
	if point >= 0 {
		number, fraction = number[:point], number[point+1:]
	}
	if binary := binaryPower(suffix); binary > 0 {
		return scaled(number, fraction, 0, binary), true
	}
	ten, known := decimalPower(suffix)
	if !known {
		return Quantity{}, false
	}
	return scaled(number, fraction, ten, 0), true
}

// binaryPower returns the power of 1024 of a suffix, 0 if it has none.
func binaryPower(suffix string) int {
	if len(suffix) == 2 && suffix[1] == 'i' {
		return strings.IndexByte("KMGTPE", suffix[0]) + 1
	}
	return 0
}

// decimalPower returns the power of ten of a suffix, such as 3 for k, -3 for m, 6 for e6 and 0 for "", and
// whether it is one. A power above 1<<20 counts as that.
func decimalPower(suffix string) (int, bool) {
	if len(suffix) < 2 {
		i := strings.Index("num kMGTPE", suffix)
		if suffix == "" {
			return 0, true
		}
		return 3*i - 9, i >= 0 && suffix != " "
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return 0, false
	}
	sign, rest := 1, suffix[1:]
	if rest[0] == '-' || rest[0] == '+' {
		if rest[0] == '-' {
			sign = -1
		}
		rest = rest[1:]
	}
	power := 0
	for _, c := range []byte(rest) {
		if c < '0' || c > '9' {
			return 0, false
		}
		power = min(power*10+int(c-'0'), 1<<20)
	}
	return sign * power, rest != ""
}

// scaled returns number.fraction, which are decimal digits, times ten^ten times 1024^binary, rounded up to
// a thousand-millionth. An amount that is too large gives the largest Quantity.
func scaled(number, fraction string, ten, binary int) Quantity {
	// The digits with the point after the first (whole) of them: value = 0.digits · 10^point.
	digits := strings.TrimLeft(number+fraction, "0")
	point := len(number) - (len(number) + len(fraction) - len(digits)) + ten
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return Quantity{}
	}
	if point > 19 {
		return maxQuantity
	}
	// Take all whole digits and nine more; a digit beyond rounds up.
	var q Quantity
	rest, up := digits, false
	for i := range max(point, 0) {
		d := int64(0)
		if i < len(rest) {
			d = int64(rest[i] - '0')
		}
		if q.whole > (math.MaxInt64-d)/10 {
			return maxQuantity
		}
		q.whole = q.whole*10 + d
	}
	if point > 0 {
		rest = rest[min(point, len(rest)):]
		point = 0
	}
	if binary > 0 {
		return q.shifted(rest, point, uint(10*binary))
	}
	for i := range 9 {
		d := int64(0)
		if at := i + point; at >= 0 && at < len(rest) {
			d = int64(rest[at] - '0')
		}
		q.nano = q.nano*10 + d
	}
	up = len(rest) > max(9+point, 0)
	if up {
		q = q.Add(Quantity{nano: 1})
	}
	return q
}

// shifted returns q and a decimal fraction times 2^bits. rest are the digits of the
// fraction, the first of them at the place -point after the decimal point.
func (q Quantity) shifted(rest string, point int, bits uint) Quantity {
	if q.whole > math.MaxInt64>>bits {
		return maxQuantity
	}
	out := Quantity{whole: q.whole << bits}
	// Digits below are worth less than a thousand-millionth even after the shift of 60 bits.
	const places = 30
	digits := make([]byte, places)
	up := false
	for i := range len(rest) {
		if at := i - point; at < places {
			digits[at] = rest[i] - '0'
		} else {
			up = true
		}
	}
	// Multiply the fraction by two again and again: each carry over the point is a binary digit.
	fraction := int64(0)
	for range bits {
		carry := byte(0)
		for i := places - 1; i >= 0; i-- {
			d := digits[i]*2 + carry
			carry, digits[i] = d/10, d%10
		}
		fraction = fraction*2 + int64(carry)
	}
	for i, d := range digits {
		if i < 9 {
			out.nano = out.nano*10 + int64(d)
		} else {
			up = up || d > 0
		}
	}
	if up {
		out = out.Add(Quantity{nano: 1})
	}
	return out.Add(Quantity{whole: fraction})
}

var maxQuantity = Quantity{whole: math.MaxInt64}

// Whole returns a quantity of n pieces, n at least 0.
func Whole(n int64) Quantity { return Quantity{whole: n} }

// Milli returns a quantity of n thousandths, n at least 0.
func Milli(n int64) Quantity { return Quantity{n / 1000, n % 1000 * milli} }

// Add returns the sum, at most 2^63 − 1.
func (q Quantity) Add(other Quantity) Quantity {
	nano := q.nano + other.nano
	whole := q.whole + nano/nanos
	if whole < 0 || whole > math.MaxInt64-other.whole {
		return maxQuantity
	}
	return Quantity{whole + other.whole, nano % nanos}
}

// Above reports whether q is more than other.
func (q Quantity) Above(other Quantity) bool {
	return q.whole > other.whole || q.whole == other.whole && q.nano > other.nano
}

// Value returns the amount in whole pieces, rounded up.
func (q Quantity) Value() int64 {
	if q.nano > 0 && q.whole < math.MaxInt64 {
		return q.whole + 1
	}
	return q.whole
}

// MilliValue returns the amount in thousandths, rounded up, at most 2^63 − 1.
func (q Quantity) MilliValue() int64 {
	if q.whole >= math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return q.whole*1000 + (q.nano+milli-1)/milli
}
