package main_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawnSVG reads a picture: its texts, and the number of its paths. It must be well formed.
func drawnSVG(t *testing.T, path string) (texts []string, paths int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	within := ""
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts, paths
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if within = x.Name.Local; within == "path" {
				paths++
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(x)); within == "text" && s != "" {
				texts = append(texts, s)
			}
		}
	}
}

// Each kind of figure is drawn in each form, with axes that have names and units, and what
// cannot be drawn is one sentence.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log.swf"), someLog(200))
	write(t, filepath.Join(dir, "sweep.json"), `{"v":1,"base":{"v":1,"system":"central"},"axes":{"settings.policy":["fcfs","easy"],"workload.rate":[0.5,1,2]},"seeds":[0],"metrics":["jobs.wait_s.mean","jobs.offered_load"]}`)
	run := shell(t, dir)
	if _, complaints, code := run("parley run log.swf --set settings.policy=fcfs --out fcfs && parley run log.swf --out easy && parley sweep log.swf sweep.json --out study"); code != 0 {
		t.Fatal(complaints)
	}
	for _, c := range []struct {
		args  string
		texts []string
		paths int // at least
	}{
		{"cdf fcfs easy --metric wait_s --log-x", []string{"wait [s], below 1 as 1", "share of jobs [%]", "fcfs", "easy", "100", "10⁴"}, 4},
		{"box fcfs easy/jobs.csv --log-y", []string{"bounded slowdown", "fcfs", "easy"}, 10},
		{"utilisation fcfs easy", []string{"busy processors", "time [days]"}, 4},
		{"gantt easy --to 1d --title Day", []string{"node", "time [hours]", "Day"}, 20},
		{"line study --x jobs.offered_load --log-y", []string{"wait, mean [s]", "offered load", "fcfs", "easy", "10⁴"}, 10},
		{"line study --log-y", []string{"wait, mean [s]", "rate", "fcfs", "easy", "1.2", "10⁴"}, 10},
	} {
		out, complaints, code := run("for f in svg pdf tex; do parley figure " + c.args + " --out x.$f; done")
		if code != 0 || strings.Count(out, "\n") != 3 {
			t.Errorf("figure %s exits with %d, says %q and prints %q", c.args, code, complaints, out)
			continue
		}
		texts, paths := drawnSVG(t, filepath.Join(dir, "x.svg"))
		for _, want := range c.texts {
			if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, want) }) {
				t.Errorf("figure %s: no %q in %q", c.args, want, texts)
			}
		}
		if paths < c.paths {
			t.Errorf("figure %s has %d paths, want %d", c.args, paths, c.paths)
		}
		pdf, err := os.ReadFile(filepath.Join(dir, "x.pdf"))
		if texts := pdfTexts(t, pdf); slices.Contains(c.texts, "10⁴") && !strings.Contains(texts, "1e4") || strings.Contains(texts, "\xe2") {
			t.Errorf("figure %s: the PDF has the texts %q", c.args, texts)
		}
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("%%EOF")) {
			t.Errorf("figure %s: no PDF, %v", c.args, err)
		}
		tex, err := os.ReadFile(filepath.Join(dir, "x.tex"))
		if err != nil || !bytes.Contains(tex, []byte(`\end{pgfpicture}`)) {
			t.Errorf("figure %s: no PGF, %v", c.args, err)
		}
		if signs := regexp.MustCompile(`(?m)selectfont [^}]*[^\\][%_]`).Find(tex); signs != nil {
			t.Errorf("figure %s: LaTeX reads %q otherwise", c.args, signs)
		}
	}
	for args, want := range map[string]string{
		"pie fcfs --out x.svg":                       `there is no figure of the kind "pie": choose one of line, cdf, box, utilisation, gantt`,
		"cdf fcfs":                                   "figure needs --out FILE",
		"cdf fcfs --out x.png":                       "let it be .svg, .pdf or .tex",
		"cdf fcfs --out x.svg --metric wait":         `--metric is "wait": of jobs one of bounded_slowdown, wait_s`,
		"cdf missing --out x.svg":                    "missing cannot be read",
		"line fcfs --out x.svg":                      "table.json cannot be read",
		"line study --x jobs.killed --out x.svg":     `--x is "jobs.killed": the sweep has the axes settings.policy, workload.rate and the metrics jobs.wait_s.mean, jobs.offered_load`,
		"line study --x settings.policy --out x.svg": `its value "fcfs" is no number`,
		"gantt fcfs easy --out x.svg":                "gantt draws one table, and 2 are given",
		"gantt easy --from 900d --out x.svg":         "choose an earlier --from",
		"cdf fcfs --out x.svg --width 1":             "choose 3 to 100 cm each",
	} {
		if out, complaints, code := run("parley figure " + args); code == 0 || !strings.Contains(complaints, want) {
			t.Errorf("figure %s exits with %d, says %q and prints %q", args, code, complaints, out)
		}
	}
}

