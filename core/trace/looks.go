package trace

import "bytes"

// A look is a kind of file that people try to open, by how it begins.
type look struct {
	is   func(head []byte) bool
	name string // for another trace: the name, a colon and the remedy
	kind lookKind
}

// A lookKind selects the hint for a file that no format recognises.
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
		case "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "RUNNING",
			"PENDING":
			return len(cells) > 5
		}
	}
	return false
}

// names looks for words in the first line that is not a rule, in capitals or not.
func names(words ...string) func([]byte) bool {
	return func(head []byte) bool {
		rows := 0
		for line := range bytes.Lines(head) {
			is := map[string]bool{}
			for _, w := range bytes.Fields(bytes.ToUpper(bytes.ReplaceAll(line, []byte("/"), []byte(" ")))) {
				is[string(w)] = true
			}
			missing := false
			for _, w := range words {
				missing = missing || !is[w]
			}
			if rows++; !missing || rows > 5 {
				return !missing
			}
		}
		return false
	}
}

// isServerLog recognises the logs that the daemons of PBS and Torque write beside the accounting:
// 03/02/2026 10:00:00;0008;PBS_Server;Job;41.srv;Job Queued at …
func isServerLog(line []byte) bool {
	of := bytes.SplitN(line, []byte(";"), 5)
	return len(of) == 5 && bytes.Count(of[0], []byte("/")) == 2 && len(of[1]) == 4 &&
		bytes.Trim(of[1], "0123456789abcdefABCDEF") == nil
}

// isReport recognises the output of sreport, with its title or with bars.
func isReport(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.Contains(line, []byte("|Used")) || bytes.Contains(line, []byte("Allocated|Down|")) {
		return bytes.HasPrefix(line, []byte("Cluster|"))
	}
	return bytes.HasPrefix(line, []byte("-----")) && bytes.Contains(head[:min(len(head), 1000)], []byte(" secs)")) ||
		bytes.Contains(head[:min(len(head), 1000)], []byte("reported in ")) && bytes.Contains(head, []byte("Cluster"))
}

// Remedies for files of other systems.
const (
	yarnApps = "the applications of YARN's ResourceManager, which have core-seconds and no cores: play each as a job of " +
		"one processor, with --map 'id=id, submit=startedTime, start=launchTime, end=finishedTime, processors=always:1'"
	sparkLog = "an event log of Spark, several events a job: write one row a job or stage with its submission, start, " +
		"end and number of cores"
	chromeTrace = "events of a Chrome trace, as Perfetto, Ray and Dask write: write one row a task, as in jq -c '" +
		`.traceEvents[] | select(.ph=="X") | {id:.name, submit:(.ts/1e6), runtime:(.dur/1e6), processors:1}` +
		"' FILE > FILE.jsonl"
	cromwellCalls = "the metadata of a Cromwell workflow, whose calls are lists by name: write one row a call, as in " +
		`jq -c '.calls[][] | {submit:.start, start:.start, "end":.end, processors:.runtimeAttributes.cpu}' ` +
		"FILE > FILE.jsonl"
	nomadAllocs = "allocations of Nomad, which have neither submissions nor ends: write one row a job with its submission, " +
		"start, end and number of cores"
	swimJobs = "a workload of SWIM (Facebook and Cloudera), which says how many bytes a job reads and writes, and neither " +
		"run times nor processors: choose a trace of jobs"
	sinfoTable = "what sinfo prints, a machine and no jobs: print the jobs with sacct, as in sacct -a -P -o " +
		"JobID,User,Submit,Start,End,NCPUS,Timelimit,State, and say the machine in the mapping, as in --map 'machine=16x4'"
	kubectlTop = "what kubectl top prints, the use of one moment: print the objects, as in kubectl get nodes,pods -A -o json " +
		"> dump.json, ask parley cluster about them, and give this file with --usage"
	composeFile = "a Compose file, which describes services and no jobs: ask parley cluster about a Kubernetes cluster, or " +
		"choose a trace of jobs"
	kubectlTable = "a table that kubectl prints for people, which leaves out what pods request: print the objects, as in " +
		"kubectl get nodes,pods -A -o json > dump.json, and give that file"
)

// isKubectl reports whether a line names the columns that kubectl prints for people.
func isKubectl(line []byte) bool {
	name, age := false, false
	for _, w := range bytes.Fields(line) {
		name = name || string(w) == "NAME"
		age = age || string(w) == "AGE"
	}
	return name && age && !bytes.ContainsAny(line, ",;\t|")
}

