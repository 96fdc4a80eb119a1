package swf

import (
	"parley/core/trace"
	"parley/core/trace/table"
)

// log reads a file's jobs, in the order they stand there.
type log struct {
	*table.Part
	meter  *trace.Meter
	header Header
}

// one returns the only file of a trace: a log is one file.
func one(files []trace.File) (trace.File, error) {
	if len(files) == 0 {
		return trace.File{}, &trace.Error{Kind: trace.Empty, File: "no file", Reason: "was given", Hint: "choose a log"}
	}
	if len(files) > 1 {
		return trace.File{}, &trace.Error{
			Kind: trace.WrongTable, File: files[1].Name, Reason: "is a second log, and logs of two machines cannot be played together",
			Hint: "open one of them at a time",
		}
	}
	return files[0], nil
}

func openLog(f trace.File, o trace.Options) *log {
	l := &log{Part: table.NewPart(f, schema(), Name, o), meter: trace.NewMeter([]trace.File{f}, o.Progress)}
	l.Part.Header = l.header.read
	return l
}

// next moves to the next good row, see table.Part. After an error the file is
// closed.
func (l *log) next() (err error) {
	if l.Rows == nil {
		err = l.Open(l.meter)
	} else {
		err = l.Next()
	}
	if err != nil {
		_ = l.Close() // it was read only
	}
	return err
}