// The busy processors of a figure are those of the jobs: two jobs, one after another.
func TestUtilisationIsDrawnToScale(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "jobs.csv"), "id,submit_s,start_s,end_s,wait_s,response_s,bounded_slowdown,processors,node_list\n1,0,0,1500,0,1500,1,4,0-3\n2,0,1500,3000,1500,3000,2,8,0-7\n")
	if out, complaints, code := shell(t, dir)("parley figure utilisation jobs.csv --out x.tex"); code != 0 {
		t.Fatal(out, complaints)
	}
	tex, err := os.ReadFile(filepath.Join(dir, "x.tex"))
	if err != nil {
		t.Fatal(err)
	}
	heights := map[string]int{}
	for _, m := range regexp.MustCompile(`pgflineto\{\\pgfpoint\{[0-9.]+pt\}\{([0-9.]+)pt\}`).FindAllStringSubmatch(string(tex), -1) {
		heights[m[1]]++
	}
	var levels []float64 // of the line: those of a hundred points or more
	for height, n := range heights {
		if n >= 100 {
			x, _ := strconv.ParseFloat(height, 64)
			levels = append(levels, x)
		}
	}
	slices.Sort(levels)
	ticks := map[string]float64{} // where the numbers 4 and 8 are on the axis
	for _, m := range regexp.MustCompile(`at=\{\\pgfpoint\{[0-9.]+pt\}\{([0-9.]+)pt\}\}\]\{\{[^}]*\}\{[^}]*\}\\selectfont ([48])\}`).FindAllStringSubmatch(string(tex), -1) {
		ticks[m[2]], _ = strconv.ParseFloat(m[1], 64)
	}
	if len(levels) != 2 || ticks["8"] == 0 || math.Abs((levels[1]-levels[0])-(ticks["8"]-ticks["4"])) > 0.01 {
		t.Errorf("the line has the levels %v, and 4 and 8 are at %v", levels, ticks)
	}
}

// An artefact holds what repeats its runs: it is graded as reproduced, and what was altered
// is named.
func TestArtefacts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log.swf"), someLog(100))
	run := shell(t, dir)
	ok := func(script string, wants ...string) {
		t.Helper()
		out, complaints, code := run(script)
		for _, want := range wants {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s exits with %d, says %q, and no %q in %q", script, code, complaints, want, out)
			}
		}
	}
	fails := func(script, want string) {
		t.Helper()
		if out, complaints, code := run(script); code != 1 || !strings.Contains(out+complaints, want) {
			t.Errorf("%s exits with %d, and no %q in %q, %q", script, code, want, out, complaints)
		}
	}
	ok("parley run log.swf --out easy --set workload.rate=1.5 && parley run google-calm --until 2m --set cluster.nodes=50 --out cell && parley artefact easy cell --with log.swf --out all.zip && parley artefact easy --out bare.zip",
		"all.zip: 2 runs, 10 files", "bare.zip: 1 run, ")
	ok("parley artefact easy cell --with log.swf --out again.zip && cmp all.zip again.zip && echo same", "same")
	ok("mkdir clean && mv all.zip clean && cd clean && parley grade all.zip", "all.zip, easy: reproduced\nall.zip, cell: reproduced\n")
	ok("mv log.swf other.name && parley grade bare.zip --trace other.name", "easy: reproduced")
	fails("parley grade bare.zip", "which is not here: give it with --trace")
	fails("parley grade '#n=50&at=1m&d=00000000'", "and not 00000000")
	fails("parley grade other.name", "is no artefact")
	fails("parley grade clean", "clean is a folder: name the artefacts in it, as in clean/*.zip")

	z, err := zip.OpenReader(filepath.Join(dir, "bare.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	alter := func(to, name, from, by string) {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			if f.Name == name {
				text = bytes.Replace(text, []byte(from), []byte(by), 1)
			}
			part, _ := w.Create(f.Name)
			_, _ = part.Write(text)
		}
		_ = w.Close()
		write(t, filepath.Join(dir, to), out.String())
	}
	alter("jobs.zip", "easy/jobs.csv", "completed", "killed")
	fails("parley grade jobs.zip --trace other.name", "easy/jobs.csv is not the file of the manifest")
	alter("digest.zip", "manifest.json", `"digest": "`, `"digest": "0`)
	fails("parley grade digest.zip --trace other.name", "easy: the digest is ")
	alter("figure.zip", "manifest.json", `"jobs.ended": 100`, `"jobs.ended": 99`)
	fails("parley grade figure.zip --trace other.name", "easy: jobs.ended is 100 and not 99")
	page, err := z.Open("index.html")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(page)
	for _, want := range []string{"parley run easy/scenario.json --trace log.swf --until ", "jobs.bounded_slowdown.mean", "easy/jobs.csv"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	// The command of the page works where the artefact was unpacked.
	command := regexp.MustCompile(`<code>(parley run [^<]*)</code>`).FindStringSubmatch(string(text))
	ok("cp other.name log.swf && "+command[1], "digest")
}

// pdfTexts returns what the streams of a PDF draw as text.
func pdfTexts(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		z, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // a font, or the end of a stream
		}
		text, _ := io.ReadAll(z) // fonts are streams as well
		for _, line := range bytes.Split(text, []byte("\n")) {
			if bytes.HasSuffix(bytes.TrimSpace(line), []byte("Tj ET")) || bytes.Contains(line, []byte(") Tj")) {
				all.Write(line)
				all.WriteByte('\n')
			}
		}
	}
	return all.String()
}
