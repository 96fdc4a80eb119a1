package workflow

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"parley/core/kube/dump"
	"parley/core/trace"
)

// detectPegasus reports whether a YAML document has the keys of every workflow of Pegasus 5.
func detectPegasus(head []byte) bool {
	return lineBegins(head, "pegasus:") && (lineBegins(head, "jobs:") || lineBegins(head, "name:") ||
		lineBegins(head, "x-pegasus:"))
}

// lineBegins reports whether a line begins with a text.
func lineBegins(head []byte, with string) bool {
	return bytes.HasPrefix(head, []byte(with)) || bytes.Contains(head, []byte("\n"+with))
}

// maxYAML limits a document, of which memory holds several copies.
const maxYAML = 64 << 20

// readPegasus reads a workflow of Pegasus 5: jobs with the files that they use, and which jobs follow
// which. A run time stands where users of Pegasus write it: in the job, its metadata or its profiles.
func readPegasus(name string, doc []byte) (*builder, error) {
	if len(doc) > maxYAML {
		return nil, &trace.Error{
			Kind: trace.TooLarge, File: name,
			Reason: fmt.Sprintf("it is longer than %d MiB", maxYAML>>20), Hint: "take a part of the workflow",
		}
	}
	text, reason := dump.ToJSON(doc)
	if reason != "" {
		return nil, &trace.Error{
			Kind: trace.Damaged, File: name, Reason: reason,
			Hint: "correct the file, or download it again",
		}
	}
	rd := &pegasusReader{builder: newBuilder(name), sizes: map[string]float64{}}
	root := gjson.ParseBytes(text)
	if !root.Get("jobs").IsArray() {
		return nil, &trace.Error{
			Kind: trace.Empty, File: name, Reason: "is a Pegasus workflow without jobs",
			Hint: "choose one that has some",
		}
	}
	for _, r := range root.Get("replicaCatalog.replicas").Array() {
		if lfn := r.Get("lfn").String(); lfn != "" {
			rd.size(lfn, r)
		}
	}
	if err := each(root.Get("jobs"), rd.job); err != nil {
		return nil, err
	}
	if err := each(root.Get("jobDependencies"), rd.follow); err != nil {
		return nil, err
	}
	if rd.timed == 0 {
		return nil, &trace.Error{
			Kind: trace.NoTasks, File: name,
			Reason: fmt.Sprintf(
				"is a Pegasus workflow that says of no job how long it takes (of %d), so there is nothing to play",
				len(rd.tasks),
			),
			Hint: "give a record of a run, such as a WfCommons instance of it, or write runtime: SECONDS to each job",
		}
	}
	return rd.builder, nil
}

// pegasusReader is the state of reading a workflow.
type pegasusReader struct {
	*builder
	sizes map[string]float64
	timed int
}

// wrong returns the error of a value of a job, without a line: the YAML reader keeps none.
func (rd *pegasusReader) wrong(job, column, value, reason string) error {
	return &trace.Error{
		Kind: trace.BadLine, File: rd.name, Column: column, Value: shorten(value),
		Reason: reason + " (job " + shorten(job) + ")", Hint: "correct the file",
	}
}

// size keeps the size of a file, if the document has it.
func (rd *pegasusReader) size(lfn string, of gjson.Result) {
	for _, path := range []string{"size", "metadata.size"} {
		if x, err := strconv.ParseFloat(of.Get(path).String(), 64); err == nil && x >= 0 && x <= math.MaxFloat64 {
			rd.sizes[lfn] = x
		}
	}
}

// job adds a job with its run time in seconds and its files. A job without a run time takes none; the document is
// refused only if no job has one.
func (rd *pegasusReader) job(j gjson.Result) error {
	id := j.Get("id").String()
	kind := j.Get("name").String()
	if kind == "" {
		kind = j.Get("type").String()
	}
	v, err := rd.add(id, 0, task{})
	if err != nil {
		if e, is := err.(*trace.Error); is && id != "" {
			e.Reason = "is the id of another job already"
		}
		return err
	}
	rd.tasks[v].Type = kind
	timed := false
	for _, path := range []string{
		"runtime", "metadata.runtime", "profiles.metadata.runtime",
		"profiles.pegasus.runtime",
	} {
		text := j.Get(path).String()
		if text == "" || timed {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
			return rd.wrong(id, path, text, "is not a number of seconds of at least 0")
		}
		rd.tasks[v].Work, timed = x, true
	}
	if timed {
		rd.timed++
	} else {
		rd.note(noteNoRuntime)
	}
	if n, err := strconv.ParseFloat(j.Get("profiles.pegasus.cores").String(), 64); err == nil && n > 1 {
		rd.note(noteCores)
	}
	return each(j.Get("uses"), func(u gjson.Result) error {
		lfn := u.Get("lfn").String()
		if lfn == "" {
			return nil
		}
		rd.size(lfn, u)
		f := file{name: lfn, bytes: -1}
		if size, known := rd.sizes[lfn]; known {
			f.bytes = size
		} else {
			rd.note(noteNoSize)
		}
		t := &rd.tasks[v]
		switch link := u.Get("type").String(); link {
		case "input":
			t.in = append(t.in, f)
		case "output":
			t.out = append(t.out, f)
		case "inout":
			t.in, t.out = append(t.in, f), append(t.out, f)
		case "checkpoint", "":
		default:
			return rd.wrong(id, "type", link, "is not input, output, inout or checkpoint")
		}
		return nil
	})
}

// follow reads which jobs follow one.
func (rd *pegasusReader) follow(d gjson.Result) error {
	from, known := rd.index[d.Get("id").String()]
	if !known {
		return rd.wrong(d.Get("id").String(), "id", d.Get("id").String(), "is no job of the file")
	}
	return each(d.Get("children"), func(c gjson.Result) error {
		to, known := rd.index[c.String()]
		if !known {
			return rd.wrong(d.Get("id").String(), "children", c.String(), "is no job of the file")
		}
		return rd.arc(from, to, 0)
	})
}
