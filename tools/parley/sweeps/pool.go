package sweeps

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"parley/core/study"
)

// Answer is a worker's answer about a run.
type Answer struct {
	Result study.Result `json:"result"`
	Failed string       `json:"failed,omitempty"` // why there is no result
}

// worker is a process that plays one run after the other. Processes share no memory, so the memory
// of a run is known, and a crash ends only one run.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Pool plays runs in several processes.
type Pool struct {
	Answers chan Played
	command []string
	idle    []*worker
	all     map[*worker]bool
}

// Played is a run with its answer.
type Played struct {
	Run    study.Run
	Answer Answer
	by     *worker
}

// NewPool returns a pool of workers that command starts.
func NewPool(workers int, command []string) (*Pool, error) {
	p := &Pool{Answers: make(chan Played, workers), command: command, all: map[*worker]bool{}}
	for range workers {
		if err := p.start(); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

func (p *Pool) start() error {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("a worker cannot be started: %w", err)
	}
	w := &worker{cmd, in, bufio.NewReaderSize(out, 1<<16)}
	p.idle, p.all[w] = append(p.idle, w), true
	return nil
}

// Idle returns the number of workers that wait for a run.
func (p *Pool) Idle() int { return len(p.idle) }

// Busy returns the number of workers that play a run.
func (p *Pool) Busy() int { return len(p.all) - len(p.idle) }

// Play passes a run to an idle worker.
func (p *Pool) Play(r study.Run) {
	w := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	go func() {
		answer, err := w.play(r)
		if err != nil {
			answer = Answer{Failed: err.Error()}
			_ = w.cmd.Process.Kill()
			if ended := w.cmd.Wait(); ended != nil {
				answer.Failed = fmt.Sprintf("its process ended early (%v): was there too little memory?", ended)
			}
			w = nil
		}
		p.Answers <- Played{r, answer, w}
	}()
}

// Took records that an answer was read: its worker is idle again, or replaced.
func (p *Pool) Took(a Played) error {
	if a.by != nil {
		p.idle = append(p.idle, a.by)
		return nil
	}
	for w := range p.all {
		if w.cmd.ProcessState != nil {
			delete(p.all, w)
		}
	}
	return p.start()
}

func (w *worker) play(r study.Run) (answer Answer, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return answer, err
	}
	text, err := w.out.ReadBytes('\n')
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(text, &answer)
}

// Close ends all workers, whatever they play.
func (p *Pool) Close() error {
	for w := range p.all {
		_ = w.cmd.Process.Kill()
	}
	return nil
}

// Serve is a worker's side: it reads runs and writes answers until there are no more.
// If its pool has gone it calls gone, in the middle of a run too.
func Serve(in io.Reader, out io.Writer, play func(study.Run) Answer, gone func()) error {
	runs := make(chan study.Run)
	failed := make(chan error, 1)
	go func() {
		d := json.NewDecoder(in)
		for {
			var r study.Run
			if err := d.Decode(&r); err != nil {
				if errors.Is(err, io.EOF) {
					gone()
					err = nil
				}
				failed <- err
				return
			}
			runs <- r
		}
	}()
	e := json.NewEncoder(out)
	for {
		select {
		case err := <-failed:
			return err
		case r := <-runs:
			if err := e.Encode(play(r)); err != nil {
				return err
			}
		}
	}
}
