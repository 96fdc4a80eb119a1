package figure

import "testing"

// A text in a PDF is in the encoding of its fonts.
func TestWestern(t *testing.T) {
	if got := encoded("Läufe ± 2 µs, 10⁴ €"); got != "L\xe4ufe \xb1 2 \xb5s, 10? ?" {
		t.Errorf("%q", got)
	}
}
