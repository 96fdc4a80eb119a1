// A play of a cluster that is watched: what its shots come to, its words, and the panel.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClusterPlay, groupsOf, LIFE, Screen, spanOf, tells } from "../../src/place/cluster/model/play.ts";
import { mountPlay } from "../../src/place/cluster/panel/play.ts";
import { layOut, sharedStart } from "../../src/place/cluster/panel/playmap.ts";
import { all, byId, pass, place, text } from "./browser.ts";

Object.assign(globalThis, {
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
  devicePixelRatio: 1,
});

type Row = [at: number, kind: string, pod: number, node: number, from: number, name: number, text: number];

const KINDS = ["cordoned", "drain begins", "deleted", "created", "bound", "ready", "gone", "refused", "emptied", "unschedulable"];

/** Node a is drained: web-0 moves to b; web-1 is refused for 10 s, then leaves and finds no node. A pod of a DaemonSet stays. */
const ROWS: Row[] = [
  [0, "cordoned", -1, 0, -1, -1, -1],
  [0, "drain begins", -1, 0, -1, -1, -1],
  [0, "deleted", 0, 0, -1, 0, 0],
  [0, "created", 3, -1, -1, 2, -1],
  [0, "bound", 3, 1, 0, 2, -1],
  [0, "refused", 1, 0, -1, 1, 1],
  [10, "ready", 3, 1, -1, 2, -1],
  [10, "deleted", 1, 0, -1, 1, 0],
  [10, "created", 4, -1, -1, 3, -1],
  [10, "unschedulable", 4, -1, -1, 3, 2],
  [30, "gone", 0, 0, -1, 0, -1],
  [40, "gone", 1, 0, -1, 1, -1],
  [40, "emptied", -1, 0, -1, -1, -1],
];

function playOf(rows: Row[], change: Partial<ClusterPlay> = {}): ClusterPlay {
  const column = (k: number) => Int32Array.from(rows, (row) => row[k] as number);
  return {
    type: "clusterplay",
    question: "drain",
    document: 0,
    nodes: [
      { name: "node-a", zone: "z1" },
      { name: "node-b", zone: "z2" },
    ],
    pod_node: Int32Array.of(0, 0, 0),
    pod_of: Int32Array.of(0, 0, 1),
    pod_life: Uint16Array.of(LIFE.ready, LIFE.ready, LIFE.ready),
    pod_exempt: Uint16Array.of(0, 0, 1),
    workloads: ["n/web", "n/agent"],
    names: ["n/web-0", "n/web-1", "n/web-2", "n/web-3"],
    texts: ["evicted", "Cannot evict pod.", "0/2 nodes are available."],
    kinds: KINDS,
    at: Float64Array.from(rows, ([at]) => at),
    shot_kind: Uint16Array.from(rows, ([, kind]) => KINDS.indexOf(kind)),
    pod: column(2),
    node: column(3),
    from: column(4),
    of: Int32Array.from(rows, () => 0),
    name: column(5),
    text: column(6),
    exempt: Uint16Array.from(rows, () => 0),
    left: 0,
    stop: 10,
    why: "The drains stop at node-a.",
    ...change,
  };
}

test("a moment is what the shots up to it come to, forwards and backwards", () => {
  const screen = new Screen(playOf(ROWS));
  const at = (seconds: number) => {
    screen.seek(seconds);
    return [[...screen.node].join(), [...screen.life].join(), screen.states().join()];
  };
  assert.deepEqual(at(-1), ["0,0,0,-1,-1", "3,3,3,0,0", "plain,plain"]);
  assert.deepEqual(at(5), ["0,0,0,1,-1", "4,3,3,2,0", "stalled,plain"]);
  assert.deepEqual(at(10), ["0,0,0,1,-1", "4,4,3,3,1", "emptying,plain"]);
  assert.deepEqual(at(99), ["-1,-1,0,1,-1", "0,0,3,3,1", "emptied,plain"]);
  assert.deepEqual(at(5), ["0,0,0,1,-1", "4,3,3,2,0", "stalled,plain"]);
  assert.equal(screen.end, 40);
  assert.deepEqual([screen.beside(1), screen.beside(-1)], [10, 0]);
  screen.seek(30);
  assert.deepEqual([screen.beside(1), screen.beside(-1)], [40, 10]);
  assert.deepEqual(screen.waiting(), [4]);
  assert.deepEqual([...screen.from], [-1, -1, -1, 0, -1]);
});

