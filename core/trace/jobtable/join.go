package jobtable

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"parley/core/trace"
	"parley/core/trace/accounting"
)

// joinFiles returns tables with the same line of names, such as those of several months, as
// one table in the order of the files. Lines are counted through all of them.
func joinFiles(files []trace.File) (trace.File, error) {
	whole := trace.File{}
	names := make([]string, len(files))
	var first []byte
	var log *accounting.Log
	for i, f := range files {
		h, err := trace.ReadHead(f)
		if err != nil {
			return whole, err
		}
		names[i], whole.Size = f.Name, whole.Size+f.Size
		if of := accounting.Find(h.Bytes); i == 0 {
			log = of
		} else if log != nil && of != nil && log.Name == of.Name {
			continue
		}
		var line []byte
		h.Lines(func(text []byte) bool { line = bytes.Clone(bytes.TrimSpace(text)); return false })
		if names, _ := memberNames(h); names != nil {
			line = []byte(strings.Join(names, "\n"))
		}
		switch {
		case i == 0:
			first = line
		case !bytes.Equal(line, first):
			return whole, &trace.Error{Kind: trace.WrongTable, File: f.Name, Why: "has other columns than " + files[0].Name, Hint: "read tables with different columns one by one"}
		}
	}
	whole.Name = strings.Join(names, " + ")
	whole.Open = func() (io.ReadCloser, error) {
		var parts joined
		readers := make([]io.Reader, 0, 2*len(files))
		for _, f := range files {
			in, err := trace.Unpack(f, trace.NewMeter(nil, nil))
			if err != nil {
				return nil, errors.Join(err, parts.Close())
			}
			parts.files = append(parts.files, in)
			readers = append(readers, in, strings.NewReader("\n"))
		}
		parts.Reader = io.MultiReader(readers...)
		return &parts, nil
	}
	return whole, nil
}

// joined reads files one after another.
type joined struct {
	io.Reader
	files []io.Closer
}

func (j *joined) Close() (err error) {
	for _, f := range j.files {
		err = errors.Join(err, f.Close())
	}
	return err
}
