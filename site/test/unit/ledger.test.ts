// The story as a ledger: what a line says, counts and holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { age, ago, MINUTE, SECOND } from "../../src/base/format.ts";
import type { Counted, Incident } from "../../src/base/messages.ts";
import { emptyState } from "../../src/model/store.ts";
import { ledger } from "../../src/place/watch/model/ledger.ts";
import { described, fault } from "./describe.ts";

const story = [
  { kind: 0, one: "task moved", many: "tasks moved", look: "move" },
  { kind: 2, one: "job refused", many: "jobs refused", look: "no" },
];
const group = (part: Partial<Counted>): Counted => ({ kind: 0, count: 1, since: 0, at: 0, lines: [], ...part });

function state(counted: Counted[], incidents: Incident[], at: number) {
  const status = { ...({} as NonNullable<ReturnType<typeof emptyState>["status"]>), at };
  const systems = [described({ id: "a", story })];
  return { ...emptyState(), counted, incidents, systems, scenario: { v: 1, system: "a" } as never, status };
}

const shown = (s: ReturnType<typeof state>) => ledger(s, 9).map(({ look, count, words }) => `${look} ${count} ${words}`);

test("a line is a count with its noun, the newest first, and nothing of the future", () => {
  const counted = [
    group({ count: 31, at: 30 * SECOND, since: 9 * SECOND }),
    group({ kind: 2, at: 5 * SECOND }),
    group({ at: 90 * SECOND }),
  ];
  assert.deepEqual(shown(state(counted, [fault({})], MINUTE)), [
    "move 31 tasks moved",
    "bad 623 tasks stopped in rack 137",
    "no 1 job refused",
  ]);
});

test("a group whose beginning is forgotten is at least so large", () => {
  assert.deepEqual(shown(state([group({ count: 1, truncated: true })], [], MINUTE)), ["move 1+ tasks moved"]);
});

test("notes that the system does not count have no line", () => {
  assert.deepEqual(shown(state([group({ kind: 7 })], [], MINUTE)), []);
});

test("a fault opens to its consequences, which add up", () => {
  const [line] = ledger(state([], [fault({ again: 610, ended: 8, back: 48, healed: 20 * SECOND })], MINUTE), 9);
  assert.deepEqual(
    line.details.map((one) => ("count" in one ? `${one.count} ${one.words}` : "")),
    ["610 ran again", "5 waiting for room", "8 ended instead", " Cost: 623 tasks stopped.", "48 of 48 nodes back at 00:00:20"],
  );
  const alone = fault({ subject: "Node 4", nodes: 1, whole: false, lost: 1, again: 1 });
  assert.deepEqual(shown(state([], [alone, fault({ subject: "Node 9", nodes: 1, whole: false, lost: 0, again: 0 })], MINUTE)), [
    "bad 1 task stopped on node 4",
    "bad 1 node failed: node 9",
  ]);
});

test("ages have one unit", () => {
  assert.deepEqual([0, 27 * SECOND, 4.9 * MINUTE, 125 * MINUTE, 49 * 60 * MINUTE].map(age), ["now", "27 s", "4 min", "2 h", "2 d"]);
  assert.deepEqual([0, 27 * SECOND].map(ago), ["just now", "27 s ago"]);
});
