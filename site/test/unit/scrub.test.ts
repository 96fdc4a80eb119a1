// Dragging along the timeline: what is asked of the run, and what is dropped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scrub } from "../../src/place/watch/model/scrub.ts";

test("one moment is under way at a time, then comes the newest wish", () => {
  const sent: number[] = [];
  const scrub = new Scrub((at) => sent.push(at));
  for (const at of [100, 200, 300.4, 400.6]) scrub.wish(at);
  assert.deepEqual(sent, [100]);
  scrub.came(60); // on the way
  assert.deepEqual(sent, [100]);
  scrub.came(100);
  assert.deepEqual(sent, [100, 401], "200 and 300 are dropped");
  scrub.came(100); // told twice
  scrub.came(401);
  assert.deepEqual(sent, [100, 401]);
  scrub.wish(50);
  scrub.wish(50);
  scrub.came(50);
  assert.deepEqual(sent, [100, 401, 50], "nobody goes where he is");
});

test("the end of a drag waits for nothing, and what was under way is forgotten", () => {
  const sent: number[] = [];
  const scrub = new Scrub((at) => sent.push(at));
  scrub.wish(100);
  scrub.wish(200);
  scrub.end(0);
  assert.deepEqual(sent, [100, 1]);
  scrub.came(100);
  assert.deepEqual(sent, [100, 1]);
  scrub.wish(70);
  assert.deepEqual(sent, [100, 1, 70]);
});
