package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestArm64 plays every scenario of core/run's digests for at most an hour here
// and, by an emulator, on linux/arm64, whose floating point fuses products and
// sums: the whole reports are the same, not only the digests.
func TestArm64(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: an emulated processor is slow: the whole tests play on one")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no emulator qemu-aarch64 is installed: linux/arm64 is not checked here (Debian's package qemu-user has it)")
	}
	dir := t.TempDir()
	program := func(goarch string) string {
		name := filepath.Join(dir, "parley-"+goarch)
		build := exec.Command("go", "build", "-o", name, "parley/tools/parley")
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building for %s: %v\n%s", goarch, err, out)
		}
		return name
	}
	here, there := program(runtime.GOARCH), program("arm64")
	played := 0
	datadriven.RunTest(t, "../../core/run/testdata/digests.txt", func(t *testing.T, d *datadriven.TestData) string {
		args := []string{"run", "-", "--until", "1h", "--json"}
		want := report(t, d.Input, here, args...)
		got := report(t, d.Input, emulator, append([]string{there}, args...)...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: linux/arm64 reports\n%v\nthis machine\n%v", d.Pos, got, want)
		}
		played++
		return d.Expected // of the whole run: core/run plays it
	})
	if played < 10 {
		t.Errorf("only %d scenarios were played", played)
	}
}

// report runs a program that prints the report of the scenario it is given, and
// returns all of it but what depends on the clock.
func report(t *testing.T, scenario, program string, args ...string) map[string]any {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(scenario)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	var all map[string]any
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, complaints.String())
	}
	delete(all, "wall_s")
	delete(all, "speedup")
	return all
}
