package main_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile are names of files and scenarios that try to be something else.
var hostile = []string{
	"a b'; touch X #", "$(touch X)", "`touch X`", "-rf", "=cmd|' !A0", "@SUM(1)", "a\nb: reproduced", "\x1b[31mred", "\u202edesrever", "<script>alert(1)<", "&amp;\"><img src=x>", "```", "[x](javascript:x)", `\input{x}`, "100 % {of} a_b",
}

// TestHostileNames: whatever a file, a folder or a scenario is called, each output takes it for a name:
// commands to repeat are run by a shell, pictures are well-formed, and each line is a line.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	const log = "; MaxProcs: 4\n1 0 0 100 1 -1 -1 1 200 -1 1 1 1 1 1 -1 -1 -1\n2 50 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 -1 -1 -1\n"
	word := func(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }
	lines, readLines := 0, 0
	for _, name := range hostile {
		if err := os.WriteFile(filepath.Join(dir, name+".swf"), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		out, complaints, code := run("parley run " + word("./"+name+".swf") + " --out " + word("./"+name))
		if code != 0 {
			t.Fatalf("%q: %s", name, complaints)
		}
		for line := range strings.Lines(out) {
			command, is := strings.CutPrefix(line, "plays again: ")
			if strings.ContainsAny(name, "\n\x1b") || strings.Contains(name, "\u202e") { // spelled out: such a command names no file, and runs none
				is = false
			}
			if !is {
				continue
			}
			if again, complaints, code := run(command); code != 0 || !strings.Contains(again, "2 of 2 jobs") {
				t.Errorf("%q: %s says %s", name, command, complaints)
			}
		}
		read, _, _ := run("parley trace " + word("./"+name+".swf"))
		if lines == 0 {
			lines, readLines = strings.Count(out, "\n"), strings.Count(read, "\n")
		}
		if strings.ContainsAny(out+read, "\x1b\u202e") || strings.Count(out, "\n") != lines || strings.Count(read, "\n") != readLines {
			t.Errorf("%q acts on the terminal, or begins a line:\n%s%s", name, out, read)
		}
		for _, ending := range []string{"svg", "tex"} {
			picture := "p." + ending
			if _, complaints, code := run("parley figure cdf " + word("./"+name) + " " + word("./"+hostile[0]) + " --metric wait_s --out " + picture); code != 0 {
				t.Errorf("%q: %s", name, complaints)
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, picture))
			if err != nil {
				t.Fatal(err)
			}
			if ending == "svg" {
				wellFormed(t, name, text)
			} else if strings.Contains(string(text), `\input{`) || strings.Contains(string(text), "{of}") {
				t.Errorf("%q is a command of LaTeX", name)
			}
		}
		_, complaints, code = run("parley artefact " + word("./"+name) + " --with " + word("./"+name+".swf") + " --out a.zip")
		if plain := !strings.ContainsAny(name, "\n\x1b\u202e<>|\"*?:\\"); plain != (code == 0) || !plain && !strings.Contains(complaints, "can have no name in an artefact") {
			t.Errorf("%q in an artefact: %d %s", name, code, complaints)
		}
		if code == 0 {
			if out, complaints, code := run("parley grade a.zip"); code != 0 || strings.Count(out, "\n") != 1 {
				t.Errorf("%q: %q %s", name, out, complaints)
			}
		}
	}
	for _, folder := range []string{".", "..", "./" + hostile[0] + "/.."} {
		run("parley artefact " + word(folder) + " --out b.zip") // no run is there, or it has the folder's own name
	}
	for _, name := range []string{"X", "b"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a name was run as a command: %s is there", name)
		}
	}
	tableOfNames(t, dir, run)
}

// wellFormed reads a document as XML: no element of it comes from a name.
func wellFormed(t *testing.T, name string, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("%q makes a picture that is no XML: %v", name, err)
			return
		}
		if e, is := token.(xml.StartElement); is && (e.Name.Local == "script" || e.Name.Local == "img") {
			t.Errorf("%q is an element of the picture", name)
		}
	}
}

// tableOfNames: a sweep over names that are hostile has a table for a spreadsheet without a formula, and a
// page and pictures without an element; hand-ins of such names are rows.
func tableOfNames(t *testing.T, dir string, run func(string) (string, string, int)) {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x1b", `\u001b`)
	names := ""
	for _, name := range hostile {
		names += `,"` + quoted.Replace(name) + `"`
	}
	write(t, filepath.Join(dir, "s.json"), `{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"scale":0.01},"until":"1m"},"axes":{"name":[`+names[1:]+`]},"seeds":[1]}`)
	out, complaints, code := run("parley sweep s.json --out swept")
	if code != 0 {
		t.Fatal(out, complaints)
	}
	if strings.ContainsAny(out, "\x1b\u202e") {
		t.Error("a value of an axis acts on the terminal")
	}
	text, err := os.ReadFile(filepath.Join(dir, "swept", "table.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != len(hostile)+1 {
		t.Fatal(len(rows), err)
	}
	for i, row := range rows[1:] {
		if strings.IndexAny(row[0], "=+-@\t\r") == 0 || strings.TrimPrefix(row[0], "'") != hostile[i] {
			t.Errorf("the cell of %q is %q", hostile[i], row[0])
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "swept", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "<script") || strings.Contains(string(page), "<img") {
		t.Error("a name is an element of the report")
	}
	picture, err := os.ReadFile(filepath.Join(dir, "swept", "multiples.svg"))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "the axis", picture)
	write(t, filepath.Join(dir, "class.txt"), "Ana: #n=20&sys=central&at=1m&d=00000000\n#n=20&sys=central&name=x%0Ay%20%20reproduced&at=1m&d=00000000\n")
	out, _, _ = run("parley grade class.txt")
	if lines := slices.Collect(strings.Lines(out)); len(lines) != 3 {
		t.Errorf("two hand-ins are the lines %q", lines)
	}
}
