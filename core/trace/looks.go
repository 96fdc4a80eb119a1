package trace

import "bytes"

// A look is a kind of file that people try to open, by how it begins.
type look struct {
	is   func(head []byte) bool
	name string
	kind lookKind
}

// A lookKind says which hint helps with a file that no format knows.
type lookKind uint8

const (
	noData     lookKind = iota // an image, an archive, a web page
	someData                   // data that a program wrote: perhaps the right folder and the wrong file
	otherTrace                 // a trace that Parley does not read: the hint names no table that it resembles
)

func begins(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func contains(texts ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, t := range texts {
			if !bytes.Contains(head, []byte(t)) {
				return false
			}
		}
		return true
	}
}

// firstLine looks at the first line only.
func firstLine(is func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return is(line)
	}
}

// isPBS reports whether a line is a record of PBS's accounting: 04/01/2019 00:00:00;E;1.server;…
func isPBS(line []byte) bool {
	const date = "00/00/0000 00:00:00;"
	if len(line) < len(date)+2 || line[len(date)+1] != ';' || line[len(date)] < 'A' || line[len(date)] > 'Z' {
		return false
	}
	for i, c := range []byte(date) {
		if c == '0' && (line[i] < '0' || line[i] > '9') || c != '0' && line[i] != c {
			return false
		}
	}
	return true
}

// isGridEngine reports whether the first record has the fields of Grid Engine's accounting,
// which are separated by colons and begin with the queue; comments precede it.
func isGridEngine(head []byte) bool {
	for line := range bytes.Lines(head) {
		if line[0] == '#' {
			continue
		}
		record := bytes.Split(line, []byte(":"))
		if len(record) < 43 {
			return false
		}
		for _, at := range [...]int{5, 8, 9, 10} { // the number of the job; its submission, start and end
			if len(record[at]) == 0 || bytes.ContainsFunc(record[at], func(c rune) bool { return c < '0' || c > '9' }) {
				return false
			}
		}
		return true
	}
	return false
}

// isUnnamedSacct reports whether a line has bars between its cells and one of them is a state
// of Slurm's jobs.
func isUnnamedSacct(line []byte) bool {
	cells := bytes.Split(line, []byte("|"))
	for _, c := range cells {
		switch string(c) {
		case "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "RUNNING", "PENDING":
			return len(cells) > 5
		}
	}
	return false
}

// fields checks how many fields the first line that is no comment has.
func fields(split func([]byte) [][]byte, n int) func([]byte) bool {
	return func(head []byte) bool {
		for line := range bytes.Lines(head) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != ';' {
				return len(split(line)) == n
			}
		}
		return false
	}
}

// isPlanetLab reports whether lines are whole percents, one each, for most of a day.
func isPlanetLab(head []byte) bool {
	lines := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if n, why := Whole(line, 100); len(line) > 0 && (why != "" || n > 100) {
			return false
		}
		lines++
	}
	return lines >= 200
}

// looks is tried in order: certain signs first.
var looks = [...]look{
	{begins("\x89PNG\r\n"), "a PNG image", noData},
	{begins("\xff\xd8\xff"), "a JPEG image", noData},
	{begins("GIF8"), "a GIF image", noData},
	{begins("%PDF-"), "a PDF document", noData},
	{begins("PK\x03\x04"), "a ZIP archive or a spreadsheet", noData},
	{begins("PAR1"), "a Parquet file, which the command line reads if it is not packed once more: else write it as CSV first, as in duckdb -c \"copy (from 'FILE.parquet') to 'FILE.csv'\", or in pandas with read_parquet and to_csv(index=False)", otherTrace},
	{begins("\x28\xb5\x2f\xfd"), "zstd data, which is not unpacked here", noData},
	{begins("BZh"), "bzip2 data, which is not unpacked here", noData},
	{begins("\xfd7zXZ"), "xz data, which is not unpacked here", noData},
	{begins("7z\xbc\xaf"), "a 7-Zip archive", noData},
	{begins("SQLite format"), "an SQLite database: write its tables as CSV first, as in sqlite3 -header -csv FILE 'select * from TABLE' > TABLE.csv", otherTrace},
	{begins("\x7fELF"), "a program", noData},
	{begins("\xff\xfe"), "text in UTF-16", noData},
	{begins("\xfe\xff"), "text in UTF-16", noData},
	{func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }, "a tar archive: unpack it first", noData},
	{contains("<!DOCTYPE html"), "a web page", noData},
	{contains("<html"), "a web page", noData},
	{contains("<platform", "version="), "a SimGrid platform", someData},
	{contains("<adag"), "a Pegasus DAX workflow", someData},
	{begins("<"), "XML", someData},
	{contains(`"workflow"`, `"tasks"`), "a WfCommons workflow", someData},
	{contains(`"workflow"`, `"jobs"`), "a WfCommons workflow", someData},
	{contains(`"attempts"`, `"jobid"`), "the job log of Microsoft's Philly trace", someData},
	{contains(`"nb_res"`, `"profiles"`), "a workload of Batsim", someData},
	{begins("{"), "JSON", someData},
	{begins("["), "JSON", someData},
	{firstLine(isPBS), "an accounting log of PBS: make a table of its E records, with the columns qtime, start, end, Resource_List.ncpus, Resource_List.walltime and user", otherTrace},
	{begins(`"JOB_FINISH"`), "an accounting log of LSF (lsb.acct): make a table of its JOB_FINISH records, with the columns submitTime, startTime, endTime and numProcessors", otherTrace},
	{contains("qname", "ru_wallclock"), "what qacct prints: make a table with the columns qsub_time, start_time, end_time, slots and owner", otherTrace},
	{isGridEngine, "an accounting log of Grid Engine: make a table with the columns submission_time, start_time, end_time, slots and owner (fields 9, 10, 11, 35 and 4)", otherTrace},
	{firstLine(isUnnamedSacct), "what sacct prints with --noheader: print it with the line of names, or write that line above the rows", otherTrace},
	{begins("digraph"), "a graph in Graphviz's DOT language: write it as a WfCommons or Pegasus workflow", otherTrace},
	{begins("strict digraph"), "a graph in Graphviz's DOT language: write it as a WfCommons or Pegasus workflow", otherTrace},
	{firstLine(contains("collection_id")), "a table of the Google trace of 2019", someData},
	{firstLine(contains("ParentID", "TaskID")), "version 1 of the Google trace, of 2010", otherTrace},
	{firstLine(contains("milli", "gpu")), "an Alibaba GPU trace", someData},
	{firstLine(contains("task_create_time")), "the Alibaba trace of 2017", someData},
	{firstLine(contains("Terminated")), "an Alibaba batch trace", someData},
	{begins("m_"), "the Alibaba trace of 2018", someData},
	{firstLine(contains("Timestamp [ms];")), "a Bitbrains trace", someData},
	{isPlanetLab, "the CPU use of one virtual machine in percent, as in the PlanetLab trace of CloudSim, whose files have 288 lines each", otherTrace},
	{fields(bytes.Fields, 18), "a Standard Workload Format log", someData},
	{begins(";"), "a Standard Workload Format log", someData},
	{contains("\x00"), "binary data", noData},
	{contains(";"), "a table with semicolons", someData},
	{contains("\t"), "a table with tabs", someData},
	{contains(","), "a table with other columns", someData},
}

// looksLike names what h looks like, to a person who chose the wrong file.
func looksLike(h *Head) look {
	for _, l := range looks {
		if l.is(h.Bytes) {
			return l
		}
	}
	return look{name: "text"}
}
