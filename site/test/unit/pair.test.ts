// Two runs on one clock: neither goes on before the other has come as far.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, Layer, Layout, Status, ToWorker } from "../../src/base/messages.ts";
import type { Rival } from "../../src/model/rivals.ts";
import { Series, type Track } from "../../src/model/series.ts";
import { figuresWatched } from "../../src/place/compare/model/figures.ts";
import { Pair } from "../../src/place/compare/model/pair.ts";

const layout: Layout = {
  columns: 2,
  rows: 1,
  blocks: [],
  x: Uint16Array.of(0, 1),
  y: Uint16Array.of(0, 0),
  rack: Int32Array.of(0, 0),
  pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 },
};
const layers = (...ids: string[]): Layer[] => ids.map((id) => ({ id, name: id, unit: "" }));
const rival = (system: string): Rival => ({ id: system, name: system, scenario: { v: 1, system } });
const at = (time: number): FromWorker => ({
  type: "status",
  status: { at: time, until: 3600e6, ended: false, counts: {} } as unknown as Status,
});
const opened = (...ids: string[]): FromWorker => ({
  type: "opened",
  scenario: { v: 1, system: "a" },
  hasMachines: false,
  shape: "tasks",
  choices: [],
  layers: layers(...ids),
  layout,
  files: [],
});

interface Worker {
  sent: ToWorker[];
  tell: (message: FromWorker) => void;
  ended: boolean;
}

function start() {
  const workers: Worker[] = [];
  const clock = { now: 0 };
  const pair = new Pair(
    () => {
      const worker: Worker = { sent: [], tell: () => {}, ended: false };
      workers.push(worker);
      return {
        send: (message) => void worker.sent.push(message),
        listen: (listener) => void (worker.tell = listener),
        end: () => void (worker.ended = true),
      };
    },
    () => ({ palette: "dusk", light: false, reducedMotion: false }),
    () => clock.now,
  );
  pair.open([rival("one"), rival("two")], [], 60e6, 3600e6, "cpu");
  const seeks = (i: number) => workers[i].sent.flatMap((message) => (message.type === "seek" ? [message.at / 1e6] : []));
  return { pair, workers, clock, seeks };
}

test("both open at the same moment, and play on together only", () => {
  const { pair, workers, clock, seeks } = start();
  assert.deepEqual(
    workers.map(({ sent }) => sent[0]),
    ["one", "two"].map((system) => ({ type: "open", scenario: { v: 1, system }, play: false, at: 60e6 })),
  );
  for (const worker of workers) worker.tell(opened("cpu"));
  pair.play();
  workers[0].tell(at(60e6));
  workers[1].tell(at(30e6)); // on its way
  clock.now = 100;
  pair.tick();
  assert.deepEqual([seeks(0), seeks(1)], [[], []], "one is behind");
  workers[1].tell(at(60e6));
  clock.now = 200.00001; // clocks of browsers are not whole
  pair.tick();
  assert.deepEqual([seeks(0), seeks(1)], [[66.000001], [66.000001]], "a tenth of a second at 60×, in whole µs; the wait does not count");
  workers[0].tell(at(66_000_001));
  clock.now = 300;
  pair.tick();
  assert.equal(pair.state.target, 66_000_001);
  workers[1].tell(at(66_000_001));
  pair.tick();
  clock.now = 9000;
  pair.tick();
  assert.equal(pair.state.target, 81_000_001, "after a page that slept, a quarter of a second goes by and no more");
  pair.pause();
  for (const worker of workers) worker.tell(at(81_000_001));
  clock.now = 9500;
  pair.tick();
  assert.equal(pair.state.target, 81_000_001);
});

