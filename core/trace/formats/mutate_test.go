package formats_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/workload"
)

// seeds are a small good file of each format, and the parts that mutations put in.
var seeds = map[string]string{
	"swf": "; MaxProcs: 4\n; MaxNodes: 2\n1 5 -1 60 2 -1 -1 2 60 -1 1 1 1 -1 -1 -1 -1 -1\n2 6 1 60 -1 1.5 -1 2 -1 -1 5 1 1 1 1 1 -1 -1\n" +
		"3 7 -1 60 2 -1 -1 2 60 -1 1 1 1 -1 -1 -1 -1 -1 {1,2} q_1d 1:ppn=2\n",
	"google2011": "0,,7,0,,0,u,0,1,0.5,0.5,0.1,0\n1000000,,7,0,5,1,u,0,1,0.5,0.5,0.1,0\n2000000,,7,0,5,4,u,0,1,0.5,0.5,0.1,0\n3000000,,8,0,,0,u,0,9,,,0.1,1\n",
	"dax": "<?xml version=\"1.0\"?>\n<adag jobCount=\"2\">\n<job id=\"a\" name=\"x\" runtime=\"1\">\n<uses file=\"f\" link=\"output\" size=\"5\"/>\n</job>\n" +
		"<job id=\"b\" name=\"x\" runtime=\"2\">\n<uses file=\"f\" link=\"input\" size=\"5\"/>\n</job>\n<child ref=\"b\">\n<parent ref=\"a\"/>\n</child>\n</adag>\n",
	"wfformat": "{\"workflow\":{\n\"tasks\":[\n{\"name\":\"a_1\",\"runtime\":1,\"children\":[\"b_2\"],\"command\":{\"program\":\"p\"},\n\"files\":[{\"name\":\"f\",\"size\":5,\"link\":\"output\"}]},\n" +
		"{\"name\":\"b_2\",\"runtime\":2,\"parents\":[\"a_1\"]}\n]}}\n",
	"dot": "// drawn\ndigraph G {\n  node [shape=box];\n  1 [size=\"66571084\", alpha=\"0.07\"]\n  subgraph c { 2 [runtime=2]; \"a b\" }\n  1 -> {2 \"a b\"} -> 3 [size=\"8388\"]\n}\n",
	"pegasus": "pegasus: \"5.0\"\nname: p\njobs:\n  - {type: job, name: a, id: A, runtime: 2.5, uses: [{lfn: f, type: output, size: 9}]}\n" +
		"  - type: job\n    name: b\n    id: B\n    metadata: {runtime: \"7\"}\n    uses:\n      - lfn: f\n        type: input\njobDependencies:\n  - {id: A, children: [B]}\n",
	"google2011-named": ",time,job_id,task_index,machine_id,event_type,priority,cpu_request\n0,0,7,0,,0,1,0.5\n1,1000000,7,0,5.0,1,1,0.5\n2,2000000,7,0,5.0,4,1,0.5\n",
	"numbered":         ",0,1,2,3,4,5,6,7,8\n0,M1,1,j_2,1,Terminated,100,107,50,0.2\n1,R2_1,3,j_2,1,Terminated,100,110,50,0.2\n",
	"joined":           "instance_name,task_name,job_name,status_x,start_time_x,end_time_x,machine_id,cpu_max,mem_max,status_y,start_time_y,plan_cpu,plan_mem\ni,M1,j_2,Terminated,1,7,m_1,60,0.2,Terminated,1,50,0.2\n",
	"stg":              "2\n0 0 0\n1 5 1 0\n2 4 1 0\n3 0 2 1 2\n",
	"simgrid": "<?xml version=\"1.0\"?>\n<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n<host id=\"h\" speed=\"1Gf,2Gf\" pstate=\"1\" core=\"4\"/>\n" +
		"<host id=\"i\" speed=\"1Gf\"/>\n<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n<route src=\"h\" dst=\"i\">\n<link_ctn id=\"l\"/>\n</route>\n</zone>\n</platform>\n",
	"sacct": "JobID|JobName|User|Submit|Start|End|Elapsed|Timelimit|State|AllocCPUS\n" +
		"7|a|b|ann|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T11:05:00|01:00:00|1-00:00:00|COMPLETED|8\n7.0|x|ann|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T11:05:00|01:00:00||COMPLETED|8\n",
	"table":      "Auftrag;Benutzer;Eingereicht;Laufzeit (min);Kerne\n1;ann;01.03.2026 10:00;60,5;8\n2;bob;2026-03-01T10:00:00+01:00;\"1.000,0\";4\n",
	"json-lines": "{\"id\":1,\"submit\":1,\"runtime\":5,\"cpus\":2,\"user\":{\"name\":\"a\"}}\n{\"id\":2,\"submit\":3,\"runtime\":5.5,\"cpus\":1,\"user\":null}\n",
	"sacct-json": "{\"meta\":{},\n\"jobs\":[\n{\"job_id\":19,\"time\":{\"submission\":100,\"elapsed\":50,\"limit\":{\"set\":true,\"number\":1}},\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":4}]}},\n{\"job_id\":20,\"time\":{\"submission\":90,\"elapsed\":5},\"required\":{\"CPUs\":2}}]}\n",
	"kubernetes": "{\"apiVersion\":\"v1\",\"items\":[\n{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}},\n" +
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"creationTimestamp\":\"2026-11-01T08:00:00Z\"},\"spec\":{\"nodeName\":\"n\",\"nodeSelector\":{\"a\":\"b\"},\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"1.5Gi\"}}}]},\"status\":{\"phase\":\"Running\"}}\n],\"kind\":\"List\"}\n",
	"kubernetes-yaml": "apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    name: a\n  status:\n    allocatable: {cpu: 4, memory: 8Gi}\n- kind: Pod\n  metadata:\n    name: p\n    namespace: d\n  spec:\n    containers:\n    - name: c\nkind: List\n",
	"alibaba2018":     "M1,1,j_2,1,Terminated,100,107,50,0.2\nR2_1,3,j_2,1,Terminated,100,110,50,0.2\nJ3_1_2_Stg4,1,j_2,1,Running,100,100,,\n",
	"openb":           "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np-0,12000,16384,1,1000,,LS,Running,0,125,0\np-1,6000,12288,1,460,V100M16|T4,BE,Running,4,130,9\n",
	"pai":             "job_a,worker,4.0,Terminated,100.0,200.0,600.0,29.3,100.0,T4\njob_b,worker,2.0,Running,100.0,,400.0,10,50.0,MISC\n",
	"google2019":      "{\"time\":\"0\",\"type\":2,\"collection_id\":\"95\",\"instance_index\":3,\"priority\":200,\"resource_request\":{\"cpus\":0.02,\"memory\":0.01}}\n{\"time\":\"700\",\"type\":3,\"collection_id\":\"96\",\"instance_index\":0,\"machine_id\":\"7\"}\n{\"time\":\"900\",\"type\":6,\"collection_id\":\"96\",\"instance_index\":0}\n",
	"alibaba2017":     "10000,10500,4,18,5,Terminated,50,0.0161\n10100,0,4,19,1,Waiting,50,0.0161\n",
	"container2018":   "c_1,m_2,0,app_5,started,400,400,1.56\nc_1,m_2,90,app_5,stopped,400,400,1.56\n",
	"dlrm":            "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\ni1,CN,a1,12,12,1,1,25,25,120,120,500,500,-1,0,1,900\n",
	"spot":            "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\nj1,o1,A10,12,1,4,0,3600,HP\nj2,o2,A10,12,0.5,1,60,600,Spot\n",
	"huawei":          "vmid,cpu,memory,time,type\n1,2,4,0,0\n1,2,4,90,1\n",
	"opendc":          "id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity\n1,1376314846000,60000,2,5200,4096\n2,1376314847000,60000,1,2600,2048\n",
	"wtf":             "id,ts_submit,runtime,workflow_id,resource_amount_requested,parents,user_id\n1,0,5000,1,1.0,[],7\n2,10,6000,1,1.0,[1],7\n",
	"philly":          "[{\"status\":\"Pass\",\"jobid\":\"a_1\",\"attempts\":[\n{\"start_time\":\"2017-10-07 01:12:09\",\"end_time\":\"2017-10-07 01:13:23\",\"detail\":[{\"ip\":\"m1\",\"gpus\":[\"gpu0\",\"gpu1\"]}]}],\n\"submitted_time\":\"2017-10-07 01:11:39\",\"user\":\"u\"}]\n",
	"azure":           "AAAAAAAAAAAAAAAAAAAAAAAA,BBBBBBBBBBBBBBBBBBBBBBBB,CCCCCCCCCCCCCCCCCCCCCCCC,0,2591700,99.3,3.4,10.1,Delay-insensitive,1,1.75\nAAAAAAAAAAAAAAAAAAAAAAAB,BBBBBBBBBBBBBBBBBBBBBBBB,CCCCCCCCCCCCCCCCCCCCCCCC,300,600,99.3,3.4,10.1,Interactive,>24,>64\n",
	"packing":         "vmTypeId,machineId,core,memory\n12,0,0.0208,0.0104\n12,3,0.0104,0.00458\n",
	"bitbrains":       "Timestamp [ms];\tCPU cores;\tCPU capacity provisioned [MHZ];\tCPU usage [MHZ];\tCPU usage [%];\tMemory capacity provisioned [KB];\tMemory usage [KB]\n1376314846;\t2;\t5200;\t520;\t10;\t2097152.0;\t1048576\n1376315146;\t2;\t5200;\t520;\t10;\t2097152.0;\t1048576\n",
	"gwf":             "# a log\n7\t1000\t5\t60\t4\t-1\t-1\t4\t120\t-1\t1\tuser1\t-1\t-1\t-1\t-1\t-1\t-1\tUNITARY\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\n",
	"batsim":          "{\"nb_res\":4,\"jobs\":[\n{\"id\":0,\"subtime\":3.2,\"walltime\":100,\"res\":4,\"profile\":\"d10\"},\n{\"id\":1,\"subtime\":3,\"res\":1,\"profile\":\"two\"}],\"profiles\":{\"d10\":{\"type\":\"delay\",\"delay\":10},\"two\":{\"type\":\"composed\",\"repeat\":2,\"seq\":[\"d10\"]}}}\n",
	"rfql":            "<RFQ>\n<Request>\n<CPUHourCost>70</CPUHourCost>\n<EndDate>2016-01-01</EndDate>\n<EndTime>06:00:00</EndTime>\n<WallTime>PT1H</WallTime>\n<TotalCores>16</TotalCores>\n</Request>\n</RFQ>\n",
}

