// Which worker plays, and when one is silent that should speak.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, Layout, Status, ToWorker, Trouble } from "../../src/base/messages.ts";
import { Engines, type Part } from "../../src/model/engines.ts";
import { asked, broken, loading, opened, type Request, returned, type Session, stands, verdictOf } from "../../src/model/session.ts";
import { described } from "./describe.ts";

interface Worker {
  part: Part;
  sent: ToWorker[];
  tell: (message: FromWorker) => void;
  ended: boolean;
}

const scenario = { v: 1, system: "negotiation" };
const layout: Layout = {
  columns: 1,
  rows: 1,
  blocks: [],
  x: Uint16Array.of(0),
  y: Uint16Array.of(0),
  rack: Int32Array.of(0),
  pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 },
};
const open: FromWorker = { type: "opened", scenario, hasMachines: false, shape: "tasks", choices: [], layers: [], layout, files: [] };
const ready: FromWorker = { type: "ready", engine: "0", systems: [described({ id: "negotiation" }), described({ id: "central" })] };
const still: Status = {
  at: 0,
  until: 3600e6,
  playing: false,
  ended: false,
  speed: 60,
  reached: 0,
  possible: 0,
  events: 0,
  eventsPerSecond: 0,
  memory: 0,
  digest: "0123456789abcdef",
  present: {},
  counts: {},
};
const says = (playing: boolean): FromWorker => ({ type: "status", status: { ...still, playing } });
const trouble = (kind: Trouble["class"]): FromWorker => ({ type: "trouble", trouble: { class: kind, sentence: "it is so" } });
const types = (list: { type: string }[]) => list.map(({ type }) => type).join(" ");

/** Engines on a clock that stands still unless told. The first worker has said that it is ready, unless it comes late. */
function start({ late = false } = {}) {
  const workers: Worker[] = [];
  const heard: FromWorker[] = [];
  const quiet: boolean[] = [];
  const clock = { now: 0 };
  const engines = new Engines(
    (part) => {
      const worker: Worker = { part, sent: [], tell: () => {}, ended: false };
      workers.push(worker);
      return {
        send: (message) => void worker.sent.push(message),
        listen: (listener) => void (worker.tell = listener),
        end: () => void (worker.ended = true),
      };
    },
    (message) => message.type !== "ready" && heard.push(message),
    (silent) => quiet.push(silent),
    () => clock.now,
    60,
  );
  /** Lets time pass, looking as often as the page does. */
  const pass = (ms: number) => {
    for (const end = clock.now + ms; clock.now < end; ) {
      clock.now += 500;
      engines.look();
    }
  };
  if (!late) workers[0].tell(ready);
  return { engines, workers, heard, quiet, clock, pass };
}

test("the first run starts in the first worker, the next in one of its own that takes its place", () => {
  const { engines, workers, heard } = start();
  engines.send({ type: "open", scenario, play: true });
  assert.equal(workers.length, 1);
  workers[0].tell(open);
  engines.send({ type: "speed", speed: 600 });
  engines.send({ type: "open", scenario, play: true });
  assert.equal(types(workers[1].sent), "speed open");
  assert.deepEqual(workers[1].sent[0], { type: "speed", speed: 600 });
  workers[0].tell(says(true)); // it plays on
  engines.send({ type: "pause" });
  assert.equal(types(workers[1].sent), "speed open pause");
  assert.equal(workers[0].ended, false);
  workers[1].tell(open);
  assert.equal(workers[0].ended, true);
  workers[0].tell(says(true)); // too late
  assert.equal(types(heard), "opened status opened");
  engines.send({ type: "step" });
  assert.equal(types(workers[1].sent), "speed open pause step");
});

test("a system that the first worker has not is played by one with all of them", () => {
  const { engines, workers, heard } = start();
  engines.send({ type: "open", scenario: { v: 1, system: "elsewhere" }, play: true });
  assert.deepEqual(
    workers.map(({ part, sent }) => [part, types(sent)]),
    [
      ["worker", "speed"],
      ["whole", "speed open"],
    ],
  );
  assert.deepEqual([engines.brings(scenario), engines.brings({ v: 1, system: "elsewhere" })], [true, false]);
  workers[1].tell(open);
  assert.equal(workers[0].ended, true);
  engines.send({ type: "open", scenario, play: true }); // back
  assert.equal(workers[2].part, "worker");
  workers[2].tell({ type: "ready", engine: "0", systems: [] });
  assert.equal(engines.brings(scenario), true, "the first word counts");
  assert.equal(types(heard), "opened");
});

