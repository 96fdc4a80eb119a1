// The picture of a task graph: columns by depth, states, what is under the pointer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type GraphMessage, held, take, zoomed } from "../../src/model/graph.ts";

const shape: GraphMessage = {
  type: "graphpicture",
  number: 7,
  over: false,
  shape: true,
  depth: Int32Array.of(0, 1, 1, 2),
  from: Int32Array.of(0, 0, 1, 2),
  to: Int32Array.of(1, 2, 3, 3),
  agents: Int32Array.of(-6, 4, -1, -1),
};
const nothing = new Int32Array();

test("subtasks stand in columns by depth, and agents and states are told apart", () => {
  const graph = take(undefined, shape);
  assert.ok(graph);
  assert.deepEqual([...graph.columns], [1, 2, 1]);
  assert.deepEqual(graph.at(2), { x: 0.5, y: 0.75 });
  assert.deepEqual(
    [0, 1, 2].map((v) => [graph.agent(v), graph.state(v)]),
    [
      [4, "done"],
      [4, "taken"],
      [-1, "open"],
    ],
  );
  assert.deepEqual(graph.counts(), { open: 2, taken: 1, done: 1 });
  for (let v = 0; v < 4; v++) {
    const { x, y } = graph.at(v);
    assert.equal(graph.nearest(x, y), v);
  }
  assert.equal(graph.nearest(1, 0.5), -1);
});

test("later messages change agents alone, those about another graph nothing", () => {
  const graph = take(undefined, shape);
  const later: GraphMessage = { ...shape, shape: false, depth: nothing, from: nothing, to: nothing, agents: Int32Array.of(-6, -6, 9, -1) };
  assert.equal(take(graph, later), graph);
  assert.deepEqual(graph?.counts(), { open: 1, taken: 1, done: 2 });
  take(graph, { ...later, number: 8, agents: nothing });
  assert.equal(graph?.length, 4);
  assert.equal(graph?.counts().done, 2);
  take(graph, { ...later, over: true, agents: nothing });
  assert.ok(graph?.over);
  assert.equal(graph?.counts().done, 2, "the last state stays in view");
});

test("a lens zooms about a place and stays within the picture", () => {
  const near = zoomed({ zoom: 1, x: 0, y: 0 }, 4, { x: 0.5, y: 1 });
  assert.deepEqual(near, { zoom: 4, x: 0.375, y: 0.75 });
  assert.deepEqual(zoomed(near, 1 / 100, { x: 0, y: 0 }), { zoom: 1, x: 0, y: 0 });
  assert.deepEqual(held({ zoom: 2, x: -1, y: 3 }), { zoom: 2, x: 0, y: 0.5 });
});
