// Package install_test runs the install scripts on a PATH of stand-ins, so that
// nothing is installed and every kind of machine can be had.
package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a PATH that holds the stand-ins and what the scripts may rely on.
type machine struct {
	t   *testing.T
	dir string
}

func newMachine(t *testing.T) machine {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here to run the scripts with")
	}
	m := machine{t, t.TempDir()}
	m.program("env", `while [ "${1#*=}" != "$1" ]; do export "$1"; shift; done; exec "$@"`)
	return m
}

// debian adds a package database that knows chromium and an apt-get that notes
// its arguments and ends with the given status.
func (m machine) debian(aptStatus string) {
	m.program("dpkg-query", `
case "$3" in
chromium) echo "install ok installed" ;;
xauth) echo "deinstall ok config-files" ;;
*) echo "no packages found" >&2; exit 1 ;;
esac`)
	m.program("apt-get", `
echo "apt-get [$DEBIAN_FRONTEND] $*" >>"`+m.dir+`/log"
case "$*" in *install*) exit `+aptStatus+` ;; esac`)
}

func (m machine) user(id string) { m.program("id", "echo "+id) }

func (m machine) program(name, script string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// run returns what the script said on both outputs, what apt-get was asked for,
// and the exit status.
func (m machine) run(script string, args ...string) (stated, apt string, status int) {
	m.t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command(sh, append([]string{script}, args...)...)
	cmd.Env = []string{"PATH=" + m.dir}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(m.dir, "log"))
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	return string(out), string(log), cmd.ProcessState.ExitCode()
}

func TestNothingMissingCallsNothing(t *testing.T) {
	m := newMachine(t)
	m.debian("0")
	m.user("0")
	stated, apt, status := m.run("debian.sh", "chromium")
	if stated != "" || apt != "" || status != 0 {
		t.Errorf("said %q, asked apt-get %q, status %d; want silence and 0", stated, apt, status)
	}
}

func TestInstallsOnlyWhatIsMissing(t *testing.T) {
	for _, c := range []struct{ name, id string }{{"as root", "0"}, {"with sudo", "1000"}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.debian("0")
			m.user(c.id)
			m.program("sudo", `[ "$1" = -n ] || exit 1; shift; [ "$1" = true ] || exec "$@"`)
			m.program("true", "")
			_, apt, status := m.run("debian.sh", "chromium", "xvfb", "xauth")
			calls := strings.Split(strings.TrimSpace(apt), "\n")
			if status != 0 || len(calls) != 2 {
				t.Fatalf("status %d, calls %q; want an update and an install", status, calls)
			}
			for _, call := range calls {
				if !strings.HasPrefix(call, "apt-get [noninteractive] -y ") {
					t.Errorf("%q may ask a question", call)
				}
			}
			if !strings.HasSuffix(calls[1], " install --no-install-recommends xvfb xauth") {
				t.Errorf("install call is %q; want xvfb and the removed xauth, not chromium", calls[1])
			}
		})
	}
}

func TestGoesOnWithASentence(t *testing.T) {
	cases := []struct {
		name  string
		setup func(machine)
		want  string
	}{
		{"another system", func(m machine) { m.user("0") }, "this is no Debian system"},
		{"neither root nor sudo", func(m machine) { m.debian("0"); m.user("1000") }, "needs root or sudo"},
		{"sudo with a password", func(m machine) {
			m.debian("0")
			m.user("1000")
			m.program("sudo", "exit 1")
		}, `run "sudo apt-get install xvfb"`},
		{"apt-get fails", func(m machine) { m.debian("100"); m.user("0") }, "could not install xvfb"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.setup(m)
			stated, _, status := m.run("debian.sh", "chromium", "xvfb")
			if status != 0 {
				t.Errorf("status %d; want 0, the checks go on", status)
			}
			if !strings.Contains(stated, c.want) || !strings.Contains(stated, "xvfb will say that they are skipped") {
				t.Errorf("said %q; want %q and which checks are skipped", stated, c.want)
			}
		})
	}
}

func TestProgramsNamesTheFirstMissing(t *testing.T) {
	m := newMachine(t)
	m.program("go", "")
	if stated, _, status := m.run("programs.sh", "go"); stated != "" || status != 0 {
		t.Errorf("with go present: said %q, status %d; want silence and 0", stated, status)
	}
	stated, _, status := m.run("programs.sh", "go", "npm")
	if status != 1 || !strings.Contains(stated, `"npm" is not on the PATH`) {
		t.Errorf("without npm: said %q, status %d; want its name and 1", stated, status)
	}
}
