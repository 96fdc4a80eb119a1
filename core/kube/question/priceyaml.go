package question

import (
	"bytes"
	"path/filepath"
	"strings"
)

const hintTypes = "give a list such as - {type: m7i.large, cpu: 2, memory: 8Gi, price: 0.1}"

// isYAML reports whether a list of prices is YAML: by its name, or by its first line, which begins an entry or a
// field.
func isYAML(name string, text []byte) bool {
	first := ""
	for line := range bytes.Lines(text) {
		if first = strings.TrimSpace(string(line)); first != "" && first[0] != '#' {
			break
		}
		first = ""
	}
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case first == "" || first[0] == '{' || first[0] == '[' || first[0] == '<': // JSON has its own reader
		return false
	case ext == ".yaml" || ext == ".yml" || first == "---" || isEntry(first):
		return true
	}
	key, _, is := field(first)
	return is && !strings.ContainsAny(key, ",;\t|")
}

// isEntry reports whether a line begins an entry of a list.
func isEntry(line string) bool { return line == "-" || strings.HasPrefix(line, "- ") }

// field splits a line of YAML that is a field.
func field(line string) (key, value string, is bool) {
	key, value, is = strings.Cut(line+" ", ": ")
	return strings.Trim(key, `"'`), strings.TrimSpace(value), is && key != ""
}

// findEntries finds the lines on which the entries of a list in YAML begin, and those of fields that are none of
// another.
func (r *priceList) findEntries(text []byte) {
	r.named = map[string]int{}
	n, indent := 0, -1
	for line := range bytes.Lines(text) {
		n++
		content := strings.TrimRight(string(line), " \t\r\n")
		in := len(content)
		content = strings.TrimLeft(content, " ")
		if in -= len(content); content == "" || content[0] == '#' || content == "---" {
			continue
		}
		if isEntry(content) && (indent < 0 || in == indent) {
			indent, r.lines = in, append(r.lines, n)
		} else if key, _, is := field(content); is && in == 0 {
			r.named[key] = n
		}
	}
}
