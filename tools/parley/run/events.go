package run

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"parley/core/run"
	"parley/core/run/events"
	"parley/tools/parley/console"
)

// eventFlags ask for the event log.
type eventFlags struct {
	events string
	only   []string
	also   []string
}

func (f *eventFlags) addEvents(flags *pflag.FlagSet) {
	flags.StringVar(&f.events, "events", "",
		"a file for every event and note, one JSON object a line; gzip if its name ends in .gz")
	flags.StringSliceVar(&f.only, "events-only", nil,
		"write only these kinds of events, such as task_placed,task_ended; parley events lists them")
	flags.StringSliceVar(&f.also, "events-also", nil,
		"also write these kinds, which are left out by default: usage_swept, task_used")
}

// logFile is the event log on its way to a file; nil: there is none.
type logFile struct {
	file *os.File
	zip  *gzip.Writer
	log  *events.Log
}

// openLog makes the file, before anything is played.
func (f *eventFlags) openLog() (*logFile, []run.Option, error) {
	if f.events == "" {
		for name, kinds := range map[string][]string{"only": f.only, "also": f.also} {
			if len(kinds) > 0 {
				return nil, nil, console.NewUsageError(fmt.Errorf("--events-%s says what --events FILE writes: give that too",
					name))
			}
		}
		return nil, nil, nil
	}
	for name, kinds := range map[string][]string{"only": f.only, "also": f.also} {
		if _, err := events.New(io.Discard, kinds, nil); err != nil { // a wrong kind leaves the file of before
			return nil, nil, console.NewUsageError(fmt.Errorf("--events-%s: %w", name, err))
		}
	}
	l := &logFile{}
	var err error
	if l.file, err = os.Create(f.events); err != nil {
		return nil, nil, fmt.Errorf("--events: %w", console.Unwritable(f.events, err))
	}
	out := io.Writer(l.file)
	if strings.HasSuffix(f.events, ".gz") {
		l.zip = gzip.NewWriter(l.file)
		out = l.zip
	}
	if l.log, err = events.New(out, f.only, f.also); err != nil {
		return nil, nil, err
	}
	return l, []run.Option{run.LogEvents(l.log)}, nil
}

// close writes the rest and closes the file.
func (l *logFile) close() error {
	if l == nil {
		return nil
	}
	err := l.log.Flush()
	if l.zip != nil {
		err = errors.Join(err, l.zip.Close())
	}
	if err = errors.Join(err, l.file.Close()); err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return nil
}
