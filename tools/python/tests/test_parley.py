"""Tests of the module without Parley: python3 -m unittest discover -s tools/python/tests."""

import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

import parley  # noqa: E402
from parley import gym  # noqa: E402

HELLO = {
    "parley": 1, "engine": "0", "seed": 7, "at": 0, "options": "k=2", "resources": ["cpu", "memory"],
    "nodes": [{"node": n, "machine": n, "rack": 0, "capacity": [100, 100], "processors": 4} for n in range(2)],
}


def task(number, cpu=60, e="task_submitted", **more):
    return {"e": e, "task": number, "name": f"{number}-0", "request": [cpu, 10], "priority": 0, "production": False, "user": 1, **more}


class Script:
    """Plays lines to a policy, a moment at a time."""

    def __init__(self, policy):
        self.policy = policy
        self.welcome = policy._begin(json.loads(json.dumps(HELLO)))
        self.at = 0

    def __call__(self, *facts, verdicts=()):
        self.at += 1_000_000
        return self.policy._moment({"at": self.at, "facts": list(facts), "verdicts": list(verdicts)})


class FirstFit(parley.Policy):
    def __init__(self):
        super().__init__()
        self.said = []

    def decide(self):
        for one in list(self.waiting.values()):
            for node in self.nodes.values():
                if self.fits(one, node):
                    self.place(one, node)
                    break

    def refused(self, act, verdict):
        self.said.append((act["do"], verdict))


class State(unittest.TestCase):
    def test_places_and_takes_back(self):
        policy = FirstFit()
        script = Script(policy)
        self.assertEqual(script.welcome, {"parley": 1, "name": "policy"})
        self.assertEqual(policy.options, "k=2")
        answer = script(task(1), task(2))
        self.assertEqual([(a["task"], a["node"]) for a in answer["acts"]], [(1, 0), (2, 1)])
        self.assertEqual(script(task(3), verdicts=["ok", "full"])["acts"], [{"do": "place", "task": 2, "node": 1, "by": "request"}])
        self.assertEqual(policy.said, [("place", "full")])
        self.assertEqual(policy.nodes[1].requested, [60, 10])
        self.assertEqual(list(policy.waiting), [3])
        answer = script({"e": "task_ended", "task": 1, "node": 0, "how": "finished"}, verdicts=["ok"])
        self.assertEqual(answer["acts"], [{"do": "place", "task": 3, "node": 0, "by": "request"}])
        script({"e": "task_displaced", "task": 3, "node": 0}, {"e": "node_down", "node": 0}, verdicts=["ok"])
        self.assertEqual((list(policy.waiting), list(policy.nodes)), ([3], [1]))
        script({"e": "node_up", "is": HELLO["nodes"][0]})
        self.assertEqual(policy.nodes[0].requested, [60, 10])

    def test_migrations(self):
        policy = parley.Policy()
        script = Script(policy)
        script(task(1))
        policy.decide = lambda: policy.place(policy.tasks[1], policy.nodes[0])
        script()
        policy.decide = lambda: policy.migrate(policy.tasks[1], policy.nodes[1])
        script(verdicts=["ok"])
        self.assertEqual([policy.nodes[n].requested[0] for n in (0, 1)], [60, 60])
        policy.decide = lambda: None
        script({"e": "migration_ended", "task": 1, "node": 0, "to": 1}, verdicts=["ok"])
        self.assertEqual([policy.nodes[n].requested[0] for n in (0, 1)], [0, 60])
        policy.decide = lambda: policy.preempt(policy.tasks[1])
        script()
        self.assertEqual((list(policy.waiting), policy.nodes[1].requested[0]), ([1], 0))
        policy.decide = lambda: None
        script(verdicts=["state"])
        self.assertEqual((list(policy.waiting), policy.nodes[1].requested[0]), ([], 60))

    def test_jobs(self):
        policy = parley.Policy()
        script = Script(policy)
        job = {"e": "job_submitted", "job": 1, "name": "1", "processors": 6, "estimate_us": 5_000_000, "user": 1, "queue": -1}
        policy.decide = lambda: [policy.start_job(one) for one in list(policy.queue.values())]
        self.assertEqual(script(job)["acts"], [{"do": "start", "job": 1}])
        self.assertEqual([node.free_processors for node in policy.nodes.values()], [0, 2])
        script({"e": "job_ended", "job": 1, "how": "finished"}, verdicts=["ok"])
        self.assertEqual([node.free_processors for node in policy.nodes.values()], [4, 4])

    def test_wakes(self):
        policy = parley.Policy()
        policy.decide = lambda: (policy.wake(2), policy.wake(1))
        self.assertEqual(Script(policy)()["wake_at"], 2_000_000)

    def test_constraints(self):
        policy = FirstFit()
        script = Script(policy)
        script({"e": "node_changed", "is": {**HELLO["nodes"][1], "attributes": [[0, 5]]}})
        self.assertEqual(script(task(1, constraints=[[0, 3, 4]]))["acts"][0]["node"], 1)

    def test_takes(self):
        policy = FirstFit()
        script = Script(policy)
        script({"e": "node_changed", "is": {**HELLO["nodes"][1], "attributes": [[0, 5]]}})
        three = {"cpu": 10, "constraints": [[0, 4, 3]]}
        self.assertEqual(script(task(1, **three))["acts"][0]["node"], 1)
        self.assertEqual(script(task(2, **three), verdicts=["ok"])["acts"], [])
        self.assertEqual(script({"e": "task_ended", "task": 1, "node": 1, "how": "finished"})["acts"][0]["task"], 2)

    def test_serve(self):
        lines = io.StringIO(json.dumps(HELLO) + "\n" + '{"at":5,"facts":[],"verdicts":[]}\n')
        out = io.StringIO()
        parley.serve(FirstFit(), lines, out)
        self.assertEqual(out.getvalue(), '{"parley":1,"name":"policy"}\n{"acts":[]}\n')
        with self.assertRaises(SystemExit):
            parley.serve(FirstFit(), io.StringIO('{"parley":2}\n'), io.StringIO())


