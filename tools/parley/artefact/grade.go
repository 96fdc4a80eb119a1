package artefact

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/unit"
	"parley/core/words"
	"parley/core/workload"
	"parley/tools/parley/console"
	"parley/tools/parley/joblist"
	"parley/tools/parley/load"
)

// figuresOf returns the numbers of a report about jobs, or all of a run without jobs.
func figuresOf(report []byte) (map[string]float64, error) {
	all, err := study.Figures(report)
	if err != nil {
		return nil, err
	}
	jobs := map[string]float64{}
	for name, x := range all {
		if strings.HasPrefix(name, "jobs.") && !strings.HasPrefix(name, "jobs.by_") {
			jobs[name] = x
		}
	}
	if len(jobs) > 0 {
		return jobs, nil
	}
	return all, nil
}

// GradeCommand returns parley grade.
func GradeCommand(c *console.Console) *cobra.Command {
	var t load.Trace
	contest := ""
	var list handIns
	list.limit = console.Span(strict.Graded * unit.Day)
	cmd := &cobra.Command{
		Use:   "grade FILE… [--trace FILE…] [--challenge NAME]",
		Short: "Play artefacts and links again and say whether they are reproduced, or what they score",
		Long: `Plays each run and each sweep of an artefact or of a folder of parley run --out or parley sweep --out, or the run of a link that names a time and a digest, and prints "reproduced" or what differs. Files of the artefact are checked by their SHA-256. Logs that an artefact does not hold are given by --trace; they are found by their SHA-256, whatever their names.

A text file lists what a class hands in: one link a line, with an optional name and a colon or comma before it. The runs become one table with the changes and the figures of each. Changes are counted from the scenario of --of, or else from the scenario of the gallery that the link starts from. A change that may_change does not name is marked. So is a hand-in that plays the same scenario as an earlier one; one that cannot be played has the reason in its row.

It exits with 0 if everything is reproduced and with 1 otherwise.

With --challenge it plays the scheduler of each link or scenario in the cells of a challenge and prints its score; nothing else of the link counts. A text file may list the links. A challenge may be a link that Beat this made in Compare: then the table is ranked, and has the schedulers that took part before.`,
		Example: `  parley run KTH-SP2.swf --out easy && parley artefact easy --out paper.zip && parley grade paper.zip --trace KTH-SP2.swf`,
		Args:    console.Args(1, -1, "one artefact, folder of a run or link, or more"),
		RunE: func(_ *cobra.Command, args []string) error {
			if contest != "" {
				if list.given() {
					return list.unused()
				}
				return gradeChallenge(c, contest, list.limit, args)
			}
			differ, graded := 0, 0
			for _, arg := range args {
				if isList(arg) {
					n, bad, err := list.grade(c, &t, arg)
					if err != nil {
						return err
					}
					graded, differ = graded+n, differ+bad
					continue
				}
				n, bad, err := grade(c, &t, arg, list.limit)
				if err != nil {
					return err
				}
				graded, differ = graded+n, differ+bad
			}
			if !slices.ContainsFunc(args, isList) {
				if err := list.unused(); err != nil {
					return err
				}
			}
			if differ > 0 {
				return fmt.Errorf("%d of %s not reproduced",
					differ, map[bool]string{true: "1 run is", false: fmt.Sprintf("%d runs are", graded)}[graded == 1])
			}
			return nil
		},
	}
	t.AddFiles(cmd)
	cmd.Flags().Var(&list.limit, "most-time",
		"simulated time that a link, or an artefact that plays no log, may ask for; of more than 12,583 nodes less in proportion")
	cmd.Flags().StringVar(&contest, "challenge", "", "score schedulers in the cells of this challenge: beat-best-fit, or that of a link from Beat this")
	list.addFlags(cmd)
	return cmd
}

