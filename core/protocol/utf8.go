package protocol

import "unicode/utf8"

// invalidUTF8 returns the place of the first byte that is no UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
