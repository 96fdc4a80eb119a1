package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/strict"
	"parley/core/unit"
)

// Log holds a scheduler's answers in a run. It does not change after it was read.
type Log struct {
	Welcome Welcome
	answers []logged
	moments int64 // moments sent to the scheduler
}

// logged is one answer that was not empty.
type logged struct {
	number int64 // of the moment, from 0
	at     unit.Time
	answer Answer
}

// line is an answer as a file has it.
type line struct {
	Number int64     `json:"n"`
	At     unit.Time `json:"at"`
	Answer
}

// head is the first line of a file.
type head struct {
	Version int     `json:"parley_acts"`
	Welcome Welcome `json:"welcome"`
}

// last is the last line of a file.
type last struct {
	Requests int64 `json:"requests" was:"asked"`
}

// LogHead is how the first line of a file of recorded acts begins.
const LogHead = `{"parley_acts":`

// Recorder is a Scheduler that asks another one and writes its answers to a file.
type Recorder struct {
	Scheduler
	out     *bufio.Writer
	moments int64
	err     error
}

// Sum has the counts of a Log.
type Sum struct {
	Requests int64 // the moments sent to the scheduler
	Answers  int64 // answers that are not empty
	Acts     int64
}

// Sum returns the counts of a log.
func (l *Log) Sum() Sum {
	s := Sum{Requests: l.moments, Answers: int64(len(l.answers))}
	for i := range l.answers {
		s.Acts += int64(len(l.answers[i].answer.Acts))
	}
	return s
}

// NewRecorder returns a recorder that writes to out.
func NewRecorder(s Scheduler, out io.Writer) *Recorder {
	return &Recorder{Scheduler: s, out: bufio.NewWriter(out)}
}

// Begin implements Scheduler.
func (r *Recorder) Begin(h *Hello) (Welcome, error) {
	w, err := r.Scheduler.Begin(h)
	if err == nil {
		err = r.write(head{Version, w})
	}
	return w, err
}

// Decide implements Scheduler.
func (r *Recorder) Decide(m *Moment) (Answer, error) {
	a, err := r.Scheduler.Decide(m)
	if err != nil {
		return a, err
	}
	if len(a.Acts) > 0 || a.WakeAt != 0 {
		if a.Acts == nil {
			a.Acts = []Act{}
		}
		err = r.write(line{r.moments, m.At, a})
	}
	r.moments++
	return a, err
}

// write writes a value as a line of JSON. It returns the first error of the recording, which it keeps
// for Close.
func (r *Recorder) write(value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		_, err = r.out.Write(append(text, '\n'))
	}
	if err != nil {
		r.err = fmt.Errorf("the acts cannot be recorded: %w", err)
	}
	return r.err
}

// Close writes the end of the file. It returns the first error of the recording.
func (r *Recorder) Close() error {
	if r.err == nil {
		_ = r.write(last{r.moments})
	}
	if err := r.out.Flush(); r.err == nil && err != nil {
		r.err = fmt.Errorf("the acts cannot be recorded: %w", err)
	}
	return r.err
}

// maxLine limits a line of a file of acts and of the protocol, in bytes.
const maxLine = 16 << 20

// LineError describes an invalid line of a file of acts.
type LineError struct {
	Line   int64
	Reason error
}

// Error returns the sentence.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Reason) }

// ReadLog reads a file of recorded acts. Its errors are LineErrors, or those of in.
func ReadLog(in io.Reader) (*Log, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	l := &Log{moments: -1}
	number := int64(0)
	for lines.Scan() {
		number++
		if err := l.read(lines.Bytes(), number); err != nil {
			return nil, &LineError{number, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &LineError{number + 1, fmt.Errorf("it has more than %d MB", maxLine>>20)}
	case err != nil:
		return nil, err
	case l.moments < 0:
		return nil, &LineError{
			number + 1,
			errors.New("the last line is missing, which says how often the scheduler was asked: the file is cut off"),
		}
	}
	return l, nil
}

// read takes over one line of a file of acts, of a number from 1: the first has the version and the
// welcome, the last how often the scheduler was asked, and those between have answers by rising numbers.
// Nothing may follow the last.
func (l *Log) read(text []byte, number int64) error {
	if l.moments >= 0 {
		return fmt.Errorf("it follows the last line, which says how often the scheduler was asked")
	}
	if number == 1 {
		var h head
		if err := Decode(text, &h); err != nil {
			return err
		}
		if h.Version != Version {
			return fmt.Errorf("parley_acts is %d: this program reads version %d", h.Version, Version)
		}
		l.Welcome = h.Welcome
		return nil
	}
	if bytes.HasPrefix(text, []byte(`{"requests":`)) || bytes.HasPrefix(text, []byte(`{"asked":`)) { // the latter is of earlier versions
		var end last
		if err := Decode(text, &end); err != nil {
			return err
		}
		if n := len(l.answers); end.Requests < 0 || n > 0 && l.answers[n-1].number >= end.Requests {
			return fmt.Errorf("requests is %d, and an answer before it has a higher number", end.Requests)
		}
		l.moments = end.Requests
		return nil
	}
	var one line
	if err := Decode(text, &one); err != nil {
		return err
	}
	if err := one.Answer.Check(); err != nil {
		return err
	}
	if n := len(l.answers); n > 0 && one.Number <= l.answers[n-1].number || one.Number < 0 {
		return fmt.Errorf("n is %d: the numbers of answers rise", one.Number)
	}
	l.answers = append(l.answers, logged{one.Number, one.At, one.Answer})
	return nil
}

// replayed is a Scheduler that gives the answers of a Log.
type replayed struct {
	log     *Log
	moments int64
	next    int
}

// Replay returns a Scheduler that answers as the log says.
func (l *Log) Replay() Scheduler { return &replayed{log: l} }

// Begin implements Scheduler.
func (r *replayed) Begin(*Hello) (Welcome, error) { return r.log.Welcome, nil }

// Decide implements Scheduler. Moments are numbered from 0; one without a recorded answer has no acts.
func (r *replayed) Decide(m *Moment) (Answer, error) {
	number := r.moments
	r.moments++
	if r.next == len(r.log.answers) || r.log.answers[r.next].number > number {
		return Answer{Acts: []Act{}}, nil
	}
	one := &r.log.answers[r.next]
	if one.at != m.At {
		return Answer{},
			fmt.Errorf(
				"the recorded acts are of another run: their moment %d is at %d µs, and here it is at %d µs; give the scenario and the files with which they were recorded", number, one.at, m.At,
			)
	}
	r.next++
	return one.answer, nil
}

// Decode reads a message strictly: no unknown fields, none twice, in other letters or
// null, and valid UTF-8.
func Decode(text []byte, into any) error {
	if at := invalidUTF8(text); at >= 0 {
		return fmt.Errorf("column %d is no UTF-8: write text in UTF-8", at+1)
	}
	return strict.Part(text, into)
}