test("what happens is told in words, what matters most first", () => {
  const play = playOf(ROWS);
  const said = (from: number, to: number) => groupsOf(play, from, to).map((group) => tells(play, group));
  assert.deepEqual(said(0, 6), [
    "n/web-1 may not be evicted on node-a: Cannot evict pod",
    "node-a is drained",
    "n/web-0 is evicted from node-a",
    "n/web-2 moves from node-a to node-b",
    "node-a is cordoned",
    "n/web-2 is made",
  ]);
  assert.deepEqual(said(9, 10), ["n/web-3 finds no node: 0/2 nodes are available"]);
  const deleted = playOf([[0, "deleted", 0, 0, -1, 0, -1]]);
  assert.equal(tells(deleted, [0]), "n/web-0 is deleted on node-a", "a controller evicts nothing");
  const many = playOf(
    [0, 1, 2, 3].map((node) => [5, "ready", node, node, -1, node, -1]),
    { nodes: ["a", "b", "c", "d"].map((name) => ({ name })) },
  );
  assert.deepEqual(
    groupsOf(many, 0, 4).map((group) => tells(many, group)),
    ["4 pods are ready on 4 nodes"],
  );
  assert.deepEqual([0, 59, 60, 150, 3900, 7200].map(spanOf), ["0 s", "59 s", "1 min", "2 min 30 s", "1 h 5 min", "2 h"]);
});

test("cells are as large as the height lets them be, and thousands have room", () => {
  const many = (n: number) =>
    new Screen(playOf([], { nodes: Array.from({ length: n }, (_, i) => ({ name: `n${i}`, zone: `z${i % 3}` })) }));
  for (const [nodes, width] of [
    [12, 900],
    [60, 900],
    [60, 366],
    [5000, 900],
    [5000, 366],
  ]) {
    const { cells, wide, high, height } = layOut(many(nodes), 30, width, 400);
    assert.equal(cells.length, nodes);
    assert.ok(height <= 400 || wide === 4, `${nodes} nodes on ${width} px are ${height} px high`);
    assert.ok(cells.every(({ x, y }) => x >= 0 && x + wide <= width && y + high <= height));
    assert.equal(new Set(cells.map(({ x, y }) => `${x} ${y}`)).size, nodes, "no two lie in one place");
  }
  assert.equal(sharedStart(["node-a-1", "node-a-2"]), 7);
  assert.equal(sharedStart(["a"]), 0);
});

test("the panel goes to a moment, to the next one and to where the play stops, and asks why a pod is where it is", async () => {
  const element = place();
  const watched = { play: playOf(ROWS), at: 0 };
  const asked: number[] = [];
  const end = mountPlay(element, watched, false, (shot) => {
    asked.push(shot);
    const why = document.createElement("p");
    why.textContent = "Only node-b takes it.";
    return Promise.resolve([why]);
  });
  const told = () => all(element, ".play-told li").map(text);
  assert.equal(text(element.querySelector(".play-clock") as Element), "0 s of 40 s · 0 pods wait");
  assert.match(told().join(), /^At 0 s,n\/web-1 may not be evicted/);
  const moves = element.querySelector<HTMLDetailsElement>(".play-moves") as HTMLDetailsElement;
  moves.open = true;
  moves.dispatchEvent(new window.Event("toggle"));
  assert.match(text(moves), /^1 pod gets its node at this momentn\/web-2 on node-b Why here\?/);
  moves.querySelector("button")?.click();
  await pass(0);
  await pass(0);
  assert.deepEqual(asked, [4]);
  assert.match(text(moves), /Only node-b takes it\.$/);
  byId(element, "play-next").click();
  assert.ok(moves.hidden, "no pod gets a node at the next moment");
  assert.equal(watched.at, 10);
  assert.match(told().join(), /The drains stop at node-a/);
  assert.match(text(element), /Pods that wait for a node: 1n\/web-3 0\/2 nodes are available/);
  byId(element, "play-next").click();
  byId(element, "play-back").click();
  assert.equal(watched.at, 10);
  byId(element, "play-restart").click();
  assert.equal(watched.at, 0);
  byId(element, "play-stop").click();
  assert.equal(watched.at, 10);
  assert.equal(all(element, ".play-track .stall").length, 1);
  assert.equal(all(element, ".play-track .stop").length, 1);
  end();
});
