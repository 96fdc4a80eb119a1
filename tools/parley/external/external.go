// Package external runs schedulers that are the user's own processes, by JSON lines on their
// standard input and output. docs/protocol.md describes the messages, which are the types of package
// protocol.
//
//	p, err := external.Start("python3 policy.py", external.Options{Patience: time.Minute})
//	entry := recorded.Asking(func() protocol.Scheduler { return p })
//	…
//	err = p.Close()
//
// A call always returns, even if the process misbehaves: waiting for answers is limited by Patience,
// lines are limited, standard error is always read, and Close kills the process and its children.
package external

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"parley/core/protocol"
	"parley/core/words"
)

// maxLine limits a line of either side, in bytes.
const maxLine = 16 << 20

// Options are the options for running a process.
type Options struct {
	Patience time.Duration   // time limit of an answer
	Stop     <-chan struct{} // closed to stop waiting; nil: never
	Stderr   io.Writer       // receives the process's standard error; nil drops it
}

// Failure is why a process cannot go on as a scheduler, in a sentence.
type Failure struct{ Reason string }

// Error is the sentence.
func (f *Failure) Error() string { return f.Reason }

// ErrStopped is the answer once Options.Stop is closed.
var ErrStopped = errors.New("stopped")

// Process is a scheduler that runs as a process. It implements protocol.Scheduler.
type Process struct {
	options Options
	command string
	cmd     *exec.Cmd
	in      *os.File // the process reads its other end
	out     *os.File // the process writes to its other end
	lines   chan received
	sends   chan []byte
	ended   chan struct{} // closed when the process has ended
	status  error         // how, once ended is closed
	encoded bytes.Buffer
	last    string // its last line
	errors  errorLines
	failed  error
	closed  bool
}

// received is a line that the process wrote, without its end, or why there is none.
type received struct {
	text []byte
	err  error
}

// Start starts a process. Its command is split at spaces; quotes keep words together, and no shell reads it. The
// caller closes the process. An error is a *Failure.
func Start(command string, o Options) (*Process, error) {
	words, err := Split(command)
	if err != nil {
		return nil, &Failure{fmt.Sprintf("the scheduler's command %q cannot be read: %v", command, err)}
	}
	p := &Process{
		options: o, command: command, lines: make(chan received), sends: make(chan []byte, 1),
		ended: make(chan struct{}),
	}
	p.cmd = exec.Command(words[0], words[1:]...)
	p.errors.to = o.Stderr
	if err := p.start(); err != nil {
		return nil, &Failure{fmt.Sprintf("the scheduler %q cannot be started: %v", command, reason(err))}
	}
	return p, nil
}

// reason returns the error of a program's file without the words of package exec.
func reason(err error) error {
	var failed *exec.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// start starts the process and the goroutines that read and write its pipes. After an error, all pipes are closed.
func (p *Process) start() error {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	theirIn, in := pipe()
	out, theirOut := pipe()
	errs, theirErr := pipe()
	if len(files) < 6 {
		closeAll(files)
		return errors.New("there are no pipes left")
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, theirErr
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		closeAll(files)
		return err
	}
	closeAll([]*os.File{theirIn, theirOut, theirErr})
	go p.read(out)
	go p.write(in)
	go p.errors.read(errs)
	go func() {
		p.status = p.cmd.Wait()
		close(p.ended)
	}()
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written to it
	}
}

// read sends each line of the process to p.lines, and at last the error that ended the reading, io.EOF if the process
// closed its output. Then it closes the channel.
func (p *Process) read(out *os.File) {
	defer close(p.lines)
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		text, err := readLine(in)
		p.lines <- received{text, err}
		if err != nil {
			return
		}
	}
}

// The reasons for which a line cannot be read.
var (
	errLong = fmt.Errorf("a line of more than %d MB", maxLine>>20)
	errHalf = errors.New("a line without an end")
)

// readLine returns the next line without its end, CR LF or LF. io.EOF means that no line follows; with errLong and
// errHalf it returns the beginning of the line for a message.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return line[:200], errLong
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0:
			return line, errHalf
		default:
			return nil, io.EOF
		}
	}
}

// write writes the lines of p.sends to the process until the channel is closed, then ends the process's input. After
// an error it drops the lines, so that senders are never blocked.
func (p *Process) write(in *os.File) {
	for line := range p.sends {
		if _, err := in.Write(line); err != nil {
			break // it does not read any more; its exit status gives the reason
		}
	}
	_ = in.Close()
	for range p.sends { // drop the rest
	}
}

// Begin implements protocol.Scheduler.
func (p *Process) Begin(h *protocol.Hello) (w protocol.Welcome, err error) {
	err = p.ask(h, &w, "its first line", true, func() error { return nil })
	return w, err
}

// Decide implements protocol.Scheduler.
func (p *Process) Decide(m *protocol.Moment) (a protocol.Answer, err error) {
	err = p.ask(m, &a, fmt.Sprintf("its answer to the moment at %v", m.At), false, a.Check)
	return a, err
}

// ask sends a message and reads the answer into into, then calls check for it. If early is false, a line that
// the process wrote before the message is a failure. name is that of the answer in sentences. An error, a
// *Failure or ErrStopped, is final: later calls return it too.
func (p *Process) ask(message, into any, name string, early bool, check func() error) error {
	if p.failed != nil {
		return p.failed
	}
	p.errors.flush()
	p.failed = p.exchange(message, into, name, early, check)
	return p.failed
}

