package bundle

import (
	"bytes"
	"path"
	"regexp"
)

// statically finds what a script imports at once: import("…") is later.
var statically = regexp.MustCompile(`(?:from|import)\s*"(\.{1,2}/[^"]+\.js)"`)

// preload lets a browser fetch all that page.js imports at once together with it:
// otherwise it learns of each only when the one before has come.
func (f Files) preload() {
	var links bytes.Buffer
	seen := map[string]bool{}
	for waiting := []string{"page.js"}; len(waiting) > 0; {
		name := waiting[0]
		waiting = waiting[1:]
		for _, found := range statically.FindAllSubmatch(f[name], -1) {
			imported := path.Join(path.Dir(name), string(found[1]))
			if !seen[imported] {
				seen[imported] = true
				waiting = append(waiting, imported)
				links.WriteString(`<link rel="modulepreload" href="` + imported + "\">\n")
			}
		}
	}
	f["index.html"] = bytes.Replace(f["index.html"], []byte("</head>"), append(links.Bytes(), "</head>"...), 1)
}
