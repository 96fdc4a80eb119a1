// The planner: what is asked of its worker, and what becomes of the answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromPlanner, ToPlanner } from "../../src/base/messages.ts";
import { planned } from "../../src/model/course.ts";
import { elimination, exampleJobs, jobsOf, MOST_COLUMNS } from "../../src/model/instances.ts";
import { documentOf, emptyPlanner, Planner } from "../../src/place/plan/model/planner.ts";

/** A planner whose worker is kept with what was sent to it. */
function start() {
  const sent: ToPlanner[] = [];
  let tell: (message: FromPlanner) => void = () => {};
  let ended = 0;
  const planner = new Planner(() => ({
    send: (one) => void sent.push(one),
    listen: (listener) => void (tell = listener),
    end: () => void ended++,
  }));
  return { planner, sent, tell: (one: FromPlanner) => tell(one), ended: () => ended };
}

/** The plan of a load that is shown. */
const loadPlan = ({ state: { plan } }: Planner) => (plan?.kind === "load" ? plan.result : undefined);

const result = {
  algorithm: "umr",
  policy: "",
  order: [1, 0],
  rounds: 2,
  chunks: [
    [5, 3],
    [1, 1],
  ],
  makespan_predicted_s: 4,
  makespan_s: 4,
  bound_s: 2,
  idle_pct: 1,
};
const timeline = {
  worker: Int32Array.of(1, 0, 1, 0),
  round: Int32Array.of(0, 0, 1, 1),
  sendStart: Float64Array.of(0, 1, 2, 3),
  sendEnd: Float64Array.of(1, 2, 3, 4),
  computeStart: Float64Array.of(1, 2, 3, 4),
  computeEnd: Float64Array.of(2, 3, 4, 5),
};

test("what is typed while a plan is made is planned next, once", () => {
  const { planner, sent, tell } = start();
  planner.resize(2);
  for (const text of ["0.2", "0.25", "x"]) planner.type(1, "comm_latency", text);
  assert.equal(sent.length, 1);
  tell({ type: "plan", kind: "load", algorithm: "best", load: result, timeline, wall_us: 50 });
  assert.equal(sent.length, 2);
  assert.deepEqual(
    planner.state.trials.map(({ old }) => old),
    [true],
  );
  assert.equal(loadPlan(planner)?.makespan_s, 4);
  assert.deepEqual(
    planner.state.plan?.course?.pieces.map(({ worker, round, amount }) => [worker, round, amount]),
    [
      [1, 1, 5],
      [0, 1, 3],
      [1, 2, 1],
      [0, 2, 1],
    ],
  );
  const asked = sent[1];
  assert.ok(asked.type === "plan" && asked.document.includes('"comm_latency":"x"'), "what is no number is told as it was typed");
  tell({ type: "plan", kind: "load", algorithm: "best", wall_us: 5, why: "worker 1: comm_latency is string" });
  assert.deepEqual([planner.state.plan, planner.state.why, sent.length], [undefined, "worker 1: comm_latency is string", 2]);
});

test("a platform of SimGrid keeps its names until they are removed, and a bad file says why", () => {
  const { planner, sent, tell, ended } = start();
  planner.plan();
  planner.read("g.xml", "<platform/>");
  assert.equal(ended(), 1, "nobody waits for the plan of what was there before");
  const figures = { speed: 1 / 3, bandwidth: 2, comp_latency: 0, comm_latency: 5e-5 };
  tell({ type: "platform", name: "g.xml", workers: [figures, figures], names: ["a", "b"], hosts: ["m", "a", "b"], master: "m" });
  assert.deepEqual([planner.state.names, planner.state.grid?.master, planner.state.workers[0].speed], [["a", "b"], "m", "0.333333"]);
  assert.equal(sent.at(-1)?.type, "plan");
  tell({ type: "plan", kind: "load", algorithm: "best", load: result, wall_us: 5 });
  planner.remove(0);
  assert.deepEqual(planner.state.names, ["b"]);
  planner.read("bad.xml", "<platform>");
  tell({ type: "platform", name: "bad.xml", why: "line 1: it ends early" });
  assert.equal(planner.state.why, "bad.xml: line 1: it ends early");
});

test("cancelling ends the worker; the next edit starts another", () => {
  const { planner, sent, ended } = start();
  planner.plan();
  planner.cancel();
  assert.deepEqual([ended(), planner.state.asked], [1, 0]);
  planner.edit({ load: "5" });
  assert.equal(sent.length, 2);
});

/** What was asked: kind and algorithm of each plan. */
const asked = (sent: ToPlanner[]) => sent.map((one) => (one.type === "plan" ? `${one.kind} ${one.algorithm}` : one.type));

