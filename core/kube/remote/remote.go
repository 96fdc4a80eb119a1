// Package remote answers the page's messages about a Kubernetes cluster: it reads a dump, keeps the
// cluster, and passes the page's questions to core/kube/question. Answers are those of parley
// cluster.
//
//	d := remote.New(bridge.Clock)
//	answer := d.Answer(message.ReadDump{Files: files}, remote.Host{Open: open, Tell: tell})
package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/message"
	"parley/core/trace"
)

// Host has the functions that a worker provides.
type Host struct {
	// Open returns a file of a message.
	Open func(message.File) trace.File
	// Send sends a message to the page while an answer is in work.
	Send func(message.Message)
}

// Desk keeps a cluster and the latest answer to each question about it. Create one with New.
type Desk struct {
	clock   func() time.Duration
	cluster *kube.Cluster
	files   []trace.File // of the dump; none of the example
	name    string       // of the dump's first file, without folders
	answers map[string]answered
	world   *Desk  // the latest changed world, so that several questions read it once
	changes string // the changes that make it, as JSON
}

// answered is an answer as files have it.
type answered struct {
	value     any
	documents []question.Document
	nodes     []int
	before    []question.Document  // about the dump as it is, if the others are about a changed cluster
	one       *question.NodeByNode // of a pending pod that was chosen
}

// New returns a desk without a cluster. clock returns real time, from any beginning.
func New(clock func() time.Duration) *Desk {
	return &Desk{clock: clock, answers: map[string]answered{}}
}

// Answer handles a message and returns the answer, one to each message. If it fails, the answer is a
// trouble with one sentence.
func (d *Desk) Answer(m message.Message, h Host) message.Message {
	answer, err := d.answer(m, h)
	if err != nil {
		return message.NewTrouble{Trouble: message.Trouble{Class: "setting", Sentence: err.Error()}}
	}
	return answer
}

// answer is Answer with an error in place of a trouble. Only ReadDump works without a cluster. An answer to
// a question replaces the one before, which save and watch refer to.
func (d *Desk) answer(m message.Message, h Host) (message.Message, error) {
	if m, is := m.(message.ReadDump); is {
		return d.read(m, h)
	}
	if d.cluster == nil {
		return nil, errors.New("there is no cluster yet: open a dump")
	}
	switch m := m.(type) {
	case message.AskCluster:
		began := d.clock()
		a, err := d.askBoth(m, h)
		if err != nil {
			return nil, err
		}
		d.answers[m.Question] = a
		out := message.ClusterAnswer{Question: m.Question, WallUS: microseconds(d.clock() - began), Nodes: append([]int{}, a.nodes...)}
		if out.Digest, err = a.digest(); err != nil {
			return nil, err
		}
		out.Documents = documentsOf(a.documents)
		out.Filters, out.Stops = a.one.Stops()
		if a.before != nil {
			out.Before = documentsOf(a.before)
		}
		return out, nil
	case message.SaveAnswer:
		return d.save(m)
	case message.WatchPlay:
		return d.watch(m, h)
	case message.WhyHere:
		return d.whyHere(m)
	case message.SumDump:
		return d.sums()
	}
	return nil, fmt.Errorf("the cluster's place has no answer to %s", m.Kind())
}

func microseconds(t time.Duration) float64 { return float64(t.Nanoseconds()) / 1000 }

// example is the cluster that is read without files: parley cluster generate makes the same.
var example = dump.Size{Nodes: 60, Pods: 2000, Seed: 1}

// read reads a dump in place of the cluster and all answers before. A dump that cannot be read leaves no
// cluster.
func (d *Desk) read(m message.ReadDump, h Host) (message.Message, error) {
	began := d.clock()
	d.cluster, d.answers, d.world, d.changes = nil, map[string]answered{}, nil, ""
	d.files = make([]trace.File, len(m.Files))
	for i, f := range m.Files {
		d.files[i] = h.Open(f)
	}
	files, err := d.open()
	if err != nil {
		return nil, err
	}
	stored := int64(0)
	for _, f := range files {
		stored += f.Size
	}
	c, err := dump.Read(files, d.reading(h))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(files[0].Name)
	if len(c.Nodes) == 0 {
		return nil, dump.NoNodes(name)
	}
	d.cluster, d.name = c, name
	out := dumpOf(c)
	out.Name, out.Bytes, out.WallUS = name, stored, microseconds(d.clock()-began)
	return out, nil
}

// open returns the files of the dump; without any, the example's.
func (d *Desk) open() ([]trace.File, error) {
	if len(d.files) > 0 {
		return d.files, nil
	}
	var text bytes.Buffer
	if err := dump.Generate(&text, example); err != nil {
		return nil, err
	}
	return []trace.File{{Name: "example.json", Size: int64(text.Len()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text.Bytes())), nil
	}}}, nil
}

// tellEvery is the least time between two reports of progress: each makes the page draw, on the same processors.
const tellEvery = 100 * time.Millisecond

// reading returns a function that reports the progress of reading to the page.
func (d *Desk) reading(h Host) func(trace.Progress) error {
	next := d.clock()
	return func(p trace.Progress) error {
		now := d.clock()
		if now < next {
			return nil
		}
		next = now + tellEvery
		h.Send(message.Reading{File: filepath.Base(p.File), Bytes: p.Total, Total: p.Sum, Text: p.Text})
		return nil
	}
}

// write writes the answer as JSON, as parley cluster prints it.
func (a *answered) write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(a.value)
}

// digest returns the first 16 hex digits of the SHA-256 of the answer's JSON.
func (a *answered) digest() (string, error) {
	h := sha256.New()
	if err := a.write(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// sums reads the dump's files again, as they are on disk now, and returns the SHA-256 of each.
func (d *Desk) sums() (message.Message, error) {
	out := message.DumpSums{Files: []message.FileSum{}}
	for _, f := range d.files {
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read again: %w; open it anew", f.Name, trace.Reason(err))
		}
		h := sha256.New()
		_, err = io.Copy(h, in)
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read again: %w; open it anew", f.Name, trace.Reason(err))
		}
		out.Files = append(out.Files, message.FileSum{File: filepath.Base(f.Name), SHA256: hex.EncodeToString(h.Sum(nil))})
	}
	return out, nil
}

// save returns the latest answer to a question as a file, as parley cluster prints it: JSON, HTML, the
// script of the first document, or else Markdown.
func (d *Desk) save(m message.SaveAnswer) (message.Message, error) {
	a, has := d.answers[m.Question]
	if !has {
		return nil, fmt.Errorf("the question %s has no answer yet: ask it", m.Question)
	}
	out := message.SavedFile{Name: m.Question}
	switch m.As {
	case "json":
		var text bytes.Buffer
		if err := a.write(&text); err != nil {
			return nil, err
		}
		out.Name, out.MediaType, out.Text = out.Name+".json", "application/json", text.String()
	case "html":
		out.Name, out.MediaType, out.Text = out.Name+".html", "text/html", question.HTML(a.documents)
	case "script":
		out.Name, out.MediaType, out.Text = out.Name+".sh", "text/x-shellscript", a.documents[0].Script
	default:
		out.Name, out.MediaType = out.Name+".md", "text/markdown"
		for i := range a.documents {
			if i > 0 {
				out.Text += "\n"
			}
			out.Text += a.documents[i].Markdown()
		}
	}
	return out, nil
}
