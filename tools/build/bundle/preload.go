package bundle

import (
	"bytes"
	"path"
	"regexp"
)

// statically finds a script's static imports; import("…") is dynamic.
var statically = regexp.MustCompile(`(?:from|import)\s*"(\.{1,2}/[^"]+\.js)"`)

// preload lets a browser fetch page.js and all its static imports at once. Otherwise it discovers
// each import only after it has loaded the script that imports it.
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
