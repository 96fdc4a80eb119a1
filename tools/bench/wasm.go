package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// browserDriver starts a browser on a page that measures in workers.
//
//go:embed web/chromium.mjs
var browserDriver []byte

// build makes the measurements as WebAssembly in a folder of their own, once.
func (m *measurer) build() error {
	if m.dir != "" || m.failed != nil {
		return m.failed
	}
	m.dir, m.failed = m.buildInto()
	return m.failed
}

func (m *measurer) buildInto() (string, error) {
	root, err := output(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return "", fmt.Errorf("the go command is needed to build it: %w", err)
	}
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "bench.wasm"), "parley/tools/bench/wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	_, err = output(cmd)
	if err != nil {
		err = fmt.Errorf("it is built from the checkout's folder: %w", err)
	}
	for _, name := range []string{"wasm_exec.js", "wasm_exec_node.js"} {
		if err == nil {
			var content []byte
			if content, err = os.ReadFile(filepath.Join(root, "lib", "wasm", name)); err == nil {
				err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
			}
		}
	}
	for name, content := range map[string][]byte{
		"chromium.mjs": browserDriver,
		"package.json": []byte(`{"type":"commonjs"}`), // Go's scripts are; a package.json above may differ
	} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// close removes the build. The browser's last process may still write into its
// profile there.
func (m *measurer) close() {
	for try := 0; m.dir != "" && try < 20; try++ {
		if os.RemoveAll(m.dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// node measures under Node, each run in a process of its own.
func (m *measurer) node(name string, runs int) ([]sample, error) {
	if err := m.build(); err != nil {
		return nil, err
	}
	all := make([]sample, runs)
	for i := range all {
		line, err := output(exec.Command("node", "--stack-size=8192", filepath.Join(m.dir, "wasm_exec_node.js"),
			filepath.Join(m.dir, "bench.wasm"), name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(line), &all[i]); err != nil {
			return nil, fmt.Errorf("node printed %q: %w", line, err)
		}
	}
	return all, nil
}

// browsers are the names that Chromium's programs have.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// chromium measures in Chromium, each run in a worker of its own.
func (m *measurer) chromium(name string, runs int) ([]sample, error) {
	if err := m.build(); err != nil {
		return nil, err
	}
	browser := ""
	for _, b := range browsers {
		if path, err := exec.LookPath(b); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		return nil, fmt.Errorf("there is no Chromium here (looked for %s)", strings.Join(browsers, ", "))
	}
	line, err := output(exec.Command("node", filepath.Join(m.dir, "chromium.mjs"), browser, name, fmt.Sprint(runs)))
	if err != nil {
		return nil, err
	}
	var all []sample
	if err := json.Unmarshal([]byte(line), &all); err != nil || len(all) != runs {
		return nil, fmt.Errorf("the page measured %q", line)
	}
	return all, nil
}

// output runs a program and returns its output; an error has the program's last line on standard
// error.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = errors.New(lines[len(lines)-1])
	}
	return strings.TrimSpace(string(out)), err
}
