package main

import (
	"archive/zip"
	"bytes"
	"testing"
)

// The zip for a lecture hall has the page without its packed files, a program a platform that may be run,
// and words that name them.
func TestHall(t *testing.T) {
	r := &release{version: "1.2.3"}
	page := map[string][]byte{
		"index.html": []byte("the page"), "whole.wasm": []byte("all"), "whole.wasm.br": nil, "index.html.gz": nil,
		"manual/index.html": []byte("the manual"),
	}
	var servers []entry
	for _, p := range platforms {
		ext := ""
		if p.system == "windows" {
			ext = ".exe"
		}
		servers = append(servers, entry{"serve-" + p.String() + ext, []byte(p.String()), true})
	}
	made, err := r.hall(page, servers)
	if err != nil {
		t.Fatal(err)
	}
	files := packed(t, "x.zip", made)
	const folder = "parley-1.2.3-hall/"
	if len(files) != 1+3+len(platforms) || string(files[folder+"page/whole.wasm"]) != "all" {
		t.Errorf("%d files", len(files))
	}
	readme := files[folder+"README.txt"]
	z, err := zip.NewReader(bytes.NewReader(made), int64(len(made)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		program := len(f.Name) > len(folder+"serve-") && f.Name[:len(folder+"serve-")] == folder+"serve-"
		if runs := f.Mode()&0o111 != 0; runs != program {
			t.Errorf("%s has the mode %v", f.Name, f.Mode())
		}
		if program && !bytes.Contains(readme, []byte(f.Name[len(folder):])) {
			t.Errorf("the words do not name %s", f.Name)
		}
	}
	if made, err := r.hall(page, nil); made != nil || err != nil {
		t.Errorf("without programs: %d bytes, %v", len(made), err)
	}
}
