// Package python_test runs the tests of the Python module.
package python_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPython runs the module's own tests. They are left out without Python, unless CI is in
// the environment.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 is not installed, and must be where CI is set")
		}
		t.Skip("python3 is not installed; the tests of the Python module are left out")
	}
	out, err := exec.Command(python, "-m", "unittest", "discover", "-s", "tests").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nOK") {
		t.Errorf("%v: %s", err, out)
	}
}
