// Workflow files: dropped while another system runs, each is posted and played; and the
// picture of a large one stays usable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drop, RESULTS, visit } from "./harness.ts";

/** The same graph of each format: one task, three that need its result, one that needs theirs. Each takes ten minutes, ten seconds of watching. */
const LONG = 600; // s
const middle = ["b", "c", "d"];
const files: [what: string, name: string, text: string][] = [
  [
    "WfCommons",
    "fan.json",
    JSON.stringify({
      name: "fan",
      schemaVersion: "1.5",
      workflow: {
        specification: {
          tasks: [
            { name: "a", id: "a", parents: [], children: middle, outputFiles: ["f"] },
            ...middle.map((id) => ({ name: id, id, parents: ["a"], children: ["e"], inputFiles: ["f"], outputFiles: [`${id}.out`] })),
            { name: "e", id: "e", parents: middle, children: [], inputFiles: middle.map((id) => `${id}.out`) },
          ],
          files: ["f", ...middle.map((id) => `${id}.out`)].map((id) => ({ id, sizeInBytes: 1e6 })),
        },
        execution: { tasks: ["a", ...middle, "e"].map((id) => ({ id, runtimeInSeconds: LONG })) },
      },
    }),
  ],
  [
    "DAX",
    "fan.xml",
    `<?xml version="1.0"?>\n<adag version="2.1" jobCount="5">${["a", ...middle, "e"].map((id) => `<job id="${id}" name="x" runtime="${LONG}"/>`).join("")}` +
      `${middle.map((id) => `<child ref="${id}"><parent ref="a"/></child>`).join("")}<child ref="e">${middle.map((id) => `<parent ref="${id}"/>`).join("")}</child></adag>`,
  ],
  ["Standard Task Graph", "fan.stg", `5\n0 0 0\n1 ${LONG} 1 0\n2 ${LONG} 1 1\n3 ${LONG} 1 1\n4 ${LONG} 1 1\n5 ${LONG} 3 2 3 4\n6 0 1 5\n`],
];

for (const [what, name, text] of files) {
  test(`a workflow is dropped, posted and played: ${what}`, async (t) => {
    const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
    await drop(page, name, text);
    await page.waitForFunction(() => location.hash.includes("need=sha256"));
    const subtasks = name.endsWith("stg") ? 7 : 5; // with two of no work
    await page.waitForFunction(
      (many) => document.querySelector(".graphs [role=status]")?.textContent?.startsWith(`Graph 1: ${many} subtasks`),
      subtasks,
    );
    await page.waitForFunction(() => {
      // it is drawn: not all is of one colour
      const canvas = document.querySelector<HTMLCanvasElement>(".graphs canvas");
      const pixels = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return pixels.some((value, i) => i % 4 === 3 && value > 0);
    });
    await page.waitForFunction(() => Number(document.querySelector(".graphs progress")?.getAttribute("value")) > 0); // and played
    await page.screenshot({ path: `${RESULTS}/workflow-${name}.png` });
    await page.click("#tab-gantt");
    await page.waitForFunction(() =>
      /1 graph so far · [\d,]+ subtasks?, coloured by graph/.test(document.querySelector(".course p")?.textContent ?? ""),
    );
    assert.deepEqual(errors, []);
  });
}
