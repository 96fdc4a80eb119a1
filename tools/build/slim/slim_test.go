package slim_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/tools/build/slim"
)

// program compiles testdata/program.
func program(t *testing.T) []byte {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go here to compile with")
	}
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if stated, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, stated)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// play runs a module under Node as Go's own tests do.
func play(t *testing.T, module []byte, args ...string) (out, failed string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node here to run WebAssembly")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "module.wasm")
	if err := os.WriteFile(file, module, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "go_js_wasm_exec"), append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && len(args) == 0 {
		t.Fatalf("%v\n%s", err, e.String())
	}
	return o.String(), e.String()
}

// A slim program does the same; only its stack traces have no lines.
func TestSlimProgramsDoTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a program for the browser")
	}
	whole := program(t)
	module, err := slim.Module(whole)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := play(t, whole)
	if got, _ := play(t, module); got != want || !strings.Contains(got, "main.caller") {
		t.Errorf("the slim program prints %q, want %q", got, want)
	}
	_, fat := play(t, whole, "stop")
	_, thin := play(t, module, "stop")
	if !strings.Contains(fat, "main.main()\n\t") || !strings.Contains(fat, "main.go:") {
		t.Errorf("the test expects another trace of the whole program:\n%s", fat)
	}
	if !strings.Contains(thin, "panic: stop") || !strings.Contains(thin, "main.main()") || strings.Contains(thin, ".go:") {
		t.Errorf("the slim program's trace:\n%s", thin)
	}
	again, err := slim.Module(whole)
	if err != nil || !bytes.Equal(again, module) {
		t.Errorf("a second time other bytes come out (%v)", err)
	}
}

// Another layout than the one that is known is refused, not guessed.
func TestOtherLayouts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a program for the browser")
	}
	whole := program(t)
	at := bytes.Index(whole, []byte("\xf1\xff\xff\xff\x00\x00\x01\x08"))
	if at < 0 {
		t.Fatal("there is no table of functions")
	}
	for name, change := range map[string]func(module []byte){
		"another version": func(m []byte) { m[at] = 0xf0 },
		"no functions":    func(m []byte) { binary.LittleEndian.PutUint64(m[at+8:], 0) },
	} {
		other := bytes.Clone(whole)
		change(other)
		if _, err := slim.Module(other); err == nil || !strings.Contains(err.Error(), "0 tables of functions") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
