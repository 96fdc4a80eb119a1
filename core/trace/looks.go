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

// isSqueue reports whether a line has the names of what squeue or qstat prints.
func isSqueue(line []byte) bool {
	words := bytes.Fields(bytes.ToUpper(line))
	is := map[string]bool{}
	for _, w := range words {
		is[string(w)] = true
	}
	return is["JOBID"] && is["PARTITION"] && is["ST"] || is["JOB-ID"] && is["PRIOR"] || is["JOB"] && is["ID"] && is["TIME"] && is["USE"]
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

// isBitbrainsEx reports whether the first line has 21 columns between blanks, the first a time
// since 1970 and one before the last a name.
func isBitbrainsEx(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	of := bytes.Fields(line)
	if len(of) != 21 {
		return false
	}
	at, why := Whole(of[0], 1<<40)
	_, name := Decimal(of[19], 0)
	return why == "" && at > 1e9 && name != ""
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
	{contains(`"ClusterId"`, `"QDate"`), "HTCondor's ads in JSON: print them with condor_history -l", otherTrace},
	{firstLine(contains("h:m:s", "max_rss")), "a benchmark of Snakemake, which has run times and neither submissions nor starts: there is no order in which to play it", otherTrace},
	{begins("{"), "JSON of another kind (a list of jobs in it can be read one object a line, as jq -c '.jobs[]' FILE writes them)", someData},
	{begins("["), "JSON", someData},
	{firstLine(isUnnamedSacct), "what sacct prints with --noheader: print it with the line of names, or say them in a mapping, as in --map 'names=\"JobID|User|Submit|Start|End|NCPUS|State\"'", otherTrace},
	{contains("Accounting information about"), "what bacct prints, whose lines are wrapped and whose dates have no year: give the file lsb.acct itself", otherTrace},
	{firstLine(isSqueue), "what squeue or qstat prints, jobs that still wait or run: print those that have ended, as in sacct --parsable2 -o JobID,User,Submit,Start,End,NCPUS,Timelimit,State, or give the accounting log", otherTrace},
	{begins("pegasus: "), "a Pegasus workflow in YAML: give its DAX, or write it as a WfCommons workflow", otherTrace},
	{begins("digraph"), "a graph in Graphviz's DOT language: write it as a WfCommons or Pegasus workflow", otherTrace},
	{begins("strict digraph"), "a graph in Graphviz's DOT language: write it as a WfCommons or Pegasus workflow", otherTrace},
	{firstLine(contains("collection_id")), "a table of the Google trace of 2019", someData},
	{firstLine(contains("ParentID", "TaskID")), "version 1 of the Google trace, of 2010", otherTrace},
	{firstLine(contains("milli", "gpu")), "an Alibaba GPU trace", someData},
	{firstLine(contains("task_create_time")), "the Alibaba trace of 2017", someData},
	{firstLine(contains("Terminated")), "an Alibaba batch trace", someData},
	{begins("m_"), "the Alibaba trace of 2018", someData},
	{firstLine(contains("Timestamp [ms];")), "a Bitbrains trace", someData},
	{isBitbrainsEx, "the readings of a virtual machine in the longer form of Bitbrains, whose columns have no published names: give the trace of the Grid Workloads Archive (GWA-T-12) or OpenDC's Parquet of it", otherTrace},
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
