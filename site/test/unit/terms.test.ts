// Words of the field in what stands on the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../src/model/terms.ts";

const terms = [
  { words: ["proportional", "PA"], means: "p" },
  { words: ["disproportionate", "DA"], means: "d" },
  { words: ["super tight", "STA"], means: "s" },
  { words: ["tight", "TA"], means: "t" },
  { words: ["by force", "forced"], means: "f" },
];
const told = (text: string) =>
  pieces(text, terms)
    .map(({ text: word, means }) => (means ? `[${word}=${means}]` : word))
    .join("");

test("whole words are found, the longest of them, abbreviations in capitals only", () => {
  assert.equal(told("super tight (STA)"), "[super tight=s] ([STA=s])");
  assert.equal(told("Tight nodes, tightly packed"), "[Tight=t] nodes, tightly packed");
  assert.equal(told("DATA of pa, PA and DA"), "DATA of pa, [PA=p] and [DA=d]");
  assert.equal(told("disproportionate"), "[disproportionate=d]");
  assert.equal(told("Node 12 moves a task to node 7 by force"), "Node 12 moves a task to node 7 [by force=f]");
  assert.equal(told("un-forced"), "un-forced");
  assert.equal(told(""), "");
  assert.deepEqual(pieces("PA", []), [{ text: "PA" }]);
});