test("after the chosen algorithm the others are asked, each once, until all stand side by side", () => {
  const { planner, sent, tell } = start();
  planner.plan();
  tell({ type: "planners", load: ["umr", "best"], jobs: ["mcb8", "gr", "exact"], graph: ["heft"] });
  tell({ type: "plan", kind: "load", algorithm: "best", load: result, timeline, wall_us: 5 });
  assert.deepEqual(asked(sent), ["load best", "load umr"]);
  tell({ type: "plan", kind: "load", algorithm: "umr", load: { ...result, makespan_s: 5 }, timeline, wall_us: 7 });
  assert.equal(sent.length, 2);
  assert.deepEqual(planner.state.trials, [
    { algorithm: "best", reached: 4, bound: 2, detail: "2 rounds · 2 workers", wall: 5, why: "", old: false },
    { algorithm: "umr", reached: 5, bound: 2, detail: "2 rounds · 2 workers", wall: 7, why: "", old: false },
  ]);
  assert.equal(loadPlan(planner)?.makespan_s, 4, "the chosen one's plan stays");
  planner.choose("umr"); // what the others reached is still true
  tell({ type: "plan", kind: "load", algorithm: "umr", load: { ...result, makespan_s: 5 }, timeline, wall_us: 7 });
  assert.deepEqual([asked(sent).slice(2), loadPlan(planner)?.makespan_s], [["load umr"], 5]);
  planner.edit({ load: "7" });
  assert.ok(planner.state.trials.every(({ old }) => old));
  tell({ type: "plan", kind: "load", algorithm: "umr", load: result, timeline, wall_us: 7 });
  assert.deepEqual(asked(sent).slice(3), ["load umr", "load best"]);
});

test("what may take long is asked when it is chosen; cancelled, the others go on", () => {
  const { planner, sent, tell, ended } = start();
  const answer = (algorithm: string, reached: number) =>
    tell({
      type: "plan",
      kind: "jobs",
      algorithm,
      jobs: { algorithm, feasible: true, min_yield: reached, avg_yield: reached, bound: 0.75, place: [[0]], cpu: [[0.5]] },
      wall_us: 5,
    });
  planner.turn("jobs");
  tell({ type: "planners", load: [], jobs: ["mcb8", "exact", "gr", "sg"], graph: [] });
  answer("mcb8", 0.5);
  assert.deepEqual(asked(sent), ["jobs mcb8", "jobs gr"]);
  planner.cancel();
  assert.equal(ended(), 1);
  assert.deepEqual(
    planner.state.trials.map(({ algorithm, reached, why }) => [algorithm, reached, why]),
    [
      ["mcb8", 0.5, ""],
      ["gr", NaN, "cancelled"],
    ],
  );
  answer("sg", 0.25);
  assert.deepEqual(asked(sent), ["jobs mcb8", "jobs gr", "jobs sg"]);
  planner.choose("exact");
  tell({
    type: "plan",
    kind: "jobs",
    algorithm: "exact",
    jobs: { algorithm: "exact", feasible: false, min_yield: 0, avg_yield: 0, bound: 0, proven: true, place: [], cpu: [] },
    wall_us: 5,
  });
  assert.deepEqual(planner.state.trials.at(-1), {
    algorithm: "exact",
    reached: NaN,
    bound: 0,
    detail: "",
    wall: 5,
    why: "proven: no placement",
    old: false,
  });
});

test("who types does not wait for an algorithm that stands beside the chosen one", (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  let now = 1000;
  t.mock.method(performance, "now", () => now);
  const { planner, sent, tell, ended } = start();
  planner.plan();
  tell({ type: "planners", load: ["umr", "best"], jobs: [], graph: [] });
  tell({ type: "plan", kind: "load", algorithm: "best", load: result, timeline, wall_us: 5 });
  now += 200;
  planner.edit({ load: "7" });
  assert.deepEqual([ended(), sent.length], [0, 2], "it may be there soon");
  now += 200;
  planner.edit({ load: "8" });
  assert.deepEqual([ended(), asked(sent).at(-1)], [1, "load best"]);
  now += 5000;
  planner.edit({ load: "9" });
  assert.deepEqual([ended(), sent.length], [1, 3], "the chosen one is waited for");
});

test("an answer about what is planned no more is not shown", () => {
  const { planner, sent, tell } = start();
  planner.plan();
  planner.turn("graph");
  tell({ type: "plan", kind: "load", algorithm: "best", load: result, timeline, wall_us: 5 });
  assert.deepEqual([planner.state.plan, planner.state.trials, asked(sent)], [undefined, [], ["load best", "graph heft"]]);
  tell({ type: "planners", load: [], jobs: [], graph: ["heft"] });
  const schedule = [{ task: "a", processor: 1, start_s: 0, finish_s: 2 }];
  const figures = {
    algorithm: "heft",
    makespan_s: 2,
    bound_s: 1,
    efficiency: 0.5,
    slr: 1,
    speedup: 1.5,
    idle_pct: 25,
    travelled_bytes: 0,
    tasks: 1,
    arcs: 0,
    processors: 2,
    schedule,
  };
  const one = {
    worker: Int32Array.of(1),
    round: Int32Array.of(0),
    sendStart: Float64Array.of(0),
    sendEnd: Float64Array.of(0),
    computeStart: Float64Array.of(0),
    computeEnd: Float64Array.of(2),
  };
  tell({ type: "plan", kind: "graph", algorithm: "heft", graph: figures, timeline: one, wall_us: 5 });
  const course = planner.state.plan?.course;
  assert.deepEqual(
    [course?.port, course?.workers, course?.pieces.map(({ worker, round, begin, end }) => [worker, round, begin, end])],
    [false, 2, [[1, 1, 0, 2]]],
  );
  assert.equal(planner.state.trials[0].detail, "speed-up 1.50 · idle 25 %");
});