// isSWIM recognises a workload of SWIM: a job's name and five whole numbers between tabs.
func isSWIM(line []byte) bool {
	of := bytes.Split(bytes.TrimSpace(line), []byte("\t"))
	if len(of) != 6 || !bytes.HasPrefix(of[0], []byte("job")) {
		return false
	}
	for _, cell := range of[1:] {
		if _, reason := Whole(cell, 1<<60); reason != "" {
			return false
		}
	}
	return true
}

// isCompose recognises a Compose file: services with an image or a folder to build.
func isCompose(head []byte) bool {
	_, services, is := bytes.Cut(append([]byte("\n"), head...), []byte("\nservices:"))
	return is && (bytes.Contains(services, []byte("image:")) || bytes.Contains(services, []byte("build:")))
}

// isEventTable reports whether the first line names a moment, an event and a job.
func isEventTable(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.ToLower(head), []byte("\n"))
	event, job, moment := false, false, false
	for _, w := range bytes.FieldsFunc(bytes.TrimSpace(line),
		func(c rune) bool { return c == ',' || c == ';' || c == '|' || c == '\t' }) {
		switch string(bytes.Trim(w, "\" ")) {
		case "event", "event_type", "eventtype":
			event = true
		case "job", "job_id", "jobid", "id":
			job = true
		case "time", "timestamp", "date", "datetime":
			moment = true
		}
	}
	return event && job && moment
}

// isListInYAML reports whether a text begins with an item whose members are named.
func isListInYAML(head []byte) bool {
	line, rest, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("---\n")), []byte("\n"))
	if name, of, is := bytes.Cut(line, []byte(":")); is && len(bytes.Fields(name)) == 1 &&
		len(bytes.TrimSpace(of)) == 0 {
		line, rest, _ = bytes.Cut(bytes.TrimLeft(rest, " "), []byte("\n")) // jobs: and a list
	}
	return bytes.HasPrefix(line, []byte("- ")) && bytes.Contains(line, []byte(": ")) &&
		bytes.HasPrefix(rest, []byte("  ")) && bytes.Contains(rest, []byte(": "))
}

// isPickle reports whether a text begins as the second and later protocols of Python's pickle do.
func isPickle(head []byte) bool {
	return len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 &&
		bytes.IndexByte([]byte("\x95}](cX"), head[2]) >= 0
}

// isR recognises the output of R's saveRDS and save after decompression.
func isR(head []byte) bool {
	return bytes.HasPrefix(head, []byte("X\n\x00\x00\x00")) || bytes.HasPrefix(head, []byte("RDX"))
}

// inPandas says how a table of a kind becomes one that is read.
func inPandas(kind string) string {
	return "write its table as CSV, as in pandas.read_" + kind + "('FILE').to_csv('FILE.csv', index=False)"
}

// isPandasColumns recognises a table that pandas writes by columns, or in three parts.
func isPandasColumns(head []byte) bool {
	head = bytes.TrimSpace(head)
	if bytes.HasPrefix(head, []byte(`{"columns":[`)) {
		return bytes.Contains(head, []byte(`"index":`))
	}
	_, after, is := bytes.Cut(head, []byte(`":{"0":`))
	return is && bytes.HasPrefix(head, []byte(`{"`)) && len(after) > 0 && after[0] != '{'
}

// fields checks how many fields the first line that is not a comment has.
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
	at, reason := Whole(of[0], 1<<40)
	_, name := Decimal(of[19], 0)
	return reason == "" && at > 1e9 && name != ""
}

