"""The protocol of docs/protocol.md: a policy keeps what it was sent and says what is done."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass, field
from typing import Any, Dict, IO, List, Optional, Sequence, Tuple

VERSION = 1


@dataclass
class Node:
    """A node that is up."""

    number: int
    machine: int
    rack: int
    capacity: List[int]  # of each resource, in millionths of the reference machine
    processors: int = 0  # for rigid jobs
    attributes: Dict[int, int] = field(default_factory=dict)
    requested: List[int] = field(default_factory=list)  # by the tasks that are placed on it
    held: Dict[int, int] = field(default_factory=dict)  # of attributes, by the tasks whose constraints take from them
    used: List[int] = field(default_factory=list)  # as Parley said last; only if the policy wants it
    busy: int = 0  # processors that jobs hold
    tasks: Dict[int, "Task"] = field(default_factory=dict)

    @property
    def free(self) -> List[int]:
        """What is not requested of each resource."""
        return [has - wants for has, wants in zip(self.capacity, self.requested)]

    @property
    def free_processors(self) -> int:
        """Processors that no job holds."""
        return self.processors - self.busy


@dataclass
class Task:
    """A task that has not ended."""

    number: int
    name: str
    request: List[int]  # of each resource, in millionths of the reference machine
    priority: int
    production: bool
    user: int
    constraints: List[Tuple[int, int, int]]  # attribute, operator, value
    submitted: float  # seconds
    node: Optional[int] = None  # None while it waits
    target: Optional[int] = None  # of a migration under way


@dataclass
class Job:
    """A rigid job that has not ended."""

    number: int
    name: str
    processors: int
    estimate: float  # seconds
    user: int
    queue: int
    submitted: float  # seconds
    started: Optional[float] = None
    parts: List[Tuple[int, int]] = field(default_factory=list)  # nodes and processors, while it runs


class Policy:
    """A scheduler. Override what you mind; decide() is called once a line, after its facts.

    What you act on is taken as done until the next line. If Parley refuses an act, its effect
    is taken back before the next facts, and refused() is called.
    """

    name = "policy"
    wants: Sequence[str] = ()  # ("used",) sends what is used of each node every minute

    def __init__(self) -> None:
        self.now = 0.0  # seconds
        self.options = ""
        self.resources: List[str] = []
        self.random = random.Random(0)  # seeded by the run
        self.nodes: Dict[int, Node] = {}
        self.tasks: Dict[int, Task] = {}
        self.waiting: Dict[int, Task] = {}  # in the order in which they began to wait
        self.jobs: Dict[int, Job] = {}
        self.queue: Dict[int, Job] = {}  # jobs that wait, likewise
        self._at = 0
        self._acts: List[Dict[str, Any]] = []
        self._undo: List[Any] = []
        self._wake: Optional[int] = None

    # What a policy may override.
    def start(self) -> None:
        """The nodes are there."""

    def decide(self) -> None:
        """All facts of a moment are known, or the policy is woken."""

    def task_submitted(self, task: Task) -> None: ...
    def task_changed(self, task: Task) -> None: ...
    def task_ended(self, task: Task, how: str) -> None: ...
    def task_displaced(self, task: Task, node: int) -> None: ...
    def task_recorded(self, task: Task, node: int) -> None: ...
    def task_released(self, task: Task, node: int) -> None: ...
    def migration_ended(self, task: Task) -> None: ...
    def migration_broken(self, task: Task) -> None: ...
    def job_submitted(self, job: Job) -> None: ...
    def job_ended(self, job: Job, how: str) -> None: ...
    def job_displaced(self, job: Job) -> None: ...
    def node_up(self, node: Node) -> None: ...
    def node_changed(self, node: Node) -> None: ...
    def node_down(self, node: Node) -> None: ...
    def used(self) -> None: ...

    def refused(self, act: Dict[str, Any], verdict: str) -> None:
        """Parley refused an act of the line before: "full", "down", "gone" …"""

    # What a policy can do.
    def fits(self, task: Task, node: Node) -> bool:
        """Whether a node has room by requests and suits the task's constraints."""
        for wants, requested, has in zip(task.request, node.requested, node.capacity):
            if wants + requested > has:
                return False
        return all(_holds(self._left(node, name) if op == 4 else node.attributes.get(name), op, value) for name, op, value in task.constraints)

    def _left(self, node: Node, name: int) -> Optional[int]:
        """What the tasks of a node leave of an attribute."""
        has = node.attributes.get(name)
        return None if has is None else has - node.held.get(name, 0)

    def place(self, task: Task, node: Node, by: str = "request") -> None:
        """Puts a waiting task onto a node."""
        self._act({"do": "place", "task": task.number, "node": node.number, "by": by}, (self._leave, task))
        self._take(task, node.number)

    def migrate(self, task: Task, node: Node, by: str = "request") -> None:
        """Starts to move a running task; it holds its place on both nodes until then."""
        self._act({"do": "migrate", "task": task.number, "node": node.number, "by": by}, (self._stay, task))
        task.target = node.number
        _load(node, task, 1)

    def preempt(self, task: Task) -> None:
        """Takes a running task off its node; it waits again."""
        self._act({"do": "preempt", "task": task.number}, (self._return, task, task.node))
        self._leave(task)

    def allot(self, task: Task, cpu: int) -> None:
        """Gives a placed task a share of CPU, in millionths of the reference machine."""
        self._act({"do": "allot", "task": task.number, "cpu": cpu}, ())

    def start_job(self, job: Job, parts: Optional[Sequence[Tuple[int, int]]] = None) -> None:
        """Starts a waiting job: on pairs of node and processors, or on the free ones of the lowest nodes."""
        held = list(parts) if parts is not None else self._lowest(job.processors)
        act: Dict[str, Any] = {"do": "start", "job": job.number}
        if parts is not None:
            act["parts"] = [list(part) for part in held]
        self._act(act, (self._requeue, job))
        job.started, job.parts = self.now, held
        self.queue.pop(job.number, None)
        self._hold(job, 1)

    def preempt_job(self, job: Job) -> None:
        """Takes a running job off its processors; it waits again."""
        self._act({"do": "preempt_job", "job": job.number}, (self._rerun, job, job.started, job.parts))
        self._requeue(job)

    def wake(self, seconds: float) -> None:
        """Calls decide() after some seconds at the latest; of several calls the soonest counts."""
        at = self._at + max(1, round(seconds * 1e6))
        self._wake = at if self._wake is None else min(self._wake, at)

    # What keeps the state.
    def _act(self, act: Dict[str, Any], undo: Any) -> None:
        self._acts.append(act)
        self._undo.append(undo)

    def _take(self, task: Task, number: int) -> None:
        task.node = number
        self.waiting.pop(task.number, None)
        node = self.nodes.get(number)
        if node is not None:
            _load(node, task, 1)
            node.tasks[task.number] = task

    def _drop(self, task: Task) -> None:
        for number in (task.node, task.target):
            node = self.nodes.get(-1 if number is None else number)
            if node is not None:
                _load(node, task, -1)
                node.tasks.pop(task.number, None)
        task.node = task.target = None

    def _leave(self, task: Task) -> None:
        self._drop(task)
        if task.number in self.tasks:
            self.waiting[task.number] = task

    def _return(self, task: Task, number: Optional[int]) -> None:
        if number is not None and task.number in self.tasks:
            self._take(task, number)

    def _stay(self, task: Task) -> None:
        node = self.nodes.get(-1 if task.target is None else task.target)
        if node is not None:
            _load(node, task, -1)
        task.target = None

    def _hold(self, job: Job, sign: int) -> None:
        for number, processors in job.parts:
            node = self.nodes.get(number)
            if node is not None:
                node.busy += sign * processors

    def _requeue(self, job: Job) -> None:
        self._hold(job, -1)
        job.started, job.parts = None, []
        if job.number in self.jobs:
            self.queue[job.number] = job

    def _rerun(self, job: Job, started: float, parts: List[Tuple[int, int]]) -> None:
        job.started, job.parts = started, parts
        self.queue.pop(job.number, None)
        self._hold(job, 1)

    def _lowest(self, need: int) -> List[Tuple[int, int]]:
        parts = []
        for number in sorted(self.nodes):
            free = min(need, self.nodes[number].free_processors)
            if free > 0:
                parts.append((number, free))
                need -= free
                if need == 0:
                    break
        return parts

    # The messages.
    def _begin(self, hello: Dict[str, Any]) -> Dict[str, Any]:
        self.options, self.resources = hello["options"], hello["resources"]
        self.random = random.Random(hello["seed"])
        self._at = hello["at"]
        self.now = self._at / 1e6
        for one in hello["nodes"]:
            self._node(one)
        self.start()
        answer: Dict[str, Any] = {"parley": VERSION, "name": self.name}
        if self.wants:
            answer["wants"] = list(self.wants)
        return answer

    def _moment(self, moment: Dict[str, Any]) -> Dict[str, Any]:
        self._at = moment["at"]
        self.now = self._at / 1e6
        acts, undo = self._acts, self._undo
        self._acts, self._undo, self._wake = [], [], None
        refused = []
        for i in range(len(acts) - 1, -1, -1):
            if moment["verdicts"][i] != "ok":
                if undo[i]:
                    undo[i][0](*undo[i][1:])
                refused.append((acts[i], moment["verdicts"][i]))
        for act, verdict in reversed(refused):
            self.refused(act, verdict)
        for fact in moment["facts"]:
            self._learn(fact)
        self.decide()
        answer: Dict[str, Any] = {"acts": self._acts}
        if self._wake is not None:
            answer["wake_at"] = self._wake
        return answer

    def _node(self, one: Dict[str, Any]) -> Node:
        node = Node(one["node"], one["machine"], one["rack"], one["capacity"], one.get("processors", 0), {name: value for name, value in one.get("attributes", [])})
        before = self.nodes.get(node.number)
        node.requested = before.requested if before else [0] * len(self.resources)
        node.used = before.used if before else [0] * len(self.resources)
        if before:
            node.busy, node.tasks, node.held = before.busy, before.tasks, before.held
        self.nodes[node.number] = node
        return node

    def _learn(self, fact: Dict[str, Any]) -> None:
        kind = fact["e"]
        if kind in ("node_up", "node_changed"):
            getattr(self, kind)(self._node(fact["is"]))
        elif kind == "node_down":
            self.node_down(self.nodes.pop(fact["node"]))
        elif kind == "used":
            for number, node in self.nodes.items():
                node.used = fact["used"][number]
            self.used()
        elif "job" in fact:
            self._learn_job(kind, fact)
        else:
            self._learn_task(kind, fact)

    def _learn_task(self, kind: str, fact: Dict[str, Any]) -> None:
        number = fact["task"]
        if kind == "task_submitted":
            task = Task(number, fact["name"], fact["request"], fact["priority"], fact["production"], fact["user"], [tuple(c) for c in fact.get("constraints", [])], self.now)
            self.tasks[number] = self.waiting[number] = task
            self.task_submitted(task)
            return
        task = self.tasks[number]
        if kind == "task_changed":
            for at in (task.node, task.target):
                node = self.nodes.get(-1 if at is None else at)
                if node is not None:
                    _load(node, task, -1)
            task.request, task.priority, task.production = fact["request"], fact["priority"], fact["production"]
            task.constraints = [tuple(c) for c in fact.get("constraints", [])]
            for at in (task.node, task.target):
                node = self.nodes.get(-1 if at is None else at)
                if node is not None:
                    _load(node, task, 1)
            self.task_changed(task)
        elif kind == "task_ended":
            del self.tasks[number]
            self._drop(task)
            self.waiting.pop(number, None)
            self.task_ended(task, fact["how"])
        elif kind == "task_displaced":
            self._leave(task)
            self.task_displaced(task, fact["node"])
        elif kind == "migration_ended":
            target = task.target
            self._drop(task)
            if target is not None:
                self._take(task, fact["to"])
            self.migration_ended(task)
        elif kind == "migration_broken":
            self._stay(task)
            if "node" not in fact:
                self._leave(task)
            self.migration_broken(task)
        else:
            getattr(self, kind)(task, fact["node"])

    def _learn_job(self, kind: str, fact: Dict[str, Any]) -> None:
        number = fact["job"]
        if kind == "job_submitted":
            job = Job(number, fact["name"], fact["processors"], fact["estimate_us"] / 1e6, fact["user"], fact["queue"], self.now)
            self.jobs[number] = self.queue[number] = job
            self.job_submitted(job)
            return
        job = self.jobs[number]
        if kind == "job_ended":
            del self.jobs[number]
            self._hold(job, -1)
            self.queue.pop(number, None)
            self.job_ended(job, fact["how"])
        else:
            self._requeue(job)
            self.job_displaced(job)