// parts are what stands where a number, a word or a sign stood.
var parts = []string{
	"0", "-1", "-9", "0.5", "1e400", "1e-400", "99999999999", "9223372036854775807", "18446744073709551616", "NaN", "Inf", "", " ", "\"", "<", ">", "&", "{", "}", "[", "]", ",", ";", "\n", "\r\n", "\t",
	"\x00", "\xff\xfe", "\xef\xbb\xbf", "é", "null", "true", "x:", " xmlns=\"urn:o\"", "<!DOCTYPE a>", "a_1", "b", "1970-01-01", strings.Repeat("9", 400), strings.Repeat("x", 70_000),
}

// mutated changes a text where its structure is: whole lines, words and numbers, a byte
// now and then.
func mutated(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		lines := strings.SplitAfter(text, "\n")
		i, k := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(8) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] += lines[k]
		case 2:
			lines[i], lines[k] = lines[k], lines[i]
		case 3:
			text = text[:r.IntN(len(text)+1)]
			continue
		case 4:
			if len(text) > 0 {
				at := r.IntN(len(text))
				text = text[:at] + string([]byte{byte(r.IntN(256))}) + text[at+1:]
			}
			continue
		default:
			words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n,;:<>/=\"{}[]", c) })
			part := parts[r.IntN(len(parts))]
			if len(words) > 0 {
				word := words[r.IntN(len(words))]
				from := r.IntN(len(text))
				if at := strings.Index(text[from:], word); at >= 0 {
					text = text[:from+at] + part + text[from+at+len(word):]
				} else {
					text = strings.Replace(text, word, part, 1)
				}
			}
			continue
		}
		text = strings.Join(lines, "")
	}
	return text
}

