package workload_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"parley/core/workload"
)

func TestNamesNumberInOrderOfAppearance(t *testing.T) {
	var n workload.Names
	for i, name := range []string{"kernel", "platform", "kernel", "disks"} {
		want := []workload.AttributeName{0, 1, 0, 2}[i]
		if got := n.Attribute([]byte(name)); got != want {
			t.Errorf("Attribute(%q) = %d, want %d", name, got, want)
		}
	}
	if got := n.AttributeText(2); got != "disks" {
		t.Errorf("AttributeText(2) = %q", got)
	}
}

func TestValues(t *testing.T) {
	var n workload.Names
	for _, c := range []struct {
		text string
		want int64 // of a whole number
		is   bool  // a text
	}{
		{"0", 0, false},
		{"17", 17, false},
		{"-3", -3, false},
		{strconv.FormatInt(math.MaxInt64, 10), math.MaxInt64, false},
		{"-4611686018427387904", -1 << 62, false}, // the least that is a number
		{"-4611686018427387905", 0, true},
		{"9223372036854775808", 0, true},
		{"99999999999999999999999999999", 0, true},
		{"+1", 0, true},
		{"1.0", 0, true},
		{"-", 0, true},
		{"HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=", 0, true},
	} {
		v := n.Value([]byte(c.text))
		if workload.IsText(v) != c.is || !c.is && v != c.want {
			t.Errorf("Value(%q) = %d, text %v", c.text, v, workload.IsText(v))
		}
	}
	if v := n.Value(nil); v != workload.Unset || workload.IsText(v) || n.ValueText(v) != "" {
		t.Errorf("the empty value is %d (%q), want Unset", v, n.ValueText(v))
	}
}

func TestValuesAreEqualWhereTheirTextsAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n workload.Names
		text := rapid.OneOf(rapid.StringN(1, 12, -1), rapid.Map(rapid.Int64Min(-1<<62), func(i int64) string {
			return strconv.FormatInt(i, 10)
		}))
		seen := map[int64]string{}
		for _, s := range rapid.SliceOf(text).Draw(t, "texts") {
			v := n.Value([]byte(s))
			if before, ok := seen[v]; ok && before != s {
				bi, err1 := strconv.ParseInt(before, 10, 64)
				si, err2 := strconv.ParseInt(s, 10, 64)
				if err1 != nil || err2 != nil || bi != si {
					t.Fatalf("%q and %q are both %d", before, s, v)
				}
			}
			seen[v] = s
			if v2 := n.Value([]byte(n.ValueText(v))); v2 != v {
				t.Fatalf("%q is %d, its text %q is %d", s, v, n.ValueText(v), v2)
			}
		}
	})
}