// grade plays the runs and sweeps of an artefact, of a folder of results or of a link, and prints a verdict on each.
// It returns their number, and the number that are not reproduced. An error ends it before the remaining ones.
func grade(c *console.Console, t *load.Trace, arg string, limit console.Span) (runs, bad int, err error) {
	verdict := func(name, difference string) {
		runs++
		if difference == "" {
			difference = "reproduced"
		} else {
			bad++
		}
		fmt.Fprintf(c.Out, "%s: %s\n", escape.Line(name), escape.Line(difference))
	}
	if load.IsLink(arg) {
		difference, err := gradeLink(c, t, arg, limit)
		if err != nil {
			return 0, 0, err
		}
		verdict(shorten80(arg), difference)
		return runs, bad, nil
	}
	name := arg
	if load.IsFolder(arg) {
		if load.StoredScenario(arg) == arg && !isSweep(arg) {
			return 0, 0, fmt.Errorf("%s is a folder: name the artefacts in it, as in %s",
				arg, filepath.Join(arg, "*.zip"))
		}
		packed, err := os.MkdirTemp("", "parley-grade-")
		if err != nil {
			return 0, 0, err
		}
		defer os.RemoveAll(packed)
		name = filepath.Join(packed, "run.zip")
		if _, err := writeArtefact(name, []string{arg}, nil); err != nil {
			return 0, 0, err
		}
	}
	z, err := zip.OpenReader(name)
	if errors.Is(err, zip.ErrFormat) {
		return 0, 0,
			fmt.Errorf("%s is no artefact, which is a zip file, and no list of links: none of its lines has a link",
				arg)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s is no artefact, which is a zip file, and no link: %w", arg, err)
	}
	defer z.Close()
	info, err := os.Stat(name)
	if err != nil {
		return 0, 0, console.Unreadable(arg, err)
	}
	m, content, err := unpackArtefact(arg, &z.Reader, info.Size())
	if err != nil {
		return 0, 0, err
	}
	dir, err := os.MkdirTemp("", "parley-grade-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	names := append([]string(nil), t.Names...)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		text := content[name]
		if strings.HasPrefix(name, "files/") || path.Base(name) == load.RecordedName {
			place := filepath.Join(dir, strconv.Itoa(len(names))) // a name in an artefact is not a path on this disk
			if err := os.WriteFile(place, text, 0o600); err != nil {
				return 0, 0, err
			}
			names = append(names, place)
		}
	}
	sums, err := sumsOf(names)
	if err != nil {
		return 0, 0, err
	}
	for _, r := range m.Runs {
		difference, err := gradeRun(c, r, content, sums, limit)
		if err != nil {
			return 0, 0, fmt.Errorf("%s, %s: %w", arg, r.Name, err)
		}
		verdict(arg+", "+r.Name, difference)
	}
	for _, s := range m.Sweeps {
		difference, err := gradeSweep(c, s, content, sums, limit)
		if err != nil {
			return 0, 0, fmt.Errorf("%s, %s: %w", arg, s.Name, err)
		}
		verdict(arg+", "+s.Name, difference)
	}
	return runs, bad, nil
}

// shorten80 cuts a link for a line of the terminal.
func shorten80(text string) string { return words.Cut(text, 80) }

// endless returns an error, which begins with a verb, if a run without a log plays more than is graded: most of
// simulated time for the usual number of nodes, less in proportion for more nodes.
func endless(s *scenario.Scenario, at scenario.Duration, limit console.Span) error {
	usual := workload.DefaultGenerated().Nodes
	if len(s.Workload.Trace) > 0 || float64(at)*float64(max(s.Cluster.Nodes, usual)) <= float64(limit)*float64(usual) {
		return nil
	}
	return fmt.Errorf(
		"asks for %v of %d nodes, and at most %v of %d nodes, or less of more nodes, are played: give --most-time to play it", at, s.Cluster.Nodes, scenario.Duration(limit), usual,
	)
}

// unpackArtefact reads an artefact of a size in bytes and checks its files against the manifest. It limits the
// unpacked size before it reads.
func unpackArtefact(name string, z *zip.Reader, bytes int64) (*manifest, map[string][]byte, error) {
	left := uint64(min(strict.Archive, strict.Whole+strict.Packed*bytes))
	if len(z.File) > strict.Entries {
		return nil, nil, fmt.Errorf("%s has %d files in it: at most %d are read", name, len(z.File), strict.Entries)
	}
	for _, f := range z.File {
		if f.UncompressedSize64 > left {
			return nil, nil,
				fmt.Errorf(
					"%s unfolds to more than the %d MB that are read of an artefact of %d bytes: leave its logs out, and give them with --trace", name, min(strict.Archive, strict.Whole+strict.Packed*bytes)>>20, bytes,
				)
		}
		left -= f.UncompressedSize64
	}
	content := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w", name, escape.Line(f.Name), err)
		}
		text := make([]byte, f.UncompressedSize64)
		if _, err = io.ReadFull(in, text); err == nil {
			var n int64
			if n, err = io.Copy(io.Discard, io.LimitReader(in, 1)); n > 0 { // at its end package zip checks the sum
				err = errors.New("it has more bytes than the archive says")
			}
		}
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, nil, fmt.Errorf("%s, %s is damaged: %w", name, escape.Line(f.Name), err)
		}
		if _, twice := content[f.Name]; twice {
			return nil, nil, fmt.Errorf("%s has two files of the name %s: fetch the artefact again",
				name, escape.Line(f.Name))
		}
		content[f.Name] = text
	}
	var m manifest
	if err := strict.Unmarshal(content[manifestName], &m); err != nil || m.V != 1 || len(m.Runs)+len(m.Sweeps) == 0 {
		return nil, nil,
			fmt.Errorf(
				"%s is no artefact: it has no %s of version 1 with runs or sweeps; make one with parley artefact", name,
				manifestName,
			)
	}
	for _, f := range m.Files {
		sum := sha256.Sum256(content[f.Name])
		if hex.EncodeToString(sum[:]) != f.SHA256 {
			return nil, nil,
				fmt.Errorf("%s: %s is not the file of the manifest, whose SHA-256 is %s: fetch the artefact again",
					name, f.Name, f.SHA256)
		}
	}
	return &m, content, nil
}

