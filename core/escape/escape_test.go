package escape_test

import (
	"encoding/csv"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/core/escape"
)

// Hostile names, and others that look like them.
var names = []string{
	"", "a", "a b", "it's", "a b'; touch X #.swf", "$(touch X)", "`touch X`", "-rf", "--all", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "\u00a0@x", "＝1", "-5", "+5", "-1e3",
	"a\nb", "a\r\nb: reproduced", "\x1b[31mred\x1b[0m", "\x9b31m", "\u202ereversed", "\u2028line", "\xff\xfe", "a\x00b", "..", ".", "../../etc/passwd", `..\x`, "C:x", "a/b", "con.", "~root", "!!", "*",
	"<script>alert(1)</script>", "&amp;", `"><img src=x onerror=alert(1)>`, "[x](javascript:alert(1))", "![x](http://h/x.png)", "```", "````", "| a | b |", "# head", "~~x~~", "__x__", "http://h.example/", "www.h.example", "@all",
	`\input{/etc/passwd}`, `\write18{touch X}`, "$x^2$", "100 % {of} a_b & c~d #1", "名前", "naïve",
}

// TestShell: a shell sees the very name, as one argument.
func TestShell(t *testing.T) {
	for _, name := range names {
		if strings.ContainsRune(name, 0) {
			continue // no argument of a program can have it
		}
		for word, want := range map[string]string{escape.Shell(name): name, escape.File(name): map[bool]string{true: "./" + name, false: name}[strings.HasPrefix(name, "-")]} {
			out, err := exec.Command("sh", "-c", "printf '%s|' "+word).Output()
			if err != nil {
				t.Skip("there is no shell")
			}
			if string(out) != want+"|" && !(want == "" && string(out) == "|") {
				t.Errorf("%q is written %s, and a shell sees %q", name, word, out)
			}
		}
	}
}

// TestCSV: no cell begins as a formula does, and a reader gets the text behind the mark.
func TestCSV(t *testing.T) {
	for _, name := range names {
		cell := escape.CSV(name)
		if cell != name && cell != "'"+name {
			t.Errorf("%q is written %q", name, cell)
		}
		switch name {
		case "-5", "+5", "-1e3":
			if cell != name {
				t.Errorf("the number %s is written %q", name, cell)
			}
		default:
			if strings.IndexAny(strings.TrimSpace(cell), "=+-@＝") == 0 || strings.IndexAny(cell, "\t\r\n") == 0 {
				t.Errorf("%q begins as a formula does", cell)
			}
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(escape.CSVRow([]string{"=1", "a", "-2"}))
	if w.Flush(); b.String() != "'=1,a,-2\n" {
		t.Error(b.String())
	}
}

// TestLine: a name stays in its line and does not act on a terminal.
func TestLine(t *testing.T) {
	for _, name := range names {
		for _, text := range []string{escape.Line(name), escape.Markdown(name), escape.TeX(name)} {
			if strings.ContainsAny(text, "\n\r\t\x1b\u009b\u202e\u2028\x00") || !utf8.ValidString(text) {
				t.Errorf("%q is written %q", name, text)
			}
		}
		if text := escape.Terminal(name + "\n\tx"); !strings.HasSuffix(text, "\n\tx") {
			t.Errorf("%q loses its lines", text)
		}
	}
	if got := escape.Line("a\nb\x1b[0m"); got != `a\u000ab\u001b[0m` {
		t.Error(got)
	}
}

// TestMarkdown: nothing in a name is a mark, and a fence is longer than any in the text.
func TestMarkdown(t *testing.T) {
	for _, name := range names {
		text := escape.Markdown(name)
		bare := strings.NewReplacer(`\\`, "", "\\`", "", `\*`, "", `\_`, "", `\[`, "", `\]`, "", `\|`, "", `\#`, "", `\~`, "").Replace(text)
		if strings.ContainsAny(bare, "`*_[]|~<>") || strings.Contains(text, "://") || strings.Contains(text, "www.") || strings.ContainsRune(text, '@') {
			t.Errorf("%q is written %q", name, text)
		}
	}
	for text, want := range map[string]string{"a\n": "```sh\na\n```\n", "echo '\n```\n'": "````sh\necho '\n```\n'\n````\n", "x````y": "`````sh\nx````y\n`````\n"} {
		if got := escape.Fence("sh", text); got != want {
			t.Errorf("%q is fenced as %q", text, got)
		}
	}
}

// TestTeX: every sign that begins a command or a group is one of a text.
func TestTeX(t *testing.T) {
	if got := escape.TeX(`\input{a_b} $x^2$ ~ 5 % & #`); got != `\textbackslash{}input\{a\_b\} \$x\textasciicircum{}2\$ \textasciitilde{} 5 \% \& \#` {
		t.Error(got)
	}
}

// TestPlain: names that leave a folder, or that a system reads otherwise, are not names in an archive.
func TestPlain(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "a b'; x.swf": true, "..a": true, "": false, ".": false, "..": false, "a/b": false, `a\b`: false, "C:x": false, "a\nb": false, "a.": false, "a*": false} {
		if escape.Plain(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
