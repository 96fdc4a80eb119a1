package words_test

import (
	"testing"

	"parley/core/words"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"node", 4, "node"},
		{"nodes", 4, "node…"},
		{"Läufe", 5, "Läufe"}, // six bytes
		{"Läufer", 5, "Läufe…"},
		{"äöü", 2, "äö…"},
		{"日本語", 1, "日…"},
		{"a\xff\xfeb", 3, "a\xff\xfe…"}, // a byte that is no letter counts as one
		{"abc", 0, "…"},
	} {
		if got := words.Cut(c.text, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"node": "node", "nodes": "node…", "a\x1b[1m": "a�[1…", "ä\xff\xfeb": "ä�b", "日本語文字": "日本語文…",
		"a\u2028b": "a�b", "": "",
	} {
		if got := words.Printable(text, 4); got != want {
			t.Errorf("Printable(%q, 4) is %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 2: "2 nodes", -1: "-1 nodes"} {
		if got := words.Count(n, "node"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