class Results(unittest.TestCase):
    def test_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "jobs.csv"), "w") as file:
                file.write("id,wait_s,state\n1,2.5,completed\n2,,waiting\n")
            rows = parley.jobs(folder)
            self.assertEqual(list(rows), [{"id": 1, "wait_s": 2.5, "state": "completed"}, {"id": 2, "wait_s": None, "state": "waiting"}])
            try:
                import pandas  # noqa: F401
            except ImportError:
                with self.assertRaisesRegex(parley.Failed, "needs pandas"):
                    rows.frame()
            else:
                self.assertEqual(list(rows.frame()["id"]), [1, 2])
            name = os.path.join(folder, "events.jsonl")
            with open(name, "w") as file:
                file.write('{"t":0,"e":"node_up"}\n')
            self.assertEqual(list(parley.events(name)), [{"t": 0, "e": "node_up"}])

    def test_no_program(self):
        with self.assertRaisesRegex(parley.Failed, "there is no program"):
            parley.run("google-calm", program="/nowhere/parley")


class Install(unittest.TestCase):
    def test_wheel_without_network(self):
        with tempfile.TemporaryDirectory() as folder:
            name = subprocess.run([sys.executable, "-c", f"import backend; print(backend.build_wheel({folder!r}))"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout.strip()
            found = subprocess.run([sys.executable, "-c", "import parley, parley.gym; print(parley.__file__)"], env={**os.environ, "PYTHONPATH": os.path.join(folder, name)}, cwd=folder, capture_output=True, check=True, encoding="utf-8").stdout
            self.assertIn(".whl", found)


class Spaces(unittest.TestCase):
    def test_own_spaces(self):
        box, discrete = gym.Box(0.0, 1.0, (2, 3)), gym.Discrete(4)
        self.assertTrue(box.contains([[0.0, 0.5, 1.0]] * 2))
        for wrong in ([[0.0, 0.5, 1.1]] * 2, [[0.0, 0.5]] * 2, [[0.0, 0.5, float("nan")]] * 2, 5):
            self.assertFalse(box.contains(wrong))
        discrete.seed(1)
        self.assertEqual({discrete.sample([0, 1, 0, 1]) for _ in range(50)}, {1, 3})
        self.assertEqual(discrete.sample([0, 0, 0, 0]), 0)


if __name__ == "__main__":
    unittest.main()
