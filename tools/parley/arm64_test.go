package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	starlark "parley/core/system/program"
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
	played, programs := 0, 0
	same := func(t *testing.T, name, scenario string) {
		t.Helper()
		args := []string{"run", "-", "--until", "1h", "--json"}
		want := report(t, scenario, here, args...)
		got := report(t, scenario, emulator, append([]string{there}, args...)...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: linux/arm64 reports\n%v\nthis machine\n%v", name, got, want)
		}
		played++
	}
	datadriven.RunTest(t, "../../core/run/testdata/digests.txt", func(t *testing.T, d *datadriven.TestData) string {
		same(t, d.Pos, d.Input)
		return d.Expected // of the whole run: core/run plays it
	})
	for _, example := range starlark.Examples() {
		if example.ID != "power_of_two_choices" {
			continue
		}
		text, err := json.Marshal(example.Text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, example.Name, fmt.Sprintf(`{"v":1,"system":"program","seed":7,"cluster":{"nodes":120},"until":"20m","program":%s}`, text))
		programs++
	}
	same(t, "a formula", `{"v":1,"system":"central","seed":7,"cluster":{"nodes":120},"until":"20m","settings":{"policy":"formula","formula":{"where":"tasks < 40","score":"-abs(after.cpu / cpu.capacity - after.memory / memory.capacity) + log2(1 + tasks) ** 2"}}}`)
	if programs != 1 {
		t.Error("the power of two choices is no example of a program")
	}
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