// exchange is ask for a process that has not failed. Sending and the answer share one time limit.
func (p *Process) exchange(message, into any, name string, early bool, check func() error) error {
	if !early {
		select {
		case l := <-p.lines:
			if l.err == nil {
				p.last = string(l.text)
				return p.failure(
					"it wrote a line that was not asked for, before %s: write one line for each line that arrives",
					name,
				)
			}
			return p.silent(l, name)
		default:
		}
	}
	p.encoded.Reset()
	if err := json.NewEncoder(&p.encoded).Encode(message); err != nil {
		return err // messages are plain values
	}
	if p.encoded.Len() > maxLine {
		return p.failure("what happened takes a line of %d MB, and lines have at most %d MB: choose a smaller cluster",
			p.encoded.Len()>>20, maxLine>>20)
	}
	patience := time.NewTimer(p.options.Patience)
	defer patience.Stop()
	select {
	case p.sends <- bytes.Clone(p.encoded.Bytes()):
	case <-patience.C:
		return p.failure("it has not read what it was sent within %v: read a line for each that is written",
			p.options.Patience)
	case <-p.options.Stop:
		return ErrStopped
	}
	select {
	case l := <-p.lines:
		if l.err != nil {
			return p.silent(l, name)
		}
		p.last = string(l.text[:min(len(l.text), 1<<10)])
		err := protocol.Decode(l.text, into)
		if err == nil {
			err = check()
		}
		if err != nil {
			return p.failure("%s cannot be read: %v", name, err)
		}
		return nil
	case <-patience.C:
		return p.failure(
			"%s has not come within %v: answer every line, flush the output, or allow more time with --scheduler-patience", name, p.options.Patience,
		)
	case <-p.options.Stop:
		return ErrStopped
	}
}

// silent is the failure of a process that writes no whole line any more.
func (p *Process) silent(l received, name string) error {
	if len(l.text) > 0 {
		p.last = string(l.text)
	}
	switch {
	case errors.Is(l.err, errLong):
		return p.failure("%s is %v", name, l.err)
	case errors.Is(l.err, errHalf):
		return p.failure("it ended in the middle of a line instead of %s", name)
	}
	select {
	case <-p.ended:
		how := "exit status 0"
		if p.status != nil {
			how = p.status.Error()
		}
		return p.failure("it ended with %s instead of %s", how, name)
	case <-time.After(time.Second):
		return p.failure("it closed its standard output instead of %s", name)
	}
}

// failure returns a Failure that quotes the last lines of the process.
func (p *Process) failure(format string, args ...any) error {
	why := fmt.Sprintf("the scheduler %s: ", cut(p.command)) + fmt.Sprintf(format, args...)
	if p.last != "" {
		why += fmt.Sprintf("; its last line is %q", cut(p.last))
	}
	if text := p.errors.latest(); text != "" {
		why += fmt.Sprintf("; its last line on standard error is %q", cut(text))
	}
	return &Failure{why}
}

// cut shortens a text for a sentence.
func cut(text string) string { return words.Cut(text, 160) }

// Time for a process to end: by itself, then after SIGTERM.
const (
	graceful  = 2 * time.Second
	afterTerm = 500 * time.Millisecond
)

// Close closes the process's input and waits for it to end; after a grace period it kills the
// process group. It returns an error if the process had answered everything until then and its exit
// status is not 0.
func (p *Process) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	close(p.sends)
	go func() {
		for range p.lines { // drop further output
		}
	}()
	grace := graceful
	if p.failed != nil {
		grace = 0
	}
	if !p.waits(grace) {
		endGroup(p.cmd)
		if !p.waits(afterTerm) {
			killGroup(p.cmd)
			<-p.ended
		}
	}
	killGroup(p.cmd) // child processes that are left
	_ = p.out.Close()
	p.errors.flush()
	if p.failed == nil && p.status != nil {
		p.failed = p.failure("it ended with %v after its last answer", p.status)
		return p.failed
	}
	return nil
}

// waits waits until the process has ended, at most for a time, and reports whether it has.
func (p *Process) waits(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// errorLines keeps a process's standard error until it is printed.
type errorLines struct {
	to      io.Writer
	mu      sync.Mutex
	pending []byte
	dropped bool
	line    string // the last one that is not empty
	done    bool
}

// maxPending limits the standard error that is kept, in bytes.
const maxPending = 1 << 20

// read reads all of standard error.
func (e *errorLines) read(in *os.File) {
	defer in.Close()
	buffer := make([]byte, 1<<14)
	var open []byte
	for {
		n, err := in.Read(buffer)
		e.mu.Lock()
		if len(e.pending)+n <= maxPending {
			e.pending = append(e.pending, buffer[:n]...)
		} else {
			e.dropped = true
		}
		open = append(open, buffer[:n]...)
		if at := bytes.LastIndexByte(open, '\n'); at >= 0 || err != nil {
			for _, line := range strings.Split(string(open), "\n") {
				if strings.TrimSpace(line) != "" {
					e.line = strings.TrimSpace(line)
				}
			}
			open = append([]byte(nil), open[at+1:]...)
		}
		open = open[:min(len(open), 1<<12)]
		e.done = err != nil
		e.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// latest returns the last line. It waits up to 200 ms for the end of the scheduler's output, because a line may still
// be being written.
func (e *errorLines) latest() string {
	for range 20 {
		e.mu.Lock()
		line, done := e.line, e.done
		e.mu.Unlock()
		if done {
			return line
		}
		time.Sleep(10 * time.Millisecond)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.line
}

// flush prints the lines since the last call.
func (e *errorLines) flush() {
	e.mu.Lock()
	text, dropped := e.pending, e.dropped
	e.pending, e.dropped = nil, false
	e.mu.Unlock()
	if e.to == nil || len(text) == 0 {
		return
	}
	_, _ = e.to.Write(text) // there is no other place to report it
	if dropped {
		_, _ = fmt.Fprintf(e.to,
			"\n[the scheduler wrote more than %d MB to standard error at once; the rest is left out]\n",
			maxPending>>20)
	}
}
