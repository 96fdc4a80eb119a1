package accounting

import (
	"bytes"
	"regexp"
)

// marks are unmistakable beginnings of records: those of Slurm, PBS and LSF. A program that collects logs,
// such as syslog or log4j, may have put a prefix before them.
var marks = regexp.MustCompile(`JobId=\d|\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];|"JOB_[A-Z]+" "\d`)

// longestPrefix is the greatest number of bytes before a record.
const longestPrefix = 300

// withoutPrefix returns a line from the mark of a record on, or the whole line.
func withoutPrefix(line []byte) []byte {
	if at := marks.FindIndex(line[:min(len(line), longestPrefix+50)]); at != nil && at[0] > 0 &&
		at[0] <= longestPrefix {
		return line[at[0]:]
	}
	return line
}

// prefixed returns the format of records that have something in front of them; nil if there is none.
func prefixed(head []byte) *Log {
	if !marks.Match(firstRecord(head)) {
		return nil
	}
	var bare []byte
	for line := range bytes.Lines(head) {
		bare = append(bare, withoutPrefix(line)...)
	}
	for _, l := range logs[:] {
		if !l.is(bare) {
			continue
		}
		log := l.find(bare)
		inner := log.rows
		log.rows = func() records { return &unprefixed{inner()} }
		return log
	}
	return nil
}

// unprefixed reads records without their prefixes.
type unprefixed struct{ records }

func (u *unprefixed) line(line []byte) []byte { return u.records.line(withoutPrefix(line)) }