// readAll reads a file to its end and returns its tally.
func readAll(name, text string, skip bool) (tally trace.Tally, err error) {
	files := []trace.File{{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	o := trace.Options{SkipBadRows: skip}
	if _, err = trace.Summarise(files, formats.All, o); err != nil {
		return tally, err
	}
	source, err := trace.Open(files, formats.All, o)
	if err != nil {
		return tally, err
	}
	var r workload.Record
	for err == nil {
		err = source.Next(&r)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return source.Tally(), err
}

// answered returns 1 if a file is read to its end, with a tally in which every row is
// played or left out, 0 if it is refused in a sentence, and an error if neither holds.
func answered(name, text string, skip bool) (taken int, err error) {
	tally, refused := readAll(name, text, skip)
	left := int64(0)
	for _, c := range tally.LeftOut {
		left += c.Count
	}
	switch {
	case refused != nil:
		if s := refused.Error(); s == "" || len(s) > 1000 || strings.ContainsAny(s, "\n\x00") {
			return 0, fmt.Errorf("it is answered with %q", s)
		}
		return 0, nil
	case tally.Rows != tally.Played+left || tally.Played < 0:
		return 0, fmt.Errorf("its tally is %+v", tally)
	}
	return 1, nil
}

// TestMutations: whatever becomes of a good file, a reader ends, and answers with a
// sentence or with a tally in which every row is played or left out. PARLEY_MUTATIONS is
// how many files of each format are tried.
func TestMutations(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 60
	}
	if text := os.Getenv("PARLEY_MUTATIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	for name, seed := range seeds {
		t.Run(name, func(t *testing.T) {
			if _, err := readAll(name, seed, false); err != nil && name != "simgrid" {
				t.Fatalf("the file itself is refused: %v", err)
			}
			accepted := 0
			for i := range count {
				text := mutated(rand.New(rand.NewPCG(uint64(i), 27)), seed)
				for _, skip := range []bool{false, true} {
					impatiently(text, func() {
						taken, err := answered(name, text, skip)
						if err != nil {
							t.Fatalf("mutation %d: %v:\n%q", i, err, text)
						}
						accepted += taken
					})
				}
			}
			t.Logf("%d mutations, %d readings accepted of %d", count, accepted, 2*count)
		})
	}
}

// FuzzFile is TestMutations by Go's fuzzer, from the same seeds and from the samples of
// the readers.
func FuzzFile(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	samples := 0
	for _, pattern := range []string{"../*/testdata/samples/*", "../*/testdata/broken/*", "../*/testdata/cell/*/*", "../*/testdata/good/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && len(text) < 20_000 {
				f.Add(string(text), false)
				samples++
			}
		}
	}
	if samples < 20 {
		f.Fatalf("%d samples of readers are found", samples)
	}
	f.Fuzz(func(t *testing.T, text string, skip bool) {
		impatiently(text, func() {
			if _, err := answered("file", text, skip); err != nil {
				t.Error(err)
			}
		})
	})
}