test("both go back together, end at the end, and one that cannot be played is not waited for", () => {
  const { pair, workers, clock, seeks } = start();
  for (const worker of workers) worker.tell(opened("cpu"));
  for (const worker of workers) worker.tell(at(60e6));
  pair.seek(20e6);
  assert.deepEqual([seeks(0), seeks(1)], [[20], [20]]);
  pair.seek(9e12);
  assert.equal(pair.state.target, 3600e6);
  pair.play();
  assert.equal(pair.state.playing, false, "there is nothing left");
  pair.seek(3590e6);
  workers[0].tell({ type: "trouble", trouble: { class: "engine", sentence: "it broke" } });
  workers[1].tell(at(3590e6));
  pair.play();
  clock.now = 200;
  pair.tick();
  assert.deepEqual([pair.state.target, pair.state.playing, pair.state.sides[0].why], [3600e6, false, "it broke"]);
  assert.deepEqual([seeks(0).at(-1), seeks(1).at(-1)], [3590, 3600]);
  pair.end();
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [true, true],
  );
  assert.equal(pair.state.sides.length, 0);
});

test("both are drawn by a layer that both have, alike, and swapped with all that is theirs", () => {
  const { pair, workers } = start();
  pair.resize({ width: 300, height: 100 }, 1);
  workers[0].tell(opened("negotiation", "memory", "state"));
  workers[1].tell(opened("state", "memory"));
  const drawn = (i: number) => workers[i].sent.findLast((message) => message.type === "draw") as Extract<ToWorker, { type: "draw" }>;
  assert.equal(pair.state.fill, "memory");
  assert.deepEqual([drawn(0).look.fill, drawn(1).look.fill], [1, 1]);
  assert.deepEqual(drawn(0).camera, drawn(1).camera);
  pair.fillWith("state");
  assert.deepEqual([drawn(0).look.fill, drawn(1).look.fill], [2, 0]);
  pair.swap();
  assert.deepEqual(
    pair.state.sides.map((side) => side.rival.name),
    ["two", "one"],
  );
  workers[0].tell(at(77e6));
  assert.deepEqual(
    pair.state.sides.map(({ status }) => status?.at),
    [undefined, 77e6],
  );
});

/** A frame of two cells with one layer, as core/frame writes it. */
function frameOf(time: number, ...values: number[]): FromWorker {
  const buffer = new ArrayBuffer(32 + values.length);
  const view = new DataView(buffer);
  view.setUint32(0, 0x31524650, true);
  view.setUint16(4, 1, true);
  view.setUint32(8, values.length, true);
  view.setBigUint64(16, BigInt(time), true);
  new Uint8Array(buffer, 32).set(values);
  return { type: "frame", buffer };
}

test("three stand at one moment, and the first one less each other is taken there", () => {
  const { pair, workers: _ } = start();
  const workers: Worker[] = [];
  Object.assign(pair, {
    begin: () => {
      const worker: Worker = { sent: [], tell: () => {}, ended: false };
      workers.push(worker);
      return {
        send: (message: ToWorker) => void worker.sent.push(message),
        listen: (listener: (message: FromWorker) => void) => void (worker.tell = listener),
        end: () => void (worker.ended = true),
      };
    },
  });
  pair.open(["one", "two", "three", "four", "five", "six"].map(rival), [], 60e6, 3600e6, "cpu");
  assert.equal(pair.state.sides.length, 5, "there is room for five");
  pair.open(["one", "two", "three"].map(rival), [], 60e6, 3600e6, "cpu");
  workers.splice(0, 5).forEach(({ ended }) => assert.ok(ended));
  for (const worker of workers) worker.tell(opened("cpu"));
  pair.lay("difference");
  workers[0].tell(frameOf(60e6, 100, 50));
  workers[1].tell(frameOf(60e6, 40, 50));
  workers[2].tell(frameOf(30e6, 0, 0)); // on its way
  const less = () => pair.state.sides.map((side) => side.less && [...side.less.values]);
  assert.deepEqual(less(), [undefined, [60, 0], undefined]);
  workers[2].tell(frameOf(60e6, 200, 49));
  assert.deepEqual(less(), [undefined, [60, 0], [-100, 1]]);
  assert.equal(pair.state.reach, 100);
  workers[0].tell(at(60e6));
  workers[1].tell(at(60e6));
  assert.equal(pair.together(), false);
  workers[2].tell(at(60e6));
  assert.equal(pair.together(), true);
  pair.swap();
  assert.deepEqual(
    pair.state.sides.map((side) => side.rival.name),
    ["two", "three", "one"],
  );
  assert.deepEqual(less(), [undefined, [-160, 1], [-60, 0]]);
});

