package main

import (
	"path"
	"strings"
)

// hallReadme is the readme in the zip, for lecturers.
const hallReadme = `Parley for a lecture hall: the page with all its places and systems, and a program that serves it.
No network is needed and nothing is installed.

1. Unpack the zip and start the program of your system with a double click:
     serve-windows-amd64.exe   Windows (serve-windows-arm64.exe on ARM)
     serve-darwin-arm64        macOS (serve-darwin-amd64 on Intel); the first time: Control-click, Open
     serve-linux-amd64         Linux (serve-linux-arm64 on ARM)
   It serves the folder "page" beside it, to this machine alone.
2. Open the address that it prints, such as http://127.0.0.1:8080/
3. Slides on this disk may show it in a frame:
     <iframe src="http://127.0.0.1:8080/#embed=1&s=google-cell" width="800" height="500"></iframe>
   If the port is in use, the program takes another one: choose one with --port 8123.

Ctrl-C, or closing its window, ends it. page/manual/hosting.html says more.
`

// hall returns the zip for a machine without a network: the page, without the packed files that only a
// slow line needs, and the programs that serve it, by platform. It is empty if there are no programs.
func (r *release) hall(page map[string][]byte, servers []entry) ([]byte, error) {
	if len(servers) == 0 {
		return nil, nil
	}
	folder := "parley-" + r.version + "-hall/"
	entries := []entry{{folder + "README.txt", []byte(strings.ReplaceAll(hallReadme, "\n", "\r\n")), false}}
	for name, content := range page {
		if ext := path.Ext(name); ext != ".br" && ext != ".gz" {
			entries = append(entries, entry{folder + "page/" + name, content, false})
		}
	}
	for _, s := range servers {
		entries = append(entries, entry{folder + s.name, s.content, true})
	}
	return zipped(entries)
}
