// What the lab's worker does to the page's state, and decisions in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, FromLab, ToLab } from "../../src/base/messages.ts";
import { beside, claim, counted, figure, Lab, measure, rulesOf } from "../../src/place/papers/model/lab.ts";
import { answer, ranked, sentence } from "../../src/place/watch/model/why.ts";
import { described } from "./describe.ts";

const experiment = { id: "rounds/table2", title: "Closed forms", source: "table 2", claim: "They are close.", seconds: 10 };
const result = { id: "rounds/table2", source: "table 2", seeds: 2, rows: [] };

/** A lab whose workers are kept with what was sent to them. */
function start() {
  const workers: { sent: ToLab[]; tell: (message: FromLab) => void; ended: boolean }[] = [];
  const lab = new Lab(() => {
    const worker = { sent: [] as ToLab[], tell: (_: FromLab) => {}, ended: false };
    workers.push(worker);
    return {
      send: (message) => void worker.sent.push(message),
      listen: (listener) => void (worker.tell = listener),
      end: () => void (worker.ended = true),
    };
  });
  return { lab, workers };
}

test("an experiment runs in a worker that starts once, and its result stays", () => {
  const { lab, workers } = start();
  lab.start();
  lab.start();
  assert.equal(workers.length, 1);
  workers[0].tell({ type: "experiments", experiments: [experiment] });
  lab.run(experiment.id, 2);
  lab.run(experiment.id, 3); // one at a time
  assert.deepEqual(workers[0].sent, [{ type: "experiment", id: "rounds/table2", seeds: 2 }]);
  workers[0].tell({ type: "lab", id: experiment.id, doing: "latency 1", runs: 4, seconds: 1.5 });
  assert.equal(lab.state.running?.doing, "latency 1");
  workers[0].tell({ type: "paper", result, seconds: 3 });
  assert.equal(lab.state.running, undefined);
  assert.deepEqual(lab.state.results, { "rounds/table2": { result, seconds: 3 } });
  lab.run(experiment.id, 0);
  assert.deepEqual(workers[0].sent.at(-1), { type: "experiment", id: "rounds/table2" });
});

test("cancelling ends the worker, what it still says is nothing, and the next run starts another", () => {
  const { lab, workers } = start();
  lab.start();
  workers[0].tell({ type: "experiments", experiments: [experiment] });
  lab.run(experiment.id, 0);
  lab.cancel();
  assert.equal(workers[0].ended, true);
  assert.equal(lab.state.running, undefined);
  workers[0].tell({ type: "paper", result, seconds: 3 });
  assert.deepEqual(lab.state.results, {});
  lab.run(experiment.id, 0);
  assert.equal(workers.length, 2);
  assert.equal(workers[1].sent.length, 1);
});

test("a lab that breaks says why and is started anew; a wrong setting leaves it as it is", () => {
  const { lab, workers } = start();
  lab.run(experiment.id, 0);
  workers[0].tell({ type: "trouble", trouble: { class: "setting", sentence: "no such experiment" } });
  assert.equal(lab.state.why, "no such experiment");
  assert.equal(workers[0].ended, false);
  lab.run(experiment.id, 0);
  workers[0].tell({ type: "trouble", trouble: { class: "gone", sentence: "it ended" } });
  assert.equal(workers[0].ended, true);
  lab.run(experiment.id, 0);
  assert.equal(workers.length, 2);
});

test("figures keep three digits that matter, claims have a sign", () => {
  assert.deepEqual([0, 3.2e-14, 0.0407, 9.2345, 584.2, 12500, -0.5].map(figure), [
    "0",
    "3.2e-14",
    "0.0407",
    "9.23",
    "584",
    "12,500",
    "-0.5",
  ]);
  const judged = (holds: boolean | null, rule: string, paper: number | null) => claim({ holds, rule, paper, seeds: 3 });
  assert.deepEqual(
    [judged(true, "at most 1", 1), judged(false, "at most 1", 1), judged(null, "", null)],
    ["✓ holds", "✗ does not hold", "—"],
  );
  assert.equal(judged(null, "at most 1; the limit lies inside it", 1), "? open: 3 seeds", "a claim that the runs cannot tell");
  assert.equal(claim({ holds: null, rule: "at most 1", paper: 1, seeds: 1 }), "? open: 1 seed");
  assert.equal(judged(null, "at most 0.5 % overloaded", null), "—", "a rule alone is no claim");
});

test("claims that hold are counted of all, also of those that are open, and by method", () => {
  const row = (holds: boolean | null, method?: string, rule = "at most 1") => ({ holds, rule, paper: 1, method });
  assert.deepEqual(counted([row(true), row(false), row(null), row(null, undefined, "")]), {
    held: 1,
    all: 3,
    words: "1 of 3 claims hold",
    apart: "",
  });
  assert.equal(counted([row(true, "ours"), row(null, "theirs"), row(true, "theirs")]).apart, "ours 1 of 1, theirs 1 of 2");
  assert.equal(counted([row(true, "ours")]).words, "1 of 1 claim holds");
  assert.equal(counted([row(true, "ours")]).apart, "", "one method needs no counting apart");
});

