package formats_test

import (
	"bytes"
	"os"
	"strconv"
	"testing"
	"time"
)

// patience is the processor time that a text of a few lines may take.
const patience = 5 * time.Second

// impatiently runs f, and ends the process with what it was about when f takes longer than
// patience. Processor time is counted, so that a busy machine does not look like a hang.
func impatiently(about string, f func()) {
	began := processorTime()
	var watch *time.Timer
	watch = time.AfterFunc(time.Second, func() {
		if took := processorTime() - began; took > patience {
			panic("this takes more than " + took.String() + " of processor time: " + about)
		}
		watch.Reset(time.Second)
	})
	defer watch.Stop()
	f()
}

var started = time.Now()

// processorTime returns how long this process has computed. If the system does not
// tell, it is a twelfth of the time that has passed, which makes a minute of patience.
func processorTime() time.Duration {
	stat, err := os.ReadFile("/proc/self/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 13 {
		return time.Since(started) / 12
	}
	user, _ := strconv.Atoi(string(fields[11])) // in hundredths of a second
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * 10 * time.Millisecond
}

// The clock of patience moves with work, and not with waiting.
func TestProcessorTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip(err)
	}
	began := processorTime()
	time.Sleep(300 * time.Millisecond)
	if took := processorTime() - began; took > 200*time.Millisecond {
		t.Errorf("a sleep of 300 ms takes %v", took)
	}
	began = processorTime()
	for i, end := 0, time.Now().Add(10*time.Second); processorTime()-began < 50*time.Millisecond; i++ {
		if time.Now().After(end) {
			t.Fatal("ten seconds of work take no processor time")
		}
	}
}
