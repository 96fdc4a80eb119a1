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
// one table in the order of the files. Lines are counted through all of them. A table whose columns have another
// order, or that has more of them, is read by the names of the first one's.
func joinFiles(files []trace.File, m *mapping) (trace.File, error) {
	whole := trace.File{}
	names := make([]string, len(files))
	plans := make([]*plan, len(files)) // of those that are read by names
	var like *plan
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
			like, _ = planOf(h, m)
		case bytes.Equal(line, first):
		case log == nil && like.takes(h, m, &plans[i]):
		default:
			return whole, &trace.Error{
				Kind: trace.WrongTable, File: f.Name,
				Reason: "has other columns than " + files[0].Name, Hint: "read tables with different columns one by one",
			}
		}
	}
	whole.Name = strings.Join(names, " + ")
	whole.Open = func() (io.ReadCloser, error) {
		var parts joined
		readers := make([]io.Reader, 0, 2*len(files))
		for i, f := range files {
			in, err := trace.Unpack(f, trace.NewMeter(nil, nil))
			if p := plans[i]; err == nil && p != nil {
				err = in.Close()
				if r, wrong := newRowReader(f, p, trace.NewMeter(nil, nil)); err == nil && wrong == nil {
					in, err = like.reorder(r), nil
				} else {
					err = errors.Join(err, wrong)
				}
			}
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