test("until the first worker said what it has, a run waits for that", () => {
  const { engines, workers, heard } = start({ late: true });
  engines.send({ type: "open", scenario: { v: 1, system: "elsewhere" }, play: true });
  engines.send({ type: "open", scenario: { v: 1, system: "elsewhere", seed: 2 }, play: true });
  engines.send({ type: "pause" });
  assert.deepEqual(
    workers.map(({ sent }) => types(sent)),
    ["speed pause"],
  );
  workers[0].tell(ready);
  assert.deepEqual(workers[1].sent.at(-1), { type: "open", scenario: { v: 1, system: "elsewhere", seed: 2 }, play: false });
  workers[0].tell(ready);
  assert.equal(workers.length, 2);

  const one = start({ late: true });
  one.engines.send({ type: "open", scenario, play: true });
  one.engines.send({ type: "cancel" });
  assert.equal(types(one.heard), "cancelled");
  one.workers[0].tell(ready);
  assert.equal(types(one.workers[0].sent), "speed", "what was cancelled does not start");

  const gone = start({ late: true });
  gone.engines.send({ type: "open", scenario, play: true });
  gone.workers[0].tell(trouble("gone"));
  assert.deepEqual(gone.heard, [trouble("gone")]);
  gone.engines.send({ type: "open", scenario, play: true });
  assert.equal(types(gone.workers[1].sent), "speed open");
  assert.equal(heard.length, 0);
});

test("a start is cancelled by ending its worker, whatever that computes", () => {
  const { engines, workers, heard } = start();
  engines.send({ type: "open", scenario, play: true });
  workers[0].tell(open);
  engines.send({ type: "open", scenario, play: true });
  engines.send({ type: "cancel" });
  assert.equal(workers[1].ended, true);
  assert.equal(types(heard), "opened cancelled");
  engines.send({ type: "cancel" }); // of a seek
  assert.equal(types(workers[0].sent), "speed open cancel");
});

test("files start a worker with readers; one that does not come leaves what runs", () => {
  const { engines, workers, heard } = start();
  engines.send({ type: "open", scenario, play: true });
  workers[0].tell(open);
  engines.send({ type: "open", scenario, play: true, files: [new File(["x"], "a.csv")] });
  assert.deepEqual(
    workers.map(({ part }) => part),
    ["worker", "whole"],
  );
  workers[1].tell(trouble("gone"));
  assert.equal(workers[1].ended, true);
  assert.deepEqual(heard.at(-1), trouble("missing"));
  engines.send({ type: "open", scenario, play: true, files: [new File(["x"], "a.csv")] });
  workers[2].tell(trouble("bad-line"));
  assert.equal(workers[2].ended && !workers[0].ended, true);
  assert.deepEqual(heard.at(-1), trouble("bad-line"));
});

test("after an engine ended, or never came, the next run starts in a new one", () => {
  const { engines, workers, heard } = start({ late: true });
  workers[0].tell(trouble("gone"));
  assert.deepEqual(heard, [], "nothing was asked of it yet");
  engines.send({ type: "open", scenario, play: true });
  assert.deepEqual(heard, [trouble("gone")]);
  engines.send({ type: "open", scenario, play: true }); // tried again
  assert.equal(types(workers[1].sent), "speed open");
  workers[1].tell(trouble("gone"));
  assert.deepEqual(heard.at(-1), trouble("gone"), "nothing runs any more");
});

test("a run that plays and says nothing for three seconds is silent, until it speaks", () => {
  const { engines, workers, quiet, pass } = start({ late: true });
  pass(60_000); // its program comes
  engines.send({ type: "open", scenario, play: true });
  pass(60_000);
  assert.deepEqual(quiet, []);
  workers[0].tell(ready);
  pass(2500);
  assert.deepEqual(quiet, []);
  pass(500);
  assert.deepEqual(quiet, [true]);
  workers[0].tell(open);
  assert.deepEqual(quiet, [true, false]);
  for (let i = 0; i < 20; i++) {
    pass(1000);
    workers[0].tell(says(true));
  }
  assert.deepEqual(quiet, [true, false]);
  engines.send({ type: "explain", task: "1" });
  workers[0].tell({ type: "decision", task: "1", why: "too long ago" }); // its last word
  pass(3000);
  assert.deepEqual(quiet, [true, false, true]);
  engines.end();
  assert.deepEqual(quiet, [true, false, true, false]);
});

test("who is paused owes nothing but answers", () => {
  const { engines, workers, quiet, pass } = start();
  engines.send({ type: "open", scenario, play: false });
  for (const message of [ready, open, says(false)]) workers[0].tell(message);
  pass(60_000);
  assert.deepEqual(quiet, []);
  engines.send({ type: "explain", task: "1" });
  pass(2500);
  workers[0].tell({ type: "decision", task: "1", why: "too long ago" });
  pass(60_000);
  assert.deepEqual(quiet, []);
  engines.send({ type: "step" });
  pass(3000);
  assert.deepEqual(quiet, [true]);
});

test("a page that slept does not blame the engine", () => {
  const { engines, workers, quiet, clock, pass } = start();
  engines.send({ type: "open", scenario, play: true });
  for (const message of [ready, open, says(true)]) workers[0].tell(message);
  clock.now += 3_600_000;
  engines.look();
  pass(2500);
  assert.deepEqual(quiet, []);
  pass(500);
  assert.deepEqual(quiet, [true]);
});

