//go:build cluster

package main_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slurm is a real Slurm cluster on this machine: munged, slurmctld and a slurmd a virtual
// node, all in a folder of the test and on free ports.
type slurm struct {
	t     *testing.T
	dir   string
	env   []string
	nodes map[string]*exec.Cmd
}

func startSlurm(t *testing.T, nodes ...string) *slurm {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("Slurm's daemons of this test run as root: call it as root")
	}
	dir, err := os.MkdirTemp("", "parley-slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &slurm{t: t, dir: dir, nodes: map[string]*exec.Cmd{}}
	s.env = append(os.Environ(), "SLURM_CONF="+s.path("slurm.conf"))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	var conf strings.Builder
	fmt.Fprintf(&conf, `ClusterName=test
SlurmctldHost=%s(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%s,cred_expire=1
StateSaveLocation=%s
SlurmdSpoolDir=%s
SlurmctldPidFile=%s
SlurmdPidFile=%s
SlurmctldPort=%d
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,bf_interval=1
ReturnToService=2
SlurmdTimeout=3
SlurmctldTimeout=30
KillWait=2
InactiveLimit=0
MinJobAge=10
`, host, s.path("munge.socket"), s.path("state"), s.path("spool.%n"), s.path("ctld.pid"), s.path("d.%n.pid"), freePort(t))
	for _, name := range nodes {
		fmt.Fprintf(&conf, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 RealMemory=500\n", name, host, freePort(t))
		s.mkdir("spool." + name)
	}
	fmt.Fprintf(&conf, "PartitionName=all Nodes=%s Default=YES MaxTime=INFINITE State=UP\n", strings.Join(nodes, ","))
	write(t, s.path("slurm.conf"), conf.String())
	write(t, s.path("cgroup.conf"), "CgroupAutomount=no\n")
	s.mkdir("state")
	key := s.path("munge.key")
	if err := os.WriteFile(key, bytes.Repeat([]byte("parley's test "), 80), 0o400); err != nil {
		t.Fatal(err)
	}
	s.daemon("munged", "--foreground", "--force", "--key-file="+key, "--socket="+s.path("munge.socket"), "--pid-file="+s.path("munge.pid"), "--seed-file="+s.path("munge.seed"), "--log-file="+s.path("munge.log"))
	s.until("munged listens", func() bool { _, err := os.Stat(s.path("munge.socket")); return err == nil })
	s.daemon("slurmctld", "-D", "-c", "-L", s.path("ctld.log"))
	for _, name := range nodes {
		s.nodes[name] = s.daemon("slurmd", "-D", "-N", name, "-L", s.path("d."+name+".log"))
	}
	s.until("all nodes are idle", func() bool {
		out, _ := s.call("sinfo", "-h", "-t", "idle", "-o", "%D")
		return strings.TrimSpace(out) == strconv.Itoa(len(nodes))
	})
	return s
}

func (s *slurm) path(name string) string { return filepath.Join(s.dir, name) }

func (s *slurm) mkdir(name string) {
	if err := os.Mkdir(s.path(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// daemon starts a program and ends it, and only it, with the test.
func (s *slurm) daemon(name string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
		}
	})
	return cmd
}

func (s *slurm) call(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// until waits for something that becomes true by itself.
func (s *slurm) until(what string, true func() bool) {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); !true(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(s.path("ctld.log"))
			s.t.Fatalf("waited in vain: %s\n%s", what, log[max(0, len(log)-3000):])
		}
	}
}

// running returns the index that runs on each node.
func (s *slurm) running() map[string]string {
	out, _ := s.call("squeue", "-h", "-r", "-t", "running", "-o", "%N %i")
	on := map[string]string{}
	for line := range strings.Lines(out) {
		if node, index, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			on[node] = index
		}
	}
	return on
}