// isPlanetLab reports whether lines are whole percents, one each, for most of a day.
func isPlanetLab(head []byte) bool {
	lines := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if n, reason := Whole(line, 100); len(line) > 0 && (reason != "" || n > 100) {
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
	{
		func(h []byte) bool { return begins("PK\x03\x04")(h) && contains("[Content_Types].xml")(h) },
		"a spreadsheet: save its table as CSV", otherTrace,
	},
	{
		begins("version https://git-lfs"),
		"a pointer of Git LFS in place of the file: fetch the file with git lfs pull, or download it by itself",
		otherTrace,
	},
	{isPickle, "a pickle of Python: " + inPandas("pickle"), otherTrace},
	{begins("\x89HDF"), "HDF5: " + inPandas("hdf"), otherTrace},
	{begins("ARROW1"), "an Arrow file, as Feather is: " + inPandas("feather"), otherTrace},
	{
		func(h []byte) bool { return begins("ORC")(h) && contains("\x00")(h) }, "an ORC file: " + inPandas("orc"),
		otherTrace,
	},
	{
		begins("Obj\x01"), "an Avro file: write its records as JSON lines, as in avro-tools tojson FILE > FILE.jsonl",
		otherTrace,
	},
	{
		begins("\x93NUMPY"), "an array of NumPy: write it as a table with a line of names, as in numpy.savetxt",
		otherTrace,
	},
	{
		isR, "data of R: write the table as CSV, as in write.csv(readRDS('FILE'), 'FILE.csv', row.names=FALSE)",
		otherTrace,
	},
	{begins("Rar!"), "a RAR archive: unpack it first", otherTrace},
	{
		begins("\x04\x22\x4d\x18"), "LZ4 data, which is not unpacked here: unpack it first, as in lz4 -d FILE",
		otherTrace,
	},
	{begins("PK\x03\x04"), "a ZIP archive or a spreadsheet", noData},
	{
		begins("PAR1"),
		"a Parquet file, which is read by itself, and neither from an archive nor under a program of one's own on the page: else write it as CSV first, as in duckdb -c \"copy (from 'FILE.parquet') to 'FILE.csv'\", or in pandas with read_parquet and to_csv(index=False)", otherTrace,
	},
	{
		begins("\x28\xb5\x2f\xfd"),
		"zstd data, which is not unpacked in an archive or under a program of one's own on the page: unpack it first, as in zstd -d FILE", noData,
	},
	{
		begins("BZh"),
		"bzip2 data, which is not unpacked in an archive or under a program of one's own on the page: unpack it first, as in bzip2 -dk FILE", noData,
	},
	{begins("\xfd7zXZ"), "xz data, which is not unpacked here: unpack it first, as in xz -dk FILE", otherTrace},
	{begins("7z\xbc\xaf"), "a 7-Zip archive: unpack it first, as in 7z x FILE", otherTrace},
	{
		begins("SQLite format"),
		"an SQLite database: write its tables as CSV first, as in sqlite3 -header -csv FILE 'select * from TABLE' > TABLE.csv", otherTrace,
	},
	{begins("\x7fELF"), "a program", noData},
	{
		func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }, "a tar archive: unpack it first",
		noData,
	},
	{contains("<table", "<th"), "a table of a web page: save it as CSV", otherTrace},
	{contains("<!DOCTYPE html"), "a web page", noData},
	{contains("<html"), "a web page", noData},
	{contains("<platform", "version="), "a SimGrid platform", someData},
	{contains("<adag"), "a Pegasus DAX workflow", someData},
	{begins("<"), "XML", someData},
	{contains(`"workflow"`, `"tasks"`), "a WfCommons workflow", someData},
	{contains(`"workflow"`, `"jobs"`), "a WfCommons workflow", someData},
	{contains(`"attempts"`, `"jobid"`), "the job log of Microsoft's Philly trace", someData},
	{contains(`"nb_res"`, `"profiles"`), "a workload of Batsim", someData},
	{contains(`"apps"`, `"app"`, `"vcoreSeconds"`), yarnApps, otherTrace},
	{contains(`"Event":"SparkListener`), sparkLog, otherTrace},
	{contains(`"traceEvents"`), chromeTrace, otherTrace},
	{contains(`"workflowName"`, `"calls"`), cromwellCalls, otherTrace},
	{contains(`"ClientStatus"`, `"DesiredStatus"`), nomadAllocs, otherTrace},
	{firstLine(isSWIM), swimJobs, otherTrace},
	{isCompose, composeFile, otherTrace},
	{
		isPandasColumns,
		"a table that pandas wrote as JSON by columns: write it by rows, as in to_json(FILE, orient='records', lines=True), or as CSV", otherTrace,
	},
	{
		firstLine(contains("(batch size ", "\t")),
		"a workload of Gavel or Shockwave, whose jobs have steps and no durations: write a row a job with its submission, its GPUs and how long it ran, which are its steps by the measured throughput", otherTrace,
	},
	{
		firstLine(contains("h:m:s", "max_rss")),
		"a benchmark of Snakemake, which has run times and neither submissions nor starts: there is no order in which to play it", otherTrace,
	},
	{
		begins("{"),
		"JSON of another kind (a list of jobs in it can be read one object a line, as jq -c '.jobs[]' FILE writes them)", someData,
	},
	{begins("["), "JSON", someData},
	{
		firstLine(isUnnamedSacct),
		"what sacct prints with --noheader: print it with the line of names, or say them in a mapping, as in --map 'names=\"JobID|User|Submit|Start|End|NCPUS|State\"'", otherTrace,
	},
	{
		firstLine(isServerLog),
		"a log of a daemon of PBS: give the accounting log of that day, server_priv/accounting/YYYYMMDD", otherTrace,
	},
	{
		contains("Job: ", "enqueuing into "),
		"what tracejob prints of one job: give the accounting log, server_priv/accounting/YYYYMMDD", otherTrace,
	},
	{
		contains("jobnumber", "qsub_time", "end_time"),
		"a part of what qacct prints: print all of it with qacct -j '*', or give the file accounting", otherTrace,
	},
	{
		contains(`"JOB_NEW" "`),
		"LSF's lsb.events, several records a job: give the file lsb.acct, or what bhist -l -a -u all prints",
		otherTrace,
	},
	{
		contains(`"JOB_START" "`),
		"LSF's lsb.events, several records a job: give the file lsb.acct, or what bhist -l -a -u all prints",
		otherTrace,
	},
	{
		contains("ccounting information about jobs that are"),
		"the summary that bacct prints, which names no job: print them with bacct -l -u all, or give the file lsb.acct",
		otherTrace,
	},
	{
		names("PARTITION", "ST"),
		"what squeue prints, jobs that still wait or run, and when they were submitted is not there: print those that have ended with sacct, as in sacct -a -P -o JobID,User,Submit,Start,End,NCPUS,Timelimit,State, or all with squeue --json", otherTrace,
	},
	{names("PARTITION", "AVAIL", "NODELIST"), sinfoTable, otherTrace},
	{firstLine(contains("CPU(cores)", "MEMORY(bytes)")), kubectlTop, otherTrace},
	{
		names("JOB-ID", "PRIOR"),
		"what qstat prints in Grid Engine, jobs that still wait or run: print those that have ended with qacct -j '*', or give the file accounting", otherTrace,
	},
	{
		names("USERNAME", "QUEUE", "JOBNAME"),
		"what qstat -a prints: print all attributes with qstat -x -f, or give the accounting log", otherTrace,
	},
	{
		names("JOB", "ID", "TIME", "USE"),
		"what qstat prints: print all attributes with qstat -x -f, or give the accounting log", otherTrace,
	},
	{
		names("JOBID", "STAT", "SUBMIT_TIME"),
		"what bjobs prints, without starts and ends: print jobs that have ended with bacct -l -u all, or give the file lsb.acct", otherTrace,
	},
	{
		names("SUBMITTED", "RUN_TIME", "ST"),
		"what condor_history or condor_q prints for people, without starts: print all of it with condor_history -l or -json", otherTrace,
	},
	{
		names("JOBID", "NTASKS", "NNODES"),
		"what flux jobs prints, without submissions: print all of it with flux jobs -a -A --json", otherTrace,
	},
	{
		names("JOB", "ID", "SUBMISSION", "QUEUE"),
		"what oarstat prints, without starts and ends: print all of it with oarstat -J --gantt 'FROM, TO' or oarstat -f", otherTrace,
	},
	{firstLine(isKubectl), kubectlTable, otherTrace},
	{
		isReport,
		"what sreport prints, sums over accounts or users and no jobs: print the jobs with sacct, as in sacct -a -P -o JobID,User,Submit,Start,End,NCPUS,Timelimit,State", otherTrace,
	},
	{
		contains("Job ID: ", "CPU Utilized: "),
		"what seff prints of one job, without its times: print all jobs with sacct, as in sacct -a -P -o JobID,User,Submit,Start,End,NCPUS,Timelimit,State", otherTrace,
	},
	{
		isEventTable, "a table of events, several rows a job: write one row a job with its submission, start and end",
		otherTrace,
	},
	{isListInYAML, "a list in YAML: write it as JSON, as in yq -o=json . FILE", otherTrace},
	{firstLine(contains("collection_id")), "a table of the Google trace of 2019", someData},
	{firstLine(contains("ParentID", "TaskID")), "version 1 of the Google trace, of 2010", otherTrace},
	{firstLine(contains("milli", "gpu")), "an Alibaba GPU trace", someData},
	{firstLine(contains("task_create_time")), "the Alibaba trace of 2017", someData},
	{firstLine(contains("Terminated")), "an Alibaba batch trace", someData},
	{begins("m_"), "the Alibaba trace of 2018", someData},
	{firstLine(contains("Timestamp [ms];")), "a Bitbrains trace", someData},
	{
		isBitbrainsEx,
		"the readings of a virtual machine in the longer form of Bitbrains, whose columns have no published names: give the trace of the Grid Workloads Archive (GWA-T-12) or OpenDC's Parquet of it", otherTrace,
	},
	{
		isPlanetLab,
		"the CPU use of one virtual machine in percent, as in the PlanetLab trace of CloudSim, whose files have 288 lines each", otherTrace,
	},
	{fields(bytes.Fields, 18), "a Standard Workload Format log", someData},
	{begins(";"), "a Standard Workload Format log", someData},
	{contains("\x00"), "binary data", noData},
	{contains(";"), "a table with semicolons", someData},
	{contains("\t"), "a table with tabs", someData},
	{contains(","), "a table with other columns", someData},
}

// looksLike returns the kind of file that h resembles, for a user who chose the wrong file.
func looksLike(h *Head) look {
	for _, l := range looks {
		if l.is(h.Bytes) {
			return l
		}
	}
	return look{name: "text"}
}
