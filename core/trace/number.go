package trace

import (
	"math"

	"parley/core/unit"
)

// Why a text is not the number it should be. Each continues a sentence that
// begins with the text.
const (
	ReasonEmpty    = "is empty"
	ReasonNumber   = "is not a number"
	ReasonWhole    = "is not a whole number"
	ReasonNegative = "is negative"
	ReasonLarge    = "is too large"
)

// Whole parses decimal digits. If the text is not a whole number up to limit
// it returns why not, else "".
func Whole(text []byte, limit uint64) (n uint64, reason string) {
	for i, c := range text {
		d := uint64(c - '0')
		if d > 9 {
			return 0, reasonNotWhole(text)
		}
		if i >= 19 && (n > math.MaxUint64/10 || n*10 > math.MaxUint64-d) {
			return 0, ReasonLarge // below 10^19 there is no need to look
		}
		n = n*10 + d
	}
	switch {
	case len(text) == 0:
		return 0, ReasonEmpty
	case n > limit:
		return 0, ReasonLarge
	}
	return n, ""
}

func reasonNotWhole(text []byte) string {
	if len(text) > 1 && text[0] == '-' {
		if _, reason := Whole(text[1:], math.MaxUint64); reason == "" || reason == ReasonLarge {
			return ReasonNegative
		}
	}
	return ReasonWhole
}

// Share parses a decimal number such as "0.0625" or "3.815e-06" and rounds it,
// halves upwards, to millionths. If the text is not a number, is negative
// or exceeds a Share, Share returns the reason, else "".
func Share(text []byte) (share unit.Share, reason string) {
	if share, ok := fraction(text); ok {
		return share, ""
	}
	millionths, reason := Decimal(text, 6)
	if reason == "" && millionths > math.MaxInt32 {
		reason = ReasonLarge
	}
	if reason != "" {
		return 0, reason
	}
	return unit.Share(millionths), ""
}

// fraction parses "0." and up to six digits, which most shares of a trace are,
// in half the time that Decimal takes.
func fraction(text []byte) (unit.Share, bool) {
	if len(text) < 3 || len(text) > 8 || text[0] != '0' || text[1] != '.' {
		return 0, false
	}
	n := unit.Share(0)
	for _, c := range text[2:] {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + unit.Share(d)
	}
	for range 8 - len(text) {
		n *= 10
	}
	return n, true
}

// Decimal parses a decimal number with optional point and exponent, multiplies
// it by 10^places and rounds it, halves upwards. The arithmetic is exact: no
// float is involved. Results from 10^18 on are too large.
func Decimal(text []byte, places int) (n uint64, reason string) {
	if len(text) == 0 {
		return 0, ReasonEmpty
	}
	minus := text[0] == '-'
	if minus {
		text = text[1:]
	}
	mantissa, exponent, ok := scientific(text)
	switch {
	case !ok:
		return 0, ReasonNumber
	case minus && mantissa > 0:
		return 0, ReasonNegative
	}
	return scale(mantissa, exponent+places)
}

// scientific splits "12.5e-3" into 125 and -4. Digits after the nineteenth
// cannot change the rounding of a result below 10^18 and are dropped.
func scientific(text []byte) (mantissa uint64, exponent int, ok bool) {
	digits, point, i := 0, false, 0
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		d := uint64(c - '0')
		if d > 9 {
			break
		}
		digits++
		if mantissa < 1e18 {
			mantissa = mantissa*10 + d
			if point {
				exponent--
			}
		} else if !point {
			exponent++
		}
	}
	if digits == 0 {
		return 0, 0, false
	}
	if i < len(text) {
		e, ok := parseExponent(text[i:])
		if !ok {
			return 0, 0, false
		}
		exponent += e
	}
	return mantissa, exponent, true
}

// parseExponent parses "e-06" and the like.
func parseExponent(text []byte) (e int, ok bool) {
	if len(text) < 2 || text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	minus := text[0] == '-'
	if minus || text[0] == '+' {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 1_000_000) // any such exponent is beyond all scales
	}
	if minus {
		e = -e
	}
	return e, len(text) > 0
}

// scale returns n × 10^exponent, rounded, halves upwards.
func scale(n uint64, exponent int) (uint64, string) {
	const limit = 1e18
	for ; exponent > 0 && n > 0; exponent-- {
		if n > limit/10 {
			return 0, ReasonLarge
		}
		n *= 10
	}
	half := uint64(0)
	for ; exponent < 0 && (n > 0 || half > 0); exponent++ {
		half = n % 10 / 5 // the last digit dropped is the first after the point
		n /= 10
	}
	if n+half >= limit {
		return 0, ReasonLarge
	}
	return n + half, ""
}