// hurry lets indices that were requeued begin now: Slurm waits two minutes with them.
func (s *slurm) hurry() {
	out, _ := s.call("squeue", "-h", "-r", "-t", "pending", "-o", "%i %r")
	for line := range strings.Lines(out) {
		if index, late := strings.CutSuffix(strings.TrimSpace(line), " BeginTime"); late {
			_, _ = s.call("scontrol", "update", "JobId="+index, "StartTime=now")
		}
	}
}

// kill takes a node away as a power cut does: its daemon, the steps it started, and what
// they run.
func (s *slurm) kill(node string) {
	s.t.Helper()
	for _, pid := range append(descendants(s.nodes[node].Process.Pid), steps(node)...) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err := s.nodes[node].Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
}

// steps returns the processes of a virtual node's steps, which leave their daemon.
func steps(node string) (list []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		if env, err := os.ReadFile(name); err == nil && bytes.Contains(env, []byte("SLURMD_NODENAME="+node+"\x00")) && bytes.Contains(env, []byte("parley-sweep")) {
			list = append(list, pid)
			list = append(list, parentStep(pid)...)
		}
	}
	return list
}

// parentStep returns the slurmstepd above a process.
func parentStep(pid int) []int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(rest))
	parent, _ := strconv.Atoi(fields[1])
	if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent)); strings.HasPrefix(string(name), "slurmstepd") {
		return []int{parent}
	}
	return nil
}

func descendants(pid int) (list []int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	for _, word := range strings.Fields(string(out)) {
		child, _ := strconv.Atoi(word)
		list = append(append(list, descendants(child)...), child)
	}
	return list
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A sweep on a real Slurm cluster of which a node dies and an index is requeued on the
// way gives the table of one go on this machine, to the bit.
func TestSlurm(t *testing.T) {
	s := startSlurm(t, "n1", "n2", "n3")
	doc := strings.NewReplacer(`"nodes":60`, `"nodes":100`, `"20m"`, `"30m"`, `"to":10`, `"to":125`).Replace(loads) // 1,000 runs
	write(t, s.path("loads.json"), doc)
	want, err := program(t, s.dir, "sweep", "loads.json", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, s.dir, "sweep", "loads.json", "--slurm", "--out", "shared", "--shards", "8", "--json")
	cmd.Env = append(cmd.Env, s.env[len(s.env)-1])
	var got, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &got, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	parts := func(pattern string) []string {
		list, _ := filepath.Glob(s.path("shared/parts/" + pattern))
		return list
	}
	begun := func(index string) bool { // it has a result, and is not done
		_, shard, _ := strings.Cut(index, "_")
		list := parts("shard-" + shard + "-of-8.*.part")
		return len(list) > 0 && len(lines(t, list[0])) > 1
	}
	var requeued, lost string
	s.until("two nodes are amid a share", func() bool {
		on := s.running()
		requeued, lost = on["n1"], on["n2"]
		return requeued != "" && lost != "" && begun(requeued) && begun(lost)
	})
	s.kill("n2")
	if out, err := s.call("scontrol", "requeue", requeued); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-time.After(200 * time.Millisecond):
			s.hurry()
		}
	}
	if err != nil {
		log, _ := exec.Command("sh", "-c", "tail -n 20 "+s.path("shared/logs/*")).CombinedOutput()
		t.Fatalf("%v: %s\n%s", err, &said, log)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the table is\n%s\nnot\n%s", &got, want)
	}
	if len(parts("*.jsonl")) != 8 || len(parts("*.part")) < 2 {
		t.Errorf("8 shares are done and two were cut off, but there are %v", parts("*"))
	}
	down, _ := s.call("sinfo", "-h", "-N", "-n", "n2", "-o", "%T")
	if !strings.HasPrefix(down, "down") {
		t.Errorf("n2 is %s", down)
	}
	// All is there: the same command submits nothing.
	again := program(t, s.dir, "sweep", "loads.json", "--slurm", "--out", "shared", "--json")
	again.Env = append(again.Env, s.env[len(s.env)-1])
	if out, err := again.Output(); err != nil || !bytes.Equal(out, want) {
		t.Errorf("again: %v\n%s", err, out)
	}
}
