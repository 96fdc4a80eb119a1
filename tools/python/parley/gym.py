"""Parley as an environment of Gymnasium's interface, for rigid jobs.

    env = JobEnv("KTH-SP2.swf")
    observation, info = env.reset(seed=1)
    while True:
        action = choose(observation, info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break

Each episode is one run of `parley run` whose scheduler is this environment. Observation: the first
`slots` jobs of the queue, a row each with wait, run time (both as x / (x + 1 hour)), processors and
free processors (both as shares of the machine). Action k starts the k-th of them; action `slots`
lets time go on until something happens. Reward: minus the hours that jobs waited since the step
before, so that an episode's sum is minus the waiting time of all jobs. `info["action_mask"]` has a
1 for each action that is possible. An episode is truncated after `most_steps` steps.

`env.ahead()` is a second environment at the same moment of the same episode, for look-ahead: it plays
the actions of the episode again, for a run that asks a process takes no snapshots.

With gymnasium installed the spaces are its own and the class is a gymnasium.Env; without it they
are those below, which have what the interface needs.
"""

from __future__ import annotations

import math
import os
import random
import shlex
import socket
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import json


class Box:
    """Lists of numbers of one shape within bounds."""

    def __init__(self, low: float, high: float, shape: Tuple[int, ...]) -> None:
        self.low, self.high, self.shape = low, high, shape
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        self._random.seed(seed)

    def contains(self, x: Any) -> bool:
        return self._within(x, self.shape)

    def _within(self, x: Any, shape: Tuple[int, ...]) -> bool:
        if not shape:
            return isinstance(x, (int, float)) and math.isfinite(x) and self.low <= x <= self.high
        return hasattr(x, "__len__") and len(x) == shape[0] and all(self._within(one, shape[1:]) for one in x)

    def sample(self, mask: Any = None) -> Any:
        def draw(shape: Tuple[int, ...]) -> Any:
            return [draw(shape[1:]) for _ in range(shape[0])] if shape else self._random.uniform(self.low, self.high)

        return draw(self.shape)


class Discrete:
    """The whole numbers from 0 to n - 1."""

    def __init__(self, n: int) -> None:
        self.n, self.start, self.shape = n, 0, ()
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        self._random.seed(seed)

    def contains(self, x: Any) -> bool:
        return isinstance(x, int) and 0 <= x < self.n

    def sample(self, mask: Optional[Sequence[int]] = None) -> int:
        """Draws a number, of those with a 1 in the mask; 0 if there are none."""
        allowed = [i for i in range(self.n) if mask is None or mask[i]]
        return self._random.choice(allowed) if allowed else 0


try:
    import gymnasium  # type: ignore
    import numpy  # type: ignore

    _Base: Any = gymnasium.Env

    def _box(shape: Tuple[int, ...]) -> Any:
        return gymnasium.spaces.Box(0.0, 1.0, shape, numpy.float32)

    def _discrete(n: int) -> Any:
        return gymnasium.spaces.Discrete(n)

    def _array(rows: List[List[float]]) -> Any:
        return numpy.array(rows, dtype=numpy.float32)

    def _mask(flags: List[int]) -> Any:
        return numpy.array(flags, dtype=numpy.int8)

except ImportError:

    class _Base:  # type: ignore
        """What Gymnasium's Env does beside the methods of the environment."""

        metadata: Dict[str, Any] = {"render_modes": []}
        render_mode: Optional[str] = None

        def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any: ...
        def close(self) -> None: ...

    def _box(shape: Tuple[int, ...]) -> Any:
        return Box(0.0, 1.0, shape)

    def _discrete(n: int) -> Any:
        return Discrete(n)

    def _array(rows: List[List[float]]) -> Any:
        return rows

    def _mask(flags: List[int]) -> Any:
        return flags


