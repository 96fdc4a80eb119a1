//go:build unix

package external_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/core/protocol"
	"parley/core/unit"
	"parley/tools/parley/external"
)

// The test program is the scheduler too, as its environment says.
func TestMain(m *testing.M) {
	if how := os.Getenv("PARLEY_TEST_SCHEDULER"); how != "" {
		play(how)
		return
	}
	os.Exit(m.Run())
}

// play is a scheduler that misbehaves at its second line.
func play(how string) {
	in := bufio.NewReader(os.Stdin)
	read := func() { _, _ = in.ReadString('\n') }
	if how == "deaf" {
		time.Sleep(time.Hour)
	}
	read()
	fmt.Println(`{"parley":1,"name":"test"}`)
	read()
	switch how {
	case "good":
		for {
			fmt.Println(`{"acts":[]}`)
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
		}
	case "silent":
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "dies":
		fmt.Fprintln(os.Stderr, "KeyError: 'x'")
		os.Exit(3)
	case "half":
		fmt.Print(`{"acts":[`)
	case "flood":
		for {
			if _, err := fmt.Println(`{"acts":[]}`); err != nil {
				return
			}
		}
	case "long":
		text := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := os.Stdout.Write(text); err != nil {
				return
			}
		}
	case "noisy":
		for range 100_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 20))
		}
		fmt.Println(`{"acts":[]}`)
		read()
	case "closes":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "late death":
		fmt.Println(`{"acts":[]}`)
		_, _ = in.ReadString('\n')
		os.Exit(5)
	default:
		fmt.Println(how)
		read()
	}
}

// begin starts a scheduler that behaves so, up to its first answer.
func begin(t *testing.T, how string, patience time.Duration, stop <-chan struct{}) *external.Process {
	t.Helper()
	t.Setenv("PARLEY_TEST_SCHEDULER", how)
	p, err := external.Start(`"`+os.Args[0]+`"`, external.Options{Patience: patience, Stop: stop})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var moment = &protocol.Moment{At: 3 * unit.Second, Facts: []protocol.Fact{{Event: "task_submitted", Task: 1}}, Verdicts: []string{}}

// TestMisbehaviour: each way to misbehave is one sentence with the last line, comes within
// the patience, and leaves no process.
func TestMisbehaviour(t *testing.T) {
	for _, c := range []struct{ how, want string }{
		{"silent", "its answer to the moment at 3s has not come within 500ms"},
		{"stubborn", "has not come within 500ms"},
		{"deaf", "its first line has not come within 500ms"},
		{"dies", `it ended with exit status 3 instead of its answer to the moment at 3s; its last line is "{\"parley\":1,\"name\":\"test\"}"; its last line on standard error is "KeyError: 'x'"`},
		{"half", `it ended in the middle of a line instead of its answer to the moment at 3s; its last line is "{\"acts\":["`},
		{"long", "its answer to the moment at 3s is a line of more than 16 MB"},
		{"closes", "it closed its standard output instead of"},
		{"\xff", `cannot be read: column 1 is no UTF-8: write text in UTF-8; its last line is "\xff"`},
		{"no json", `cannot be read: invalid character`},
		{`{"Acts":[]}`, `"Acts" is written "acts"`},
		{`{"acts":[],"acts":[]}`, `"acts" is given twice`},
		{`{"acts":null}`, `acts is missing: write "acts":[]`},
		{`{"acts":[],"wake":5}`, `unknown field "wake"`},
		{`{"acts":[{"do":"place","task":1.5,"node":0}]}`, "1.5, not a whole number"},
		{`{"acts":[{"do":"place","task":1,"node":0}`, "ends too early"},
	} {
		if testing.Short() && (c.how == "silent" || c.how == "deaf" || c.how == "closes") {
			continue // waits for a time-out; stubborn does so too
		}
		patience := 30 * time.Second
		if strings.Contains(c.want, "500ms") {
			patience = 500 * time.Millisecond
		}
		p := begin(t, c.how, patience, nil)
		began := time.Now()
		w, err := p.Begin(&protocol.Hello{Parley: 1})
		if err == nil {
			if w.Name != "test" {
				t.Errorf("%s: the first answer is %+v", c.how, w)
			}
			_, err = p.Decide(moment)
		}
		if !errors.As(err, new(*external.Failure)) || !strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: %v, want %q", c.how, err, c.want)
		}
		if _, again := p.Decide(moment); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: asked again it returns %v", c.how, again)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: Close: %v", c.how, err)
		}
		if took := time.Since(began); took > 25*time.Second {
			t.Errorf("%s took %v", c.how, took)
		}
	}
}