test("the session is one of four, and each step leads to one", () => {
  const request = (digest = "", at = 0): Request => ({
    base: "",
    scenario,
    files: [],
    push: true,
    at,
    digest,
    play: true,
    shared: false,
    selected: -1,
  });
  const empty: Session = { is: "empty" };
  const first = asked(empty, request("01234567", 60e6));
  assert.deepEqual(returned(first), empty);
  const running = opened(first);
  assert.deepEqual(running, { is: "running", verdict: "checking", arrival: { at: 60e6, digest: "01234567", play: true, shared: false } });
  const how = { files: [], phase: "seeking" as const, done: 1, total: 60e6 };
  const seeking = loading(running, how);
  assert.equal(stands(seeking, { ...still, at: 30e6, seeking: true }), seeking);
  assert.deepEqual(stands(seeking, { ...still, at: 60e6 }), { is: "running", verdict: "reproduced" });
  assert.deepEqual(stands(seeking, { ...still, at: 60e6, digest: "f" }), { is: "running", verdict: "differs" });
  assert.deepEqual(stands(seeking, { ...still, at: 61e6 }), { is: "running", verdict: "" });
  const reproduced = stands(seeking, { ...still, at: 60e6 });

  const back = loading(reproduced, { ...how, total: 90e6 });
  assert.equal(stands(back, { ...still, at: 95e6, seeking: true }), back, "another seek is under way");
  assert.deepEqual(stands(back, { ...still, at: 30e6 }), reproduced, "a seek that was replaced by an earlier one is over with it");
  assert.equal(stands(reproduced, { ...still, at: 99e6, ended: true }), reproduced, "where nothing was under way nothing changes");
  assert.deepEqual(
    stands(loading(reproduced, { ...how, phase: "starting" }), { ...still, at: 30e6 }),
    reproduced,
    "and so is one that began anew",
  );

  const guest = opened(asked(empty, { ...request("01234567", 60e6), shared: true, play: false }));
  const there = stands(guest, { ...still, at: 60e6, playing: false });
  assert.deepEqual(there, {
    is: "running",
    verdict: "reproduced",
    landed: { asked: 60e6, digest: "01234567", at: 60e6, found: still.digest },
  });
  assert.equal(stands(there, { ...still, at: 60e6, playing: false }), there, "while it stands it is said");
  assert.deepEqual(
    stands(there, { ...still, at: 60e6, playing: true }),
    { is: "running", verdict: "reproduced" },
    "and no longer when it plays",
  );
  assert.deepEqual(stands(there, { ...still, at: 90e6, playing: false }), { is: "running", verdict: "reproduced" }, "or stands elsewhere");
  assert.deepEqual(stands(guest, { ...still, at: 30e6, playing: false, ended: true }), {
    is: "running",
    verdict: "",
    landed: { asked: 60e6, digest: "01234567", at: 30e6, found: still.digest },
  });

  const second = asked(asked(reproduced, request()), request());
  assert.equal(verdictOf(second), "reproduced", "of what still runs");
  assert.deepEqual(returned(second), reproduced, "a second request does not forget what ran");
  assert.deepEqual(broken(second, undefined), { is: "broken", again: request() });
  assert.deepEqual(broken(reproduced, request("x")), { is: "broken", again: request("x") });
  assert.deepEqual(returned(asked({ is: "broken" }, request())), { is: "broken" });
});

test("a first run that something else is wanted for, before it is there, never comes", () => {
  const { engines, workers, heard } = start();
  engines.send({ type: "open", scenario, play: true });
  engines.send({ type: "open", scenario: { ...scenario, seed: 2 }, play: true });
  assert.deepEqual(
    workers.map(({ ended, sent }) => [ended, types(sent)]),
    [
      [true, "speed open"],
      [false, "speed open"],
    ],
  );
  workers[0].tell(open); // too late: the page would take it for what it asked for last
  assert.deepEqual(heard, []);
  workers[1].tell(open);
  assert.equal(types(heard), "opened");
  engines.send({ type: "step" });
  assert.equal(types(workers[1].sent), "speed open step");

  const refused = start();
  refused.engines.send({ type: "open", scenario, play: true });
  refused.workers[0].tell(trouble("setting"));
  refused.engines.send({ type: "open", scenario, play: true });
  refused.workers[1].tell(open);
  assert.equal(types(refused.heard), "trouble opened");
});

test("a scenario with a program is played by the part that has their interpreter", () => {
  const { engines, workers } = start();
  engines.send({ type: "open", scenario: { v: 1, system: "program", program: "def on_submit(task, cluster, state): pass" }, play: true });
  assert.equal(workers[workers.length - 1].part, "program");
  assert.equal(engines.partFor(scenario, true), "whole");
  assert.equal(engines.partFor({ ...scenario, program: "" }, false), "program");
});

test("a link's program needs no word of the first part", () => {
  const { engines, workers } = start({ late: true });
  engines.send({ type: "open", scenario: { v: 1, system: "program", program: "x" }, play: true });
  assert.equal(workers.at(-1)?.part, "program");
});