test("what is no number beside a graph is said before anybody is asked", () => {
  const { planner, sent } = start();
  planner.turn("graph");
  const { graph } = planner.state;
  for (const [change, why] of [
    [{ processors: "some" }, 'There are "some" processors: choose 1 to 10000.'],
    [{ processors: "1.5" }, 'There are "1.5" processors: choose 1 to 10000.'],
    [{ bandwidth: "-1" }, 'The bandwidth is "-1" MB a second: choose a number from 0, which stands for results that take no time.'],
    [{ latency: "" }, 'The latency is "" s: choose a number from 0.'],
    [{ size: "101" }, `The matrix has "101" columns: choose 2 to ${MOST_COLUMNS}.`],
  ] as const) {
    planner.edit({ graph: { ...graph, ...change } });
    assert.deepEqual([planner.state.why, planner.state.plan], [why, undefined]);
  }
  assert.equal(sent.length, 1);
});

test("a file of jobs fills the table, and one that it cannot hold is left to the planner", () => {
  assert.deepEqual(jobsOf('{"hosts":2,"jobs":[{"cpu":0.5,"mem":0.25},{"cpu":1,"mem":0.1,"tasks":3}]}'), {
    hosts: "2",
    jobs: [
      { cpu: "0.5", mem: "0.25", tasks: "1" },
      { cpu: "1", mem: "0.1", tasks: "3" },
    ],
  });
  for (const text of [
    "{",
    "null",
    "[]",
    '{"hosts":2}',
    '{"hosts":"2","jobs":[]}',
    '{"hosts":2,"jobs":[{"cpu":"x"}]}',
    '{"hosts":2,"jobs":[{"gpu":1}]}',
    '{"hosts":2,"jobs":[null]}',
    '{"hosts":2,"jobs":[],"more":1}',
  ]) {
    assert.equal(jobsOf(text), undefined, text);
  }
  const { planner, sent, tell } = start();
  planner.turn("jobs");
  tell({
    type: "plan",
    kind: "jobs",
    algorithm: "mcb8",
    jobs: { algorithm: "mcb8", feasible: true, min_yield: 1, avg_yield: 1, bound: 1, place: [], cpu: [] },
    wall_us: 5,
  });
  planner.read("bad.json", '{"hosts":2}');
  const last = sent.at(-1);
  assert.ok(last?.type === "plan" && last.document === '{"hosts":2}' && last.name === "bad.json");
  tell({ type: "plan", kind: "jobs", algorithm: "mcb8", wall_us: 5, why: "instance: jobs is missing" });
  assert.equal(planner.state.why, "bad.json: instance: jobs is missing");
  planner.resize(1);
  assert.deepEqual(JSON.parse(documentOf(planner.state)), {
    hosts: 10,
    jobs: exampleJobs(1).map(({ cpu, mem, tasks }) => ({ cpu: Number(cpu), mem: Number(mem), tasks: Number(tasks) })),
  });
});

test("the example of a graph is Gaussian elimination", () => {
  interface Task {
    id: string;
    parents: string[];
    children: string[];
  }
  for (const m of [2, 5, 8]) {
    const { workflow } = JSON.parse(elimination(m)) as {
      workflow: { specification: { tasks: Task[]; files: unknown[] }; execution: { tasks: unknown[] } };
    };
    const { tasks, files } = workflow.specification;
    assert.deepEqual([tasks.length, files.length, workflow.execution.tasks.length], Array(3).fill((m * m + m - 2) / 2));
    const level = (id: string): number => 1 + Math.max(0, ...(tasks.find((task) => task.id === id)?.parents ?? []).map(level));
    assert.equal(Math.max(...tasks.map(({ id }) => level(id))), 2 * (m - 1), "pivot and update follow one another");
    for (const { id, parents } of tasks)
      for (const parent of parents) assert.ok(tasks.find((task) => task.id === parent)?.children.includes(id));
  }
});

test("the examples are what parley plan reads", () => {
  const document = JSON.parse(documentOf(emptyPlanner())) as { load: number; workers: Record<string, number>[] };
  assert.equal(document.load, 1e4);
  assert.ok(
    document.workers.every(
      ({ speed, bandwidth, comp_latency, comm_latency }) =>
        speed >= 50 && speed <= 75 && bandwidth > 0 && comp_latency === 0.1 && comm_latency === 0.1,
    ),
  );
  const jobs = JSON.parse(documentOf({ ...emptyPlanner(), kind: "jobs" })) as { hosts: number; jobs: Record<string, number>[] };
  const needs = jobs.jobs.reduce((sum, { cpu, tasks }) => sum + cpu * tasks, 0) / jobs.hosts;
  assert.ok(needs > 1.2 && needs < 2, `${needs} of the CPU there is`);
  assert.equal(planned(timeline, 3, () => 1).workers, 3);
});