def _load(node: Node, task: Task, sign: int) -> None:
    """Adds what a task requests and holds to the sums of a node."""
    for i, amount in enumerate(task.request):
        node.requested[i] += sign * amount
    for name, op, amount in task.constraints:
        if op == 4:
            node.held[name] = node.held.get(name, 0) + sign * amount


def _holds(has: Optional[int], op: int, value: int) -> bool:
    """Whether an attribute satisfies a constraint; 0 equal, 1 not equal, 2 less, 3 greater, 4 takes."""
    if op == 0:
        return has == value or has is None and value == -(1 << 63)
    if op == 1:
        return has != value
    if has is None:
        return False
    if op == 4:
        return has >= value
    return has < value if op == 2 else has > value


def serve(policy: Policy, lines: Optional[IO[str]] = None, answers: Optional[IO[str]] = None) -> None:
    """Lets a policy schedule, by standard input and output, until the run ends.

    Standard output belongs to the protocol, so what the policy prints goes to standard error.
    """
    source = lines if lines is not None else open(sys.stdin.fileno(), encoding="utf-8", newline="\n", closefd=False)
    sink = answers if answers is not None else open(sys.stdout.fileno(), "w", encoding="utf-8", newline="\n", closefd=False)
    if answers is None:
        sys.stdout = sys.stderr
    step = policy._begin
    for line in source:
        message = json.loads(line)
        if step == policy._begin and message.get("parley") != VERSION:
            raise SystemExit(f"Parley speaks version {message.get('parley')} of the protocol, and this module version {VERSION}")
        sink.write(json.dumps(step(message), allow_nan=False, separators=(",", ":")) + "\n")
        sink.flush()
        step = policy._moment
