package unit

import "strings"

// Grouped returns a decimal number with commas between its thousands: "-1234.5" is "-1,234.5".
func Grouped(number string) string {
	whole, rest, point := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return sign + whole
}
