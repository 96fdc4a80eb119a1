// Package escape writes texts that somebody else chose, such as the names of files, nodes and
// scenarios, so that each format takes them for data: a name is never a command, an option, a
// formula, an element or another line. HTML and SVG have html.EscapeString and html/template.
//
//	fmt.Printf("plays again: parley run --trace %s\n", escape.File("a b'; touch X #.swf"))
//	// plays again: parley run --trace 'a b'\''; touch X #.swf'
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell writes a text as one word of a POSIX shell.
func Shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-._/:,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// File writes the name of a file as one word of a POSIX shell that no program takes for an option.
func File(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return Shell(name)
}

// CSV writes a text for a cell in which a spreadsheet sees no formula. Numbers stay. A writer of
// CSV puts quotes if they are needed.
func CSV(cell string) string {
	begin := strings.TrimLeftFunc(cell, unicode.IsSpace)
	if !strings.HasPrefix(cell, "\t") && !strings.HasPrefix(cell, "\r") && !strings.HasPrefix(cell, "\n") &&
		strings.IndexAny(begin, "=+-@＝＋－＠") != 0 {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// CSVRow is CSV for each cell of a row.
func CSVRow(cells []string) []string {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = CSV(c)
	}
	return row
}

// Markdown writes a text as one line in which GitHub's Markdown sees no mark, no HTML and no address.
func Markdown(text string) string {
	for _, r := range []string{`\`, "`", "*", "_", "[", "]", "|", "#", "~"} {
		text = strings.ReplaceAll(text, r, `\`+r)
	}
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "://", ":&#47;&#47;", "www.", "www&#46;", "WWW.",
		"WWW&#46;", "@", "&#64;").Replace(text)
	return Line(text)
}

// Fence writes a text of some lines as a block of code in Markdown, whatever fences it holds.
func Fence(language, text string) string {
	fence, run := "```", 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		for len(fence) <= run {
			fence += "`"
		}
	}
	return fence + language + "\n" + strings.TrimSuffix(Terminal(text), "\n") + "\n" + fence + "\n"
}

// TeX writes a text in which LaTeX sees no command.
func TeX(text string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
		"^", `\textasciicircum{}`, "~", `\textasciitilde{}`,
	).Replace(Line(text))
}

// Terminal spells out characters that would control a terminal. Lines and tabs stay.
func Terminal(text string) string { return spelled(text, "\n\t") }

// Line is Terminal for a text that is part of a line, as a name is: it cannot begin another one.
func Line(text string) string { return spelled(text, "") }

// spelled writes control characters, those that turn the direction of text and invalid UTF-8 as escapes, but leaves
// the characters of stay.
func spelled(text, stay string) string {
	acts := func(r rune) bool {
		return (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(stay, r) ||
			unicode.Is(unicode.Bidi_Control, r)
	}
	if !strings.ContainsFunc(text, acts) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r) // the same character in JSON
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Plain reports whether a name may be that of a file in an archive, on every system that unpacks it:
// it is one part of a path, and neither this folder nor the one above.
func Plain(name string) bool {
	return name != "" && name != "." && name != ".." && Line(name) == name && !strings.ContainsAny(name, `/\:*?"<>|`) &&
		!strings.HasSuffix(name, ".") && !strings.HasSuffix(name, " ")
}
