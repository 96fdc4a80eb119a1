package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program returns the command line as a program of its own, in dir.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

const loads = `{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":60},"until":"20m"},
	"axes":{"settings.policy":["best-fit","worst-fit"],"workload.scale":{"from":0.8,"to":1.1,"step":0.1}},
	"seeds":{"from":1,"to":10},"metrics":["overloaded_pct","tasks_waiting"],"compare":{"axis":"settings.policy"}}`

// lines returns the whole lines of a file, none if it is missing.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(text), "\n")
}

// A sweep that is killed, three times at different places, goes on each time, plays
// nothing twice, and ends in the table of one go, to the bit. Its runs have the digests
// that parley run gives.
func TestKilledSweepGoesOn(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "loads.json"), loads)
	want, err := program(t, dir, "sweep", "loads.json", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "out", "results.jsonl")
	for _, after := range []int{7, 31, 64} {
		cmd := program(t, dir, "sweep", "loads.json", "--out", "out", "--jobs", "2")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running && len(lines(t, results)) <= after; {
			select {
			case err := <-ended:
				ended <- err
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		<-ended
		// On a busy machine the sweep may be at its end by now. What an earlier kill
		// leaves is the beginning of the file.
		if all := lines(t, results); len(all) > after+10 {
			if err := os.WriteFile(results, []byte(strings.Join(all[:after], "")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// What a machine that loses its power may leave: half of a line.
		file, err := os.OpenFile(results, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(`{"id":"0123`); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t, dir, "sweep", "loads.json", "--out", "out", "--json")
	var stated bytes.Buffer
	cmd.Stderr = &stated
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stated)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
	if !strings.Contains(stated.String(), "written by half and are played again: 1") {
		t.Errorf("it says nothing of the half line: %s", &stated)
	}
	ids := map[string]bool{}
	for _, line := range lines(t, results) {
		if line == "" {
			continue
		}
		var r struct {
			ID, Digest string
			Seed       uint64
			At         map[string]any
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if ids[r.ID] {
			t.Errorf("%s was played twice", r.ID)
		}
		if ids[r.ID] = true; len(ids)%20 != 0 {
			continue
		}
		write(t, filepath.Join(dir, "one.json"), `{"v":1,"system":"central","cluster":{"nodes":60},"until":"20m"}`)
		check := program(t, dir, "run", "one.json", "--seed", fmt.Sprint(r.Seed), "--set", fmt.Sprint("settings.policy=", r.At["settings.policy"]),
			"--set", fmt.Sprint("workload.scale=", r.At["workload.scale"]), "--check", r.Digest)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v of seed %d: %s", r.At, r.Seed, out)
		}
	}
	if len(ids) != 80 {
		t.Errorf("%d runs, not 80", len(ids))
	}
}

// Shares that are played apart, one of them twice at the same time, join in one table.
func TestSharesJoin(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "loads.json"), loads)
	want, err := program(t, dir, "sweep", "loads.json", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []*exec.Cmd
	for _, shard := range []string{"2/3", "0/3", "1/3", "1/3"} {
		cmd := program(t, dir, "sweep", "loads.json", "--out", "shared", "--jobs", "1", "--shard", shard)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t, dir, "sweep", "loads.json", "--out", "shared", "--json")
	var stated bytes.Buffer
	cmd.Stderr = &stated
	got, err := cmd.Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: the table is\n%s\nnot\n%s", err, got, want)
	}
	if again := lines(t, filepath.Join(dir, "shared", "results.jsonl")); len(again) != 1 {
		t.Errorf("it played again: %s (%s)", again, &stated)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "shared", "parts", "*"))
	if err != nil || len(parts) != 4 {
		t.Errorf("%v: the parts are %v", err, parts)
	}
	for _, part := range parts {
		if !strings.HasSuffix(part, ".jsonl") {
			t.Errorf("%s has not its final name", part)
		}
	}
}

// An interrupt ends a sweep with 130 and keeps what is done.
func TestInterruptedSweep(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "long.json"), strings.Replace(loads, `"to":10`, `"to":1000`, 1))
	cmd := program(t, dir, "sweep", "long.json", "--out", "out")
	var stated bytes.Buffer
	cmd.Stderr = &stated
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "out", "results.jsonl")
	for len(lines(t, results)) < 10 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stated.String(), "of 8000 runs; what is done is in out, and the same command goes on from there") {
		t.Errorf("it ends with %d and says %s", code, &stated)
	}
}
