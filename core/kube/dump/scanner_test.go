package dump

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
)

// TestValuesInPieces: a value is the same however reading cuts it into pieces, and is that of encoding/json
// without spaces; lines are counted up to its end.
func TestValuesInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var write func(depth int) any
		write = func(depth int) any {
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0 && depth > 0:
				all := []any{}
				for range rapid.IntRange(0, 4).Draw(t, "elements") {
					all = append(all, write(depth-1))
				}
				return all
			case kind <= 2 && depth > 0:
				all := map[string]any{}
				for range rapid.IntRange(0, 4).Draw(t, "fields") {
					all[rapid.StringOf(rapid.SampledFrom([]rune("ab\"\\\n {}[],:é"))).Draw(t, "name")] = write(depth - 1)
				}
				return all
			case kind == 3:
				return rapid.Int32().Draw(t, "number")
			case kind == 4:
				return []any{true, false, nil}[rapid.IntRange(0, 2).Draw(t, "word")]
			}
			return strings.Repeat(rapid.StringOf(rapid.SampledFrom([]rune("ab\"\\\n {}[],:é"))).Draw(t, "text"), rapid.IntRange(1, 9).Draw(t, "times"))
		}
		text, err := json.MarshalIndent([]any{write(4), "end"}, "", strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")))
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, text); err != nil {
			t.Fatal(err)
		}
		s := newScanner("", iotest.OneByteReader(bytes.NewReader(text)))
		if n := rapid.IntRange(0, 40).Draw(t, "buffer"); n > 0 {
			s.in, s.buf = bytes.NewReader(text), make([]byte, 0, n)
		}
		if err := s.capture(); err != nil {
			t.Fatal(err)
		}
		if got := string(s.object); got != want.String() {
			t.Fatalf("%s\nwas read as\n%s", text, got)
		}
		if lines := int64(bytes.Count(text, []byte("\n"))); s.line != 1+lines {
			t.Fatalf("line %d after %d line ends", s.line, lines)
		}
	})
}
