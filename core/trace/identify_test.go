package trace_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
)

var formats = []trace.Format{google2011.Format()}

// Every kind of file that is not a Google trace is named, in one sentence.
func TestIdentifyStrangers(t *testing.T) {
	for _, c := range []struct {
		content string
		class   trace.ErrorKind
		looks   string
	}{
		{"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", trace.Unknown, "a PNG image"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF", trace.Unknown, "a JPEG image"},
		{"%PDF-1.7\n", trace.Unknown, "a PDF document"},
		{"PK\x03\x04\x14\x00", trace.Unknown, "a ZIP archive or a spreadsheet"},
		{"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", trace.WrongTable, "a spreadsheet: save"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n", trace.WrongTable, "a pointer of Git LFS in place"},
		{"\x80\x05\x95\x11\x03\x00\x00", trace.WrongTable, "a pickle of Python: write its table as CSV, as in pandas.read_pickle("},
		{"\x89HDF\r\n\x1a\n", trace.WrongTable, "HDF5: "},
		{"ARROW1\x00\x00", trace.WrongTable, "an Arrow file"},
		{"ORC\x00\x01", trace.WrongTable, "an ORC file"},
		{"ORC,SUBMIT\n1,2\n", trace.WrongTable, "a table with other columns"},
		{"Obj\x01\x04\x14", trace.WrongTable, "an Avro file"},
		{"\x93NUMPY\x01\x00", trace.WrongTable, "an array of NumPy"},
		{"X\n\x00\x00\x00\x02", trace.WrongTable, "data of R"},
		{"RDX3\nX\n", trace.WrongTable, "data of R"},
		{"Rar!\x1a\x07", trace.WrongTable, "a RAR archive"},
		{"\x04\x22\x4d\x18\x64", trace.WrongTable, "LZ4 data"},
		{"<table border=\"1\"><thead><tr><th>job</th>", trace.WrongTable, "a table of a web page: save it as CSV"},
		{"jobs:\n  - id: 1\n    submit: 3\n", trace.WrongTable, "a list in YAML"},
		{"PAR1\x15\x04", trace.WrongTable, "a Parquet file, which is read by itself, and neither from an archive nor under a program of one's own on the page: else write it as CSV first, as in duckdb -c \"copy (from 'FILE.parquet') to 'FILE.csv'\", or in pandas with read_parquet and to_csv(index=False)"},
		{"SQLite format 3\x00", trace.WrongTable, "an SQLite database: write its tables as CSV first, as in sqlite3 -header -csv FILE 'select * from TABLE' > TABLE.csv"},
		{strings.Repeat("5\n17\n", 144), trace.WrongTable, "the CPU use of one virtual machine in percent, as in the PlanetLab trace of CloudSim, whose files have 288 lines each"},
		{"\x28\xb5\x2f\xfd\x24", trace.Unknown, "zstd data, which is not unpacked in an archive or under a program of one's own on the page: unpack it first, as in zstd -d FILE"},
		{"\xff\xfe0\x00,\x005\x00", trace.WrongTable, "a table with other columns"},
		{strings.Repeat("\x00", 257) + "ustar" + strings.Repeat("\x00", 300), trace.Unknown, "a tar archive: unpack it first"},
		{"<!DOCTYPE html><html><body>Sign in</body></html>", trace.Unknown, "a web page"},
		{"\x00\x01\x02\x03", trace.Unknown, "binary data"},
		{"Dear reader\n", trace.Unknown, "text"},
		{"0\n1\n2\n", trace.Unknown, "text"},
		{`{"v":1}`, trace.WrongTable, "JSON"},
		{"a;b;c\n1;2;3\n", trace.WrongTable, "a table with semicolons"},
		{"1\t2\t3\n", trace.WrongTable, "a table with tabs"},
		{"1,2\n3,4\n", trace.WrongTable, "a table with other columns"},
		{
			"Time ParentID TaskID JobType NrmlTaskCores NrmlTaskMem\n90000 757745334 1488529826 0 0.0625 0.06446\n",
			trace.WrongTable, "version 1 of the Google trace, of 2010",
		},
		{"time,type,collection_id,priority\n5,0,2,100\n", trace.WrongTable, "a table of the Google trace of 2019"},
		{"7|7|c|a|g|ann|2016-12-30T22:13:12|00:15:38|COMPLETED|9\n", trace.WrongTable, "what sacct prints with --noheader: print it with the line of names, or say them in a mapping"},
		{"     JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n  7 p a ann R 1:00 1 n1\n", trace.WrongTable, "what squeue prints"},
		{"job-ID  prior   name       user         state submit/start at     queue\n", trace.WrongTable, "what qstat prints in Grid Engine"},
		{"\nsrv: \n    Req'd  Req'd   Elap\nJob ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time\n", trace.WrongTable, "what qstat -a prints"},
		{"Job ID                    Name             User            Time Use S Queue\n", trace.WrongTable, "what qstat prints"},
		{"JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n", trace.WrongTable, "what bjobs prints"},
		{" ID     OWNER          SUBMITTED   RUN_TIME     ST COMPLETED   CMD\n", trace.WrongTable, "what condor_history or condor_q prints"},
		{"       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n", trace.WrongTable, "what flux jobs prints"},
		{"Job id     Name           User           Submission Date     S Queue\n", trace.WrongTable, "what oarstat prints"},
		{"Cluster|Account|Login|Proper Name|Used|Energy\nc|a|ann|Ann|5|0\n", trace.WrongTable, "what sreport prints"},
		{"-----\nJob Sizes 2026-03-01T00:00:00 - 2026-03-31T23:59:59 (2678400 secs)\nTime reported in Minutes\n", trace.WrongTable, "what sreport prints"},
		{"Job ID: 7\nState: COMPLETED (exit code 0)\nCPU Utilized: 00:01:30\n", trace.WrongTable, "what seff prints"},
		{"time,event,job_id,cpus\n5,submit,1,8\n", trace.WrongTable, "a table of events"},
		{"{\"a\":{\"0\":7,\"1\":8},\"b\":{\"0\":1}}", trace.WrongTable, "a table that pandas wrote as JSON by columns"},
		{`{"apps":{"app":[{"id":"application_1","vcoreSeconds":5}]}}`, trace.WrongTable, "the applications of YARN's ResourceManager"},
		{`{"Event":"SparkListenerLogStart"}` + "\n", trace.WrongTable, "an event log of Spark"},
		{"NAMESPACE   NAME   COMPLETIONS   DURATION   AGE\na   b   1/1   5m   3h\n", trace.WrongTable, "a table that kubectl prints for people"},
		{`{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":5}]}`, trace.WrongTable, "events of a Chrome trace"},
		{`{"workflowName":"w","calls":{"w.a":[{"start":"2024-01-02T10:00:05Z","end":"2024-01-02T10:30:05Z"}]}}`, trace.WrongTable, "the metadata of a Cromwell workflow"},
		{`[{"ID":"a","JobID":"web","ClientStatus":"running","DesiredStatus":"run"}]`, trace.WrongTable, "allocations of Nomad"},
		{"job0\t10\t5\t67108864\t0\t1024\n", trace.WrongTable, "a workload of SWIM"},
		{"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ncpu*  up 1-00:00:00  12  idle n[03-14]\n", trace.WrongTable, "what sinfo prints"},
		{"NAMESPACE   NAME        CPU(cores)   MEMORY(bytes)\nshop        web-1       250m         300Mi\n", trace.WrongTable, "what kubectl top prints"},
		{"services:\n  web:\n    image: nginx\n", trace.WrongTable, "a Compose file"},
		{"s\th:m:s\tmax_rss\tmax_vms\n0.06\t0:00:00\t1\t2\n", trace.WrongTable, "a benchmark of Snakemake"},
		{"s\th:m:s\tmax_rss\tmax_vms\tjobid\trule_name\tthreads\n0.06\t0:00:00\t1\t2\t1\tsort\t1\n", trace.WrongTable, "a benchmark of Snakemake"},
		{`{"h:m:s": "0:00:10", "jobid": 1, "max_rss": 4.1, "s": "10.0", "threads": 1}` + "\n", trace.WrongTable, "a benchmark of Snakemake"},
		{"1631911500 21.2 22.1 0 0 0.6 1.2 0 0 5 1 abc 1 0.01 1 10 0 0 2699 vm 4096\n", trace.WrongTable, "the readings of a virtual machine in the longer form of Bitbrains"},
		{"08/30/2025 10:18:44;0008;PBS_Server;Job;9590.srv;Job Queued at request of ann@srv, owner = ann@srv\n", trace.WrongTable, "a log of a daemon of PBS"},
		{"08/30/2025 10:18:44;0100;Server@srv;Job;9590.srv;enqueuing into batch, state 1 hop 1\n", trace.WrongTable, "a log of a daemon of PBS"},
		{"\nJob: 41.srv\n\n10/08/2025 12:57:00  S    enqueuing into batch, state 1 hop 1\n10/08/2025 12:57:26  A    user=ann group=phys\n", trace.WrongTable, "what tracejob prints"},
		{"jobnumber    31154  \tqsub_time    Mon Oct  1 12:17:06 2018\tstart_time   Thu Oct  4 22:44:38 2018\tend_time     Thu Oct  4 22:51:30 2018\n", trace.WrongTable, "a part of what qacct prints"},
		{"#40\n\"JOB_NEW\" \"10.1\" 1772445600 77 501 33882739 8 1772445600\n", trace.WrongTable, "LSF's lsb.events"},
		{"\"JOB_START\" \"10.1\" 1772445605 77 4 0 0 60.0 8 \"n1\"\n", trace.WrongTable, "LSF's lsb.events"},
		{"Accounting information about jobs that are:\n  - submitted by all users.\n", trace.WrongTable, "the summary that bacct prints"},
		{`{"nb_res":4,"jobs":[],"profiles":{}}`, trace.WrongTable, "a workload of Batsim"},
		{"1 0 10 20 1 -1 -1 1 20 -1 1 1 1 1 1 -1 -1 -1\n", trace.WrongTable, "a Standard Workload Format log"},
	} {
		for kind, stored := range map[string][]byte{"plain": []byte(c.content), "gzip": zipped(c.content)} {
			checkStranger(t, kind, memory("table.csv", stored, 0), c.class, c.looks)
		}
	}
}

func checkStranger(t *testing.T, kind string, f trace.File, class trace.ErrorKind, looks string) {
	t.Helper()
	_, err := trace.Open([]trace.File{f}, formats, trace.Options{})
	var e *trace.Error
	if !errors.As(err, &e) || e.Kind != class || !strings.Contains(e.Reason+": "+e.Hint, "looks like "+looks) {
		t.Errorf("%s of %s: %v (class %v)", kind, looks, err, e)
	}
	if _, err := trace.Summarise([]trace.File{f}, formats, trace.Options{}); err == nil || err.Error() != e.Error() {
		t.Errorf("%s of %s: Summarise says %v", kind, looks, err)
	}
}

func TestIdentifyEmpty(t *testing.T) {
	for name, stored := range map[string][]byte{
		"nothing": nil, "blank lines": []byte("\n \r\n\n"), "an empty member": zipped(""), "a mark": []byte("\xef\xbb\xbf"),
	} {
		_, err := trace.Open([]trace.File{memory("task_events.csv", stored, 0)}, formats, trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || e.Kind != trace.Empty {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := trace.Open(nil, formats, trace.Options{}); err == nil {
		t.Error("no file at all is no error")
	}
}

func TestIdentifyTwoFormats(t *testing.T) {
	other := trace.Format{Name: "other", Title: "another trace", Detect: func(h *trace.Head) trace.Match {
		if strings.HasPrefix(string(h.Bytes), "other") {
			return trace.Match{Table: "table"}
		}
		return trace.Match{}
	}}
	files := []trace.File{memory("a.csv", []byte("0,5,0,p,0.5,0.25\n"), 0), memory("b.csv", []byte("other\n"), 0)}
	_, err := trace.Open(files, append([]trace.Format{other}, formats...), trace.Options{})
	want := "b.csv is a file of another trace, while a.csv is of the Google trace of 2011; open the files of one trace at a time"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant: %s", err, want)
	}
}

// The files of the other public traces are recognised as not Google's.
func TestIdentifyRealStrangers(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	seen := 0
	for pattern, looks := range map[string]string{
		"alibaba2017/batch_task.csv.gz":        "the Alibaba trace of 2017",
		"alibaba2018/*.csv.gz":                 "the Alibaba trace of 2018",
		"azure2017/*.csv.gz":                   "a table with other columns",
		"bitbrains/*.csv.gz":                   "a Bitbrains trace",
		"borg2019/*.csv":                       "a table of the Google trace of 2019",
		"dax/*.xml":                            "a Pegasus DAX workflow",
		"openb2023/*.csv":                      "an Alibaba GPU trace",
		"simgrid/*.xml":                        "a SimGrid platform",
		"stg/*/*.stg":                          "text",
		"swf/*":                                "a Standard Workload Format log",
		"wfcommons/[!t]*.json":                 "a WfCommons workflow",
		"wfcommons/trace_wfformat_legacy.json": "a WfCommons workflow",
	} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			seen++
			class := trace.WrongTable
			if looks == "text" {
				class = trace.Unknown
			}
			checkStranger(t, path, trace.File{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}, class, looks)
		}
	}
	if seen == 0 {
		t.Skipf("no traces at %s, see PARLEY_TRACES", root)
	}
}
