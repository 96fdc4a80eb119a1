package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/core/trace"
)

// read returns a file's rows with their lines, and how the reading ended.
func read(f trace.File) (rows []string, end error) {
	r, err := trace.OpenRows(f, trace.NewMeter([]trace.File{f}, nil), ',')
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		var bad *trace.Error
		switch err := r.Next(); {
		case errors.As(err, &bad) && bad.Kind == trace.BadLine:
			rows = append(rows, fmt.Sprintf("%d bad", bad.Line))
		case err != nil:
			return rows, err
		default:
			var fields [][]byte
			for i := range r.Fields().Len() {
				fields = append(fields, r.Fields().At(i))
			}
			rows = append(rows, fmt.Sprintf("%d %s", r.Line(), bytes.Join(fields, []byte("|"))))
		}
	}
}

// expect is what read returns for plain content, found the slow way.
func expect(content string) (rows []string) {
	content = strings.TrimPrefix(content, "\xef\xbb\xbf")
	for i, line := range strings.Split(content, "\n") {
		if len(line) > 65536 {
			rows = append(rows, fmt.Sprintf("%d bad", i+1))
		} else if line = strings.TrimSuffix(line, "\r"); line != "" {
			rows = append(rows, fmt.Sprintf("%d %s", i+1, strings.ReplaceAll(line, ",", "|")))
		}
	}
	return rows
}

func TestRows(t *testing.T) {
	long := strings.Repeat("x", 65536)
	for name, content := range map[string]string{
		"nothing":                 "",
		"one byte":                "a",
		"a line feed":             "\n",
		"no line feed at the end": "a,b\nc,d",
		"CRLF":                    "a,b\r\nc,d\r\n",
		"blank lines":             "\n\na,b\n\r\n\nc,d\n\n",
		"empty columns":           ",\n,,\na,,b\n",
		"a mark":                  "\xef\xbb\xbfa,b\n",
		"a mark only":             "\xef\xbb\xbf",
		"half a mark":             "\xef\xbb",
		"a mark later":            "a\n\xef\xbb\xbfb\n",
		"the longest row":         "a\n" + long + "\nb\n",
		"a row too long":          "a\n" + long + "y\nb\n",
		"a last row too long":     "a\n" + long + "y",
		"far too long":            strings.Repeat(long, 20) + "\nb\n",
		"a row of commas":         strings.Repeat(",", 65536) + "\nb\n",
		"the end of the buffer":   strings.Repeat("0123456,89\n", 30000),
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{0, 1, 7} {
				for kind, stored := range map[string][]byte{"plain": []byte(content), "gzip": zipped(content)} {
					got, end := read(memory("f", stored, step))
					if end != io.EOF {
						t.Fatalf("%s by %d bytes: %v", kind, step, end)
					}
					if d := cmp.Diff(expect(content), got); d != "" {
						t.Fatalf("%s by %d bytes: %.1000s", kind, step, d)
					}
				}
			}
		})
	}
}

func TestRowsOfAnyText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "1", ",", ",,", "\n", "\r", "\r\n", "\n\n", "\xef\xbb\xbf", "\x00", "é", "\""})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), "")
		got, end := read(memory("f", []byte(content), rapid.IntRange(0, 9).Draw(t, "step")))
		if end != io.EOF {
			t.Fatal(end)
		}
		if d := cmp.Diff(expect(content), got); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add([]byte("0,5,0,platform,0.5,0.25\r\n\n1,,"), 7)
	f.Add(zipped("a,b\nc,d\n"), 1)
	f.Add(append(zipped("a\n"), zipped("b")...), 3)
	f.Fuzz(func(t *testing.T, stored []byte, step int) {
		whole, wholeEnd := read(memory("f", stored, 0))
		parts, partsEnd := read(memory("f", stored, max(1, step%64)))
		if d := cmp.Diff(whole, parts); d != "" {
			t.Fatalf("by %d bytes: %s", step, d)
		}
		if wholeEnd.Error() != partsEnd.Error() {
			t.Fatalf("by %d bytes it ends with %v, else with %v", step, partsEnd, wholeEnd)
		}
		if !bytes.HasPrefix(stored, []byte{0x1f, 0x8b}) {
			if d := cmp.Diff(expect(string(stored)), whole); d != "" || wholeEnd != io.EOF {
				t.Fatal(d, wholeEnd)
			}
		}
	})
}
