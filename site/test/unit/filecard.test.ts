// The card of opened files, and from where and how fast they are watched.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileSummary, Held } from "../../src/base/messages.ts";
import { fileCard, firstWork, spanOf, speedFor } from "../../src/model/filecard.ts";
import { SPEEDS } from "../../src/model/speed.ts";
import { emptyState } from "../../src/model/store.ts";
import { choice, described } from "./describe.ts";

const DAY = 86_400e6;
const held: Held = {
  ...{ of: "jobs", rows: 3154, played: 3145, repaired: [], jobs: 3145, processors: 240, first: 90e6, end: 61 * DAY },
  leftOut: [
    { about: "never ran (run time 0 or unknown)", count: 8 },
    { about: "bad rows", count: 1, first: "line 7 is short" },
  ],
};
const file = (part: Partial<FileSummary>): FileSummary => ({
  ...{ file: "hpc2n.swf", format: "swf/jobs", label: "jobs", sha256: "", rows: 3154, bad: 1, bytes: 2.4e6 },
  ...{ notes: ["3145 of the 3154 jobs in the files are played"], held },
  ...part,
});

test("a log's card says what was read, what was left out by reason, and who schedules it", () => {
  const card = fileCard({
    ...emptyState(),
    files: [file({})],
    systems: [described({ id: "central", name: "Central scheduler", settings: [choice("policy", "best-fit", "easy")] })],
    scenario: { v: 1, system: "central", settings: { policy: "easy" } },
    choices: ["market cannot schedule the files' jobs, so Parley uses Central scheduler", "3145 of the 3154 jobs in the files are played"],
  });
  assert.deepEqual(card, {
    title: "hpc2n.swf: 3,145 jobs on 240 processors, 2 months.",
    facts: [
      ["Format", "swf, jobs"],
      ["Size", "2.4 MB"],
      ["Read", "3,154 jobs"],
      ["First work at", "1m30s"],
      ["Left out: never ran (run time 0 or unknown)", "8", undefined],
      ["Left out: bad rows", "1", "line 7 is short"],
      ["Scheduled by", "Central scheduler, policy easy"],
    ],
    said: ["Market cannot schedule the files' jobs, so Parley uses Central scheduler."],
  });
});

test("without files there is no card, and what names no processors counts machines", () => {
  assert.equal(fileCard(emptyState()), undefined);
  const grid = { cells: 5 } as ReturnType<typeof emptyState>["grid"];
  const tasks = file({ held: { ...held, of: "rows", played: 450, jobs: 0, processors: 0 } });
  assert.equal(
    fileCard({ ...emptyState(), files: [tasks, file({})], grid })?.title,
    "hpc2n.swf and 1 more file: 450 rows on 5 machines, 2 months.",
  );
});

test("spans are said in the largest unit of which there are two", () => {
  assert.deepEqual([330 * DAY, 45 * DAY, 47 * 3600e6, 119e6, 1e6].map(spanOf), [
    "11 months",
    "45 days",
    "47 hours",
    "119 seconds",
    "1 second",
  ]);
});

test("the clock starts at the first work, where that comes late", () => {
  assert.deepEqual(
    [-1, 0, 59e6, 90.5e6].map((first) => firstWork({ ...held, first })),
    [0, 0, 0, 90e6],
  );
});

test("a log plays so fast that some jobs come a second", () => {
  assert.equal(speedFor(held, SPEEDS), 3600, "61 days, 3,145 jobs: one each 1,675 s");
  assert.equal(speedFor({ ...held, jobs: 28_481, end: 330 * DAY }, SPEEDS), 3600, "KTH");
  assert.equal(speedFor({ ...held, jobs: 3 }, SPEEDS), 86_400, "never as fast as it goes");
  assert.equal(speedFor({ ...held, jobs: 1e9 }, SPEEDS), 1);
  assert.equal(speedFor({ ...held, jobs: 0 }, SPEEDS), undefined);
});