// sumsOf returns the names of files by their SHA-256 in hexadecimal.
func sumsOf(names []string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, console.Unreadable(name, err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, console.Unreadable(name, err)
		}
		sums[hex.EncodeToString(sum.Sum(nil))] = name
	}
	return sums, nil
}

// gradeRun plays a run of an artefact and describes the first difference: of its digest, table of jobs or
// figures; "" if there is none. content has the files of the artefact, sums the logs by SHA-256.
func gradeRun(c *console.Console, r manifestRun, content map[string][]byte, sums map[string]string,
	limit console.Span,
) (string, error) {
	s, err := scenario.Parse(content[path.Join(r.Name, "scenario.json")])
	if err != nil {
		return "", err
	}
	if !(r.SimulatedS >= 0 && r.SimulatedS <= scenario.MaxUntil.Seconds()) {
		return "",
			fmt.Errorf(
				"the manifest says that it ends after %v s, which is no time from 0 to %v: fetch the artefact again",
				r.SimulatedS, scenario.Duration(scenario.MaxUntil),
			)
	}
	if err := endless(s, scenario.Duration(r.SimulatedS*1e6), limit); err != nil {
		return "", fmt.Errorf("it %w", err)
	}
	var files load.Trace
	for _, need := range s.Workload.Trace {
		name, has := sums[need.SHA256]
		if !has {
			return "", fmt.Errorf("it plays %s with the SHA-256 %s, which is not here: give it with --trace", need.Name,
				need.SHA256)
		}
		files.Names = append(files.Names, name)
	}
	p, err := files.Prepare(c, load.Document{Label: r.Name, Scenario: s})
	if err != nil {
		return "", err
	}
	p.Scenario.Name = s.Name
	var jobs events.JobLog
	played, took, err := load.Play(c, p, unit.Time(r.SimulatedS*1e6), r.Name, run.KeepJobs(&jobs))
	if err != nil {
		return "", err
	}
	report := load.Report(p, played, took)
	if report.Digest != r.Digest {
		return fmt.Sprintf("the digest is %s and not %s (engine %s here)", report.Digest, r.Digest, run.Engine), nil
	}
	again, err := joblist.Files(played, report, &jobs)
	if err != nil {
		return "", err
	}
	if before, kept := content[path.Join(r.Name, joblist.CSV)]; kept {
		if line := firstDifference(before, []byte(again[joblist.CSV])); line > 0 {
			return fmt.Sprintf("%s differs from line %d on", joblist.CSV, line), nil
		}
	}
	text, err := json.Marshal(report)
	if err != nil {
		return "", err
	}
	figures, err := figuresOf(text)
	if err != nil {
		return "", err
	}
	for name, x := range r.Figures {
		if figures[name] != x {
			return fmt.Sprintf("%s is %v and not %v", name, figures[name], x), nil
		}
	}
	return "", nil
}

// firstDifference returns the number of the first line in which two texts differ, from 1; 0 if they
// are equal.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}

// gradeLink plays the run of a link to its time and describes the difference of the digest; "" if there is none.
// A link without a time and a digest is an error.
func gradeLink(c *console.Console, t *load.Trace, link string, limit console.Span) (string, error) {
	d, err := load.OpenLink(c, link, t)
	if err != nil {
		return "", err
	}
	if d.Address.At == 0 || d.Address.Digest == "" {
		return "",
			fmt.Errorf(
				"the link %q names no time with a digest (at and d), so there is nothing to compare: send one from the page while the run plays", shorten80(link),
			)
	}
	if err := endless(d.Scenario, d.Address.At, limit); err != nil {
		return "", fmt.Errorf("the link %q %w", shorten80(link), err)
	}
	files := *t
	p, err := files.Prepare(c, d)
	if err != nil {
		return "", err
	}
	played, _, err := load.Play(c, p, min(unit.Time(d.Address.At), p.End()), d.Label)
	if err != nil {
		return "", err
	}
	if got := played.Digest().String(); !strings.HasPrefix(got, d.Address.Digest) {
		return fmt.Sprintf("the digest is %s and not %s… (engine %s here)", got, d.Address.Digest, run.Engine), nil
	}
	return "", nil
}
