package formula

import "math"

// code is an operation.
type code uint8

const (
	add code = iota
	subtract
	multiply
	divide
	floorDivide
	remainder
	negate
	less
	atMost
	equal
	unequal
	and
	or
	not
	choose // b where a is true, else c
	least
	most
	absolute
	root
	log2
	log10
	percent
	power // b is a whole number from 1 on
)

// run computes the first n rows. The four operations take four rows at a time: in WebAssembly a
// loop costs as much as its body.
func (o *op) run(table [][]float64, n int) {
	to, a, b, c := table[o.to][:n], table[o.from[0]][:n], table[o.from[1]][:n], table[o.from[2]][:n]
	whole := len(to) &^ 3
	switch o.code {
	case add:
		for i := 0; i < whole; i += 4 {
			to[i] = a[i] + b[i]
			to[i+1] = a[i+1] + b[i+1]
			to[i+2] = a[i+2] + b[i+2]
			to[i+3] = a[i+3] + b[i+3]
		}
		for i := whole; i < len(to); i++ {
			to[i] = a[i] + b[i]
		}
	case subtract:
		for i := 0; i < whole; i += 4 {
			to[i] = a[i] - b[i]
			to[i+1] = a[i+1] - b[i+1]
			to[i+2] = a[i+2] - b[i+2]
			to[i+3] = a[i+3] - b[i+3]
		}
		for i := whole; i < len(to); i++ {
			to[i] = a[i] - b[i]
		}
	case multiply:
		for i := 0; i < whole; i += 4 {
			to[i] = a[i] * b[i]
			to[i+1] = a[i+1] * b[i+1]
			to[i+2] = a[i+2] * b[i+2]
			to[i+3] = a[i+3] * b[i+3]
		}
		for i := whole; i < len(to); i++ {
			to[i] = a[i] * b[i]
		}
	case divide:
		for i := 0; i < whole; i += 4 {
			to[i] = a[i] / b[i]
			to[i+1] = a[i+1] / b[i+1]
			to[i+2] = a[i+2] / b[i+2]
			to[i+3] = a[i+3] / b[i+3]
		}
		for i := whole; i < len(to); i++ {
			to[i] = a[i] / b[i]
		}
	case negate:
		for i := range to {
			to[i] = -a[i]
		}
	case less:
		for i := range to {
			to[i] = truth(a[i] < b[i])
		}
	case atMost:
		for i := range to {
			to[i] = truth(a[i] <= b[i])
		}
	case choose:
		for i := range to {
			bits := math.Float64bits(c[i])
			if math.Float64bits(a[i]) != 0 { // conditions are 1 or 0
				bits = math.Float64bits(b[i])
			}
			to[i] = math.Float64frombits(bits) // whole numbers are chosen without a jump
		}
	case least:
		for i := range to {
			to[i] = min(a[i], b[i])
		}
	case most:
		for i := range to {
			to[i] = max(a[i], b[i])
		}
	case absolute:
		for i := range to {
			to[i] = math.Abs(a[i])
		}
	case and:
		for i := range to {
			to[i] = math.Float64frombits(math.Float64bits(a[i]) & math.Float64bits(b[i]))
		}
	case or:
		for i := range to {
			to[i] = math.Float64frombits(math.Float64bits(a[i]) | math.Float64bits(b[i]))
		}
	case not:
		for i := range to {
			to[i] = math.Float64frombits(math.Float64bits(a[i]) ^ one)
		}
	case equal:
		for i := range to {
			to[i] = truth(a[i] == b[i])
		}
	default:
		for i := range to {
			to[i] = o.code.of(a[i], b[i])
		}
	}
}

// of computes one value of an operation with at most two operands; b is ignored for one, and NaN is the
// result of other operations. It must give the bits of the loops over columns.
func (c code) of(a, b float64) float64 {
	switch c {
	case add:
		return a + b
	case subtract:
		return a - b
	case multiply:
		return a * b
	case divide:
		return a / b
	case floorDivide:
		return math.Floor(a / b)
	case remainder: // has the sign of b, as Python's
		r := math.Mod(a, b)
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r
	case negate:
		return -a
	case less:
		return truth(a < b)
	case atMost:
		return truth(a <= b)
	case equal:
		return truth(a == b)
	case unequal:
		return truth(a != b)
	case and:
		return truth(a != 0 && b != 0)
	case or:
		return truth(a != 0 || b != 0)
	case not:
		return truth(a == 0)
	case least:
		return min(a, b)
	case most:
		return max(a, b)
	case absolute:
		return math.Abs(a)
	case root:
		return math.Sqrt(a)
	case log2:
		return Log2(a)
	case log10:
		return Log10(a)
	case percent: // rounded down, as kube-scheduler's whole numbers
		return math.Floor(a * 100 / b)
	case power:
		product := a
		for ; b > 1; b-- {
			product *= a
		}
		return product
	}
	return math.NaN()
}

// truth returns 1 or 0. The choice between whole numbers is an instruction without a jump.
func truth(is bool) float64 {
	bits := uint64(0)
	if is {
		bits = one
	}
	return math.Float64frombits(bits)
}

const one = 0x3ff0_0000_0000_0000 // the bits of 1.0