// TestFlood: lines that were not asked for are noticed at the next moment at the latest.
func TestFlood(t *testing.T) {
	p := begin(t, "flood", 30*time.Second, nil)
	_, err := p.Begin(&protocol.Hello{Parley: 1})
	for i := 0; err == nil && i < 100_000; i++ {
		_, err = p.Decide(moment)
	}
	if err == nil || !strings.Contains(err.Error(), "it wrote a line that was not asked for") {
		t.Errorf("%v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestNoise: a megabyte on standard error stops nothing and is bounded.
func TestNoise(t *testing.T) {
	t.Setenv("PARLEY_TEST_SCHEDULER", "noisy")
	var noise bytes.Buffer
	p, err := external.Start(`"`+os.Args[0]+`"`, external.Options{Patience: time.Minute, Stderr: &noise})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Begin(&protocol.Hello{Parley: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Decide(moment); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := noise.Len(); n < 1<<16 || n > 2<<20 || !strings.Contains(noise.String(), "left out") {
		t.Errorf("%d bytes of standard error arrive", n)
	}
}

// TestStop: a wait ends when it is stopped, however long the patience.
func TestStop(t *testing.T) {
	stop := make(chan struct{})
	p := begin(t, "silent", time.Hour, stop)
	if _, err := p.Begin(&protocol.Hello{Parley: 1}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(stop) })
	if _, err := p.Decide(moment); !errors.Is(err, external.ErrStopped) {
		t.Errorf("%v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestLateDeath: a process that ends badly after its last answer is reported.
func TestLateDeath(t *testing.T) {
	p := begin(t, "late death", time.Minute, nil)
	if _, err := p.Begin(&protocol.Hello{Parley: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Decide(moment); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "exit status 5 after its last answer") {
		t.Errorf("%v", err)
	}
}

// TestSplit: commands are split as people quote them.
func TestSplit(t *testing.T) {
	for command, want := range map[string][]string{
		`python3 policy.py`: {"python3", "policy.py"},
		`  "a b"  'c d' e`:  {"a b", "c d", "e"},
		`a\ b "x\"y" '\'`:   {"a b", `x"y`, `\`},
		`a ""`:              {"a", ""},
		`C:\tools\p.exe -x`: {`C:\tools\p.exe`, "-x"},
		`x"y z"w`:           {"xy zw"},
	} {
		if got, err := external.Split(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
	for _, command := range []string{``, `  `, `"a`, `'`, `""`} {
		if got, err := external.Split(command); err == nil {
			t.Errorf("%q is split into %q", command, got)
		}
	}
	if _, err := external.Start("parley-no-such-program", external.Options{}); err == nil || !strings.Contains(err.Error(), "cannot be started: executable file not found") {
		t.Errorf("%v", err)
	}
}

// FuzzAnswer: whatever a process writes is an answer that can be acted on, or a sentence.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"acts":[{"do":"place","task":1,"node":0,"by":"use"}],"wake_at":5}`))
	f.Add([]byte(`{"acts":[{"do":"start","job":1,"parts":[[0,4]]}]}`))
	f.Add([]byte(`{"acts":[{"do":"allot","task":1,"cpu":9}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a protocol.Answer
		err := protocol.Decode(text, &a)
		if err == nil {
			err = a.Check()
		}
		if err != nil {
			if s := err.Error(); s == "" || len(s) > 1000 || strings.ContainsRune(s, '\n') {
				t.Errorf("%q gives %q, which is no sentence", text, s)
			}
			return
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%q is read and cannot be written: %v", text, err)
		}
	})
}
