package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"parley/core/protocol"
	"parley/tools/bench/measure"
	"parley/tools/parley/console"
	"parley/tools/parley/external"
)

// idleProcess is a scheduler that reads every moment and does nothing.
type idleProcess struct {
	name    string
	program string // "": this one
	args    string
	trips   int
}

// idleProcesses are those whose answers bench policy counts.
var idleProcesses = []idleProcess{
	{"Go", "", idleName, 50_000},
	{"Python", "python3", `-c 'import json, sys
for line in sys.stdin:
    moment = json.loads(line)
    print(json.dumps({"acts": []} if "facts" in moment else {"parley": 1}), flush=True)'`, 20_000},
}

// idleName is the command that does nothing.
const idleName = "idle-scheduler"

// idleCommand is the do-nothing scheduler in Go.
func idleCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: idleName, Short: "Answer every moment with no act", Hidden: true, Example: "  bench " + idleName,
		Args: console.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			lines, out := json.NewDecoder(bufio.NewReader(c.In)), json.NewEncoder(c.Out)
			var answer any = protocol.Welcome{Parley: protocol.Version}
			for {
				var m protocol.Moment
				if err := lines.Decode(&m); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := out.Encode(answer); err != nil {
					return err
				}
				answer = protocol.Answer{Acts: []protocol.Act{}}
			}
		},
	}
}

// trips measures the moments per second that a process answers.
func (m *measurer) trips(p idleProcess) (benchRow, error) {
	program := p.program
	var err error
	if program == "" {
		program, err = os.Executable()
	} else {
		program, err = exec.LookPath(program)
	}
	if err != nil {
		return benchRow{}, err
	}
	var all []sample
	for range m.runs {
		one, err := oneTrip(`"`+program+`" `+p.args, p.trips, m.console.Now)
		if err != nil {
			return benchRow{}, err
		}
		all = append(all, sample{Value: one})
	}
	return summed("moments that a process in "+p.name+" answers", nativeHost, "moments/s", all), nil
}

func oneTrip(command string, trips int, now func() time.Time) (rate float64, err error) {
	s, err := external.Start(command, external.Options{Patience: time.Minute})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return measure.Trips(s, trips, now)
}