class JobEnv(_Base):
    """A queue of rigid jobs before a machine. scenario, trace and set are as for parley.run();
    reset(options={"set": {…}}) changes further fields of one episode."""

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: str,
        *,
        trace: Sequence[str] = (),
        set: Optional[Dict[str, Any]] = None,
        slots: int = 16,
        most_steps: int = 1_000_000,
        program: Optional[str] = None,
        render_mode: Optional[str] = None,
    ) -> None:
        self.scenario, self.trace, self.set = scenario, list(trace), dict(set or {})
        self.slots, self.most_steps, self.render_mode = slots, most_steps, render_mode
        self.program = program or os.environ.get("PARLEY", "parley")
        self.observation_space = _box((slots, 4))
        self.action_space = _discrete(slots + 1)
        self._run: Optional[subprocess.Popen] = None
        self._lines: Any = None
        self._folder: Optional[tempfile.TemporaryDirectory] = None

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        self._began: Tuple[Optional[int], Optional[Dict[str, Any]]] = (seed, options)
        self._actions: List[int] = []
        from .policy import Policy

        self._policy = Policy()
        self._policy.name = "environment"
        self._folder = tempfile.TemporaryDirectory()
        path = os.path.join(self._folder.name, "socket")
        door = socket.socket(socket.AF_UNIX)
        door.bind(path)
        door.listen(1)
        door.settimeout(0.2)
        bridge = " ".join(shlex.quote(word) for word in (sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "bridge.py"), path))
        args = [self.program, "run", self.scenario, "--json", "--scheduler", bridge, "--scheduler-patience", "24h"]
        for file in self.trace:
            args += ["--trace", file]
        for name, value in {**self.set, **((options or {}).get("set") or {})}.items():
            args += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
        if seed is not None:
            args += ["--seed", str(seed)]
        self._errors = tempfile.TemporaryFile()
        self._output = tempfile.TemporaryFile()
        self._run = subprocess.Popen(args, stdout=self._output, stderr=self._errors)
        while True:
            try:
                connection, _ = door.accept()
                break
            except socket.timeout:
                if self._run.poll() is not None:
                    raise RuntimeError(self._why()) from None
        door.close()
        connection.settimeout(None)
        self._lines = connection.makefile("rw", encoding="utf-8", newline="\n")
        connection.close()
        self._steps, self._over, self._waited, self._before = 0, False, 0.0, 0.0
        self._send(self._policy._begin(json.loads(self._lines.readline())))
        self._receive()
        self._go_on()
        return self._observe(), self._info()

    def step(self, action: int) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        if self._run is None:
            raise RuntimeError("reset() comes before step()")
        action = int(action)
        if not self.action_space.contains(action) or not self._mask_now()[action]:
            raise ValueError(f"action {action} is not possible now: choose one with a 1 in info['action_mask']")
        self._steps += 1
        self._actions.append(action)
        if action < self.slots:
            self._policy.start_job(list(self._policy.queue.values())[action])
        else:
            self._pass()
        self._go_on()
        reward, self._waited = -self._waited / 3600, 0.0
        return self._observe(), reward, self._over, not self._over and self._steps >= self.most_steps, self._info()

    def ahead(self) -> "JobEnv":
        """An environment of its own that stands where this one does; close it after use. What is done
        in it changes nothing here. It costs as much as the episode so far."""
        if self._run is None:
            raise RuntimeError("reset() comes before ahead()")
        of: Dict[str, Any] = {"trace": self.trace, "set": self.set, "slots": self.slots, "most_steps": self.most_steps}
        other = JobEnv(self.scenario, program=self.program, render_mode=self.render_mode, **of)
        seed, options = self._began
        other.reset(seed=seed, options=options)
        for action in self._actions:
            other.step(action)
        return other

    def close(self) -> None:
        if self._lines is not None:
            try:
                self._lines.close()
            except OSError:
                pass
        if self._run is not None:
            if self._run.poll() is None:
                self._run.terminate()
            self._run.wait()
            self._errors.close()
            self._output.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._run = self._lines = self._folder = None

    def report(self) -> Dict[str, Any]:
        """The report of the run, once an episode is terminated."""
        if self._run is None or self._run.wait() != 0:
            raise RuntimeError(self._why())
        self._output.seek(0)
        report: Dict[str, Any] = json.loads(self._output.read())
        return report

    # What follows is about one run.
    def _why(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "parley ended without a word"

    def _send(self, message: Dict[str, Any]) -> None:
        self._lines.write(json.dumps(message, separators=(",", ":")) + "\n")
        self._lines.flush()

    def _receive(self) -> None:
        """Reads the next moment: the policy keeps its facts, and its answer waits for actions."""
        line = self._lines.readline()
        if not line:
            self._over = True
            return
        waiting = len(self._policy.queue)
        message = json.loads(line)
        now = message["at"] / 1e6
        self._waited += waiting * (now - self._before)
        self._before = now
        self._policy._moment(message)

    def _pass(self) -> None:
        self._send({"acts": self._policy._acts})
        self._receive()

    def _go_on(self) -> None:
        """Lets time go on while no job can be started."""
        while not self._over and not any(self._mask_now()[: self.slots]):
            self._pass()

    def _mask_now(self) -> List[int]:
        flags = [0] * (self.slots + 1)
        if not self._over:
            free = sum(node.free_processors for node in self._policy.nodes.values())
            for i, job in zip(range(self.slots), self._policy.queue.values()):
                flags[i] = int(job.processors <= free)
            flags[self.slots] = 1
        return flags

    def _observe(self) -> Any:
        policy = self._policy
        total = max(1, sum(node.processors for node in policy.nodes.values()))
        free = sum(node.free_processors for node in policy.nodes.values()) / total
        rows = [[0.0, 0.0, 0.0, free] for _ in range(self.slots)]
        for row, job in zip(rows, policy.queue.values()):
            wait = policy.now - job.submitted
            row[:3] = [wait / (wait + 3600), job.estimate / (job.estimate + 3600), min(1.0, job.processors / total)]
        return _array(rows)

    def _info(self) -> Dict[str, Any]:
        return {"action_mask": _mask(self._mask_now()), "now": self._policy.now, "waiting": len(self._policy.queue)}
