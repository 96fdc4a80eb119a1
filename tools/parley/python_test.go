//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// python returns a shell in which parley is a command and Python finds the module.
func python(t *testing.T) (run func(string) (string, string, int), dir string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 is not installed, and must be where CI is set")
		}
		t.Skip("python3 is not installed; schedulers in Python are not tried")
	}
	module, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	sh := shell(t, dir)
	return func(script string) (string, string, int) {
		return sh("export " + onTime + "=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + module + " EXAMPLES=" + module + "/examples\n" + script)
	}, dir
}

// TestPythonBestFit: best fit in Python places every task where best fit in Go does.
func TestPythonBestFit(t *testing.T) {
	sh, dir := python(t)
	const cell = "google-calm --until 20m --set cluster.nodes=60 --set workload.scale=0.5 --events-only task_placed "
	digests := map[string]string{}
	for name, how := range map[string]string{
		"py": `--scheduler "python3 $EXAMPLES/best_fit.py"`,
		"go": "--system central --set settings.policy=best-fit --set settings.admission=request --set settings.fill=0 --set settings.production_limit=0 --set settings.preempt=false",
	} {
		out, complaints, code := sh("parley run " + cell + how + " --events " + name + ".jsonl")
		if code != 0 {
			t.Fatalf("%s: %s", name, complaints)
		}
		digests[name] = digestOf(t, out)
	}
	a, b := readIn(t, dir, "py.jsonl"), readIn(t, dir, "go.jsonl")
	if a != b || digests["py"] != digests["go"] || strings.Count(a, "\n") < 300 {
		t.Errorf("%d placements in Python, %d in Go, digests %v", strings.Count(a, "\n"), strings.Count(b, "\n"), digests)
	}
}

func readIn(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPythonModule: run, jobs, a sweep and the environment of the module, against the
// program. The log is of 40 jobs, so that an episode is short.
func TestPythonModule(t *testing.T) {
	sh, dir := python(t)
	log := "; MaxProcs: 8\n"
	for i := range 40 {
		log += strings.Join([]string{strconv.Itoa(i + 1), strconv.Itoa(60 * i), "-1", strconv.Itoa(100 + 37*i%400), strconv.Itoa(1 + i%8), "-1", "-1", strconv.Itoa(1 + i%8), "600", "-1", "1", strconv.Itoa(i % 3), "1", "1", "1", "-1", "-1", "-1"}, " ") + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "log.swf"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `
import os, parley
from parley import gym
examples = os.environ["EXAMPLES"]
easy = parley.run("log.swf", scheduler="python3 " + examples + "/easy.py", out="mine")
ours = parley.run("log.swf", set={"settings.policy": "easy", "system": "central"}, out="ours")
starts = [[row["start_s"] for row in parley.jobs(name)] for name in ("mine", "ours")]
assert len(starts[0]) == 40 and starts[0] == starts[1], starts
try:
    parley.run("log.swf", set={"settings.policy": "no-such"})
except parley.Failed as failed:
    assert "no-such" in str(failed), failed
else:
    raise SystemExit("a wrong setting was taken")

def episode(seed):
    env = gym.JobEnv("log.swf", slots=8)
    seen, total = [], 0.0
    observation, info = env.reset(seed=seed, options={})
    while True:
        assert env.observation_space.contains(observation), observation
        env.action_space.seed(len(seen))
        mask = info["action_mask"]
        assert any(mask) and len(mask) == 9
        action = next(i for i in range(9) if mask[i])
        observation, reward, terminated, truncated, info = env.step(action)
        assert isinstance(reward, float) and reward <= 0 and not truncated
        seen.append((action, [list(map(float, row)) for row in observation]))
        total += reward
        if terminated:
            break
    report = env.report()
    env.close(); env.close()
    return seen, total, report

first, total, report = episode(3)
again, total2, _ = episode(3)
assert first == again and total == total2
waits = report["jobs"]["wait_s"]["mean"] * 40 / 3600
assert abs(waits + total) < 1e-6 * max(1, waits), (waits, total)

# What is done ahead is what comes, and changes nothing here.
env = gym.JobEnv("log.swf", slots=8)
_, info = env.reset(seed=3)
act = lambda info: next(i for i in range(9) if info["action_mask"][i])
for _ in range(10):
    _, _, _, _, info = env.step(act(info))
with_ahead = env.ahead()
there, now = [], info
for _ in range(6):
    there.append(with_ahead.step(act(now)))
    now = there[-1][4]
with_ahead.close()
here, now = [], info
for _ in range(6):
    here.append(env.step(act(now)))
    now = here[-1][4]
assert [repr(one) for one in here] == [repr(one) for one in there], (here, there)
env.close()
try:
    env.ahead()
except RuntimeError as error:
    assert "reset()" in str(error)
else:
    raise SystemExit("there is something ahead of an environment that is closed")
print("fine")
`
	if err := os.WriteFile(filepath.Join(dir, "try.py"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, complaints, code := sh("python3 try.py"); code != 0 || !strings.Contains(out, "fine") {
		t.Errorf("%s%s", out, complaints)
	}
}
