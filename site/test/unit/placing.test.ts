// When the page says how far a cell is filled.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../../src/base/messages.ts";
import { placing } from "../../src/place/watch/panel/placing.ts";

const status = (playing: boolean, waiting: number, running: number) =>
  ({ playing, counts: { waiting, running, migrating: 100 } }) as unknown as Status;

test("a cell that is being filled says how far it is; one that is full or stands does not", () => {
  assert.deepEqual(placing(status(true, 900_000, 346_000)), { placed: 346_100, of: 1_246_100 });
  assert.equal(placing(status(false, 900_000, 346_000)), undefined, "nothing happens while it stands");
  assert.equal(placing(status(true, 19_999, 0)), undefined, "few tasks are placed at once");
  assert.equal(placing(status(true, 50_000, 1_200_000)), undefined, "a small part may wait all the time");
});