test("what was measured has a spread and an interval, but not of one run", () => {
  assert.deepEqual(measure({ measured: 3.1, spread: 0.2, interval: { low: 2.6, high: 3.6 } }), {
    value: "3.1 ± 0.2",
    interval: "2.6 … 3.6",
  });
  assert.deepEqual(measure({ measured: 3.1, spread: 0, interval: null }), { value: "3.1", interval: "" });
});

const moved: Decision = {
  id: "9",
  task: "1-2",
  at: 60e6,
  from: 3,
  to: 7,
  forced: false,
  messages: [],
  candidates: [
    { node: 5, score: 0, answer: "rejected" },
    { node: 7, score: 1.5, answer: "chosen" },
    { node: 6, score: 2.5, answer: "refused" },
    { node: 8, score: 0, answer: "silent" },
  ],
};

/** A system that has words for two answers. */
const system = {
  ...described({ id: "any" }),
  answers: [
    { id: "chosen", sign: "★", words: "chosen" },
    { id: "accepted", sign: "✓", words: "had room" },
  ],
};

test("a decision in one sentence, as it was and as it turned out", () => {
  assert.equal(sentence(moved, "1-2", 7, "a broker"), "Task 1-2 was moved from node 3 to node 7 at 00:01:00.");
  assert.equal(
    sentence({ ...moved, forced: true }, "1-2", 3, "a broker"),
    "Task 1-2 was to move from node 3 to node 7 at 00:01:00 (forced); it is still on node 3.",
  );
  assert.equal(
    sentence({ ...moved, from: -1, forced: true }, "1-2", 7, "a broker"),
    "Task 1-2 was placed on node 7 by a broker at 00:01:00 (forced).",
  );
  assert.equal(sentence({ ...moved, to: -1 }, "1-2", 3, "a broker"), "No other node took task 1-2 of node 3 at 00:01:00.");
});

test("candidates stand best first, and each says in the system's words why it is not the one", () => {
  assert.deepEqual(
    ranked(moved).map(({ node }) => node),
    [6, 7, 5, 8],
  );
  assert.deepEqual(answer({ node: 1, score: 2, answer: "accepted" }, system), { sign: "✓", words: "had room" });
  assert.deepEqual(answer({ node: 1, score: 2, answer: "accepted", why: "it came too late" }, system), {
    sign: "✓",
    words: "it came too late",
  });
  assert.deepEqual(answer({ node: 1, score: 2, answer: "outbid" }, system), { sign: "·", words: "outbid" });
  assert.deepEqual(
    ranked({
      ...moved,
      candidates: [
        { node: 9, score: -30, answer: "accepted" },
        { node: 4, score: -10, answer: "chosen" },
      ],
    }).map(({ node }) => node),
    [4, 9],
  );
});

test("what was recorded is there before the lab, whose own list and results come first", () => {
  const { lab, workers } = start();
  const recording = { ...experiment, command: "parley paper rounds/table2", result };
  lab.start();
  lab.record([recording]);
  assert.deepEqual([lab.state.experiments.map(({ id }) => id), lab.state.shown], [["rounds/table2"], "rounds/table2"]);
  lab.show("rounds/adapt");
  workers[0].tell({ type: "experiments", experiments: [experiment, { ...experiment, id: "rounds/adapt" }] });
  lab.record([recording]); // later than the lab
  assert.deepEqual([lab.state.experiments.length, lab.state.shown], [2, "rounds/adapt"]);
  assert.equal(lab.state.recordings["rounds/table2"].command, "parley paper rounds/table2");
  assert.deepEqual(lab.state.results, {}, "what was recorded was not measured here");
});

test("what all claims are judged by is said once, and what neighbours share below the last of them", () => {
  const rows = ["played 2 days; within 45 ± 5; Holm", "played 2 days; within 65 ± 5; Holm", "", "within 1 ± 1; Holm"];
  assert.deepEqual(rulesOf(rows.map((rule) => ({ rule }))), {
    common: ["Holm"],
    below: [["within 45 ± 5"], ["played 2 days", "within 65 ± 5"], [], ["within 1 ± 1"]],
  });
  assert.deepEqual(rulesOf([{ rule: "exact" }, { rule: "" }]), { common: [], below: [["exact"], []] }, "one claim keeps its rule");
});

test("our mean and its interval stand on a line to twice the paper's number", () => {
  const at = (paper: number | null, measured: number, low: number, high: number) => beside({ paper, measured, interval: { low, high } });
  assert.deepEqual(at(4, 4, 2, 6), { mean: 0.5, low: 0.25, high: 0.75 });
  assert.deepEqual(at(4, 20, 6, 34), { mean: 1, low: 0.75, high: 1 }, "beyond its end: at its end");
  assert.deepEqual(at(-4, -5, -6, -4), { mean: 0.625, low: 0.5, high: 0.75 }, "a number below 0");
  assert.equal(at(null, 1, 0, 2), undefined);
  assert.equal(at(0, 1, 0, 2), undefined);
  assert.deepEqual(beside({ paper: 4, measured: 3, interval: null }), { mean: 0.375, low: 0.375, high: 0.375 });
});