test("a difference is taken once for two frames, and again for another layer", () => {
  const { pair, workers } = start();
  for (const worker of workers) worker.tell(opened("cpu"));
  pair.lay("difference");
  workers[0].tell(frameOf(60e6, 100, 50));
  workers[1].tell(frameOf(60e6, 40, 50));
  const values = pair.state.sides[1].less?.values;
  assert.deepEqual([...(values ?? [])], [60, 0]);
  values?.fill(7); // what is not taken again stays as it is
  workers[0].tell(at(60e6));
  pair.lay("difference");
  assert.deepEqual([...(pair.state.sides[1].less?.values ?? [])], [7, 7]);
  workers[1].tell(frameOf(60e6, 90, 50));
  assert.deepEqual([...(pair.state.sides[1].less?.values ?? [])], [10, 0]);
  pair.fillWith("cpu");
  assert.deepEqual([...(pair.state.sides[1].less?.values ?? [])], [10, 0]);
});

test("one that opens after the room is known is told of it", () => {
  const { pair, workers } = start();
  workers[0].tell(opened("cpu"));
  pair.resize({ width: 300, height: 100 }, 1);
  workers[1].tell(opened("cpu"));
  assert.deepEqual(
    workers.map(({ sent }) => sent.filter(({ type }) => type === "room").length),
    [1, 1],
  );
});

test("each keeps its columns up to the moment where it stands", () => {
  const { pair, workers } = start();
  for (const worker of workers) worker.tell(opened("cpu"));
  const columns = (reset: boolean, at: number[], values: number[]): FromWorker => ({
    type: "columns",
    reset,
    at,
    columns: [{ id: "cpu_used_pct", name: "CPU used", unit: "%", values }],
  });
  workers[0].tell(columns(true, [10e6, 20e6], [1, 2]));
  workers[0].tell(columns(false, [30e6], [3]));
  workers[1].tell(columns(true, [10e6], [9]));
  const seen = () => pair.state.sides.map(({ series }) => [series.at.map((time) => time / 1e6), series.tracks.get("cpu_used_pct")?.values]);
  assert.deepEqual(seen(), [
    [
      [10, 20, 30],
      [1, 2, 3],
    ],
    [[10], [9]],
  ]);
  pair.seek(600e6);
  pair.seek(10e6);
  assert.equal(pair.state.head, 600e6, "the axis stays while somebody goes back");
  workers[0].tell(columns(true, [10e6], [1])); // back: told anew
  pair.swap();
  assert.deepEqual(seen(), [
    [[10], [9]],
    [[10], [1]],
  ]);
});

test("the charts of a watched pair draw different figures, those that are not 0 first", () => {
  const track = (id: string, ...values: number[]): [string, Track] => [id, { id, name: id, unit: "", values }];
  const run = {
    series: Object.assign(new Series(), {
      tracks: new Map([track("waiting", 0, 0), track("overloaded_pct", 0, 2), track("cpu_used_pct", 50, 60), track("mail", 1, 1)]),
    }),
  };
  const drawn = (...chosen: string[]) => figuresWatched([run], chosen).map(({ id }) => id);
  assert.deepEqual(drawn("", ""), ["overloaded_pct", "cpu_used_pct"]);
  assert.deepEqual(drawn("", "overloaded_pct"), ["cpu_used_pct", "overloaded_pct"], "one that is chosen is not drawn twice");
  assert.deepEqual(drawn("mail", "gone"), ["mail", "overloaded_pct"]);
  assert.deepEqual(figuresWatched([], ["", ""]), []);
});
