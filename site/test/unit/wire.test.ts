// Messages as they cross, against the file that the Go side writes: what it says is
// read as it was meant, and what the page says is written as it reads it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { FromWorker } from "../../src/base/messages.ts";
import { pack, transferable, unpack, type Wire } from "../../src/base/wire.ts";
import { FrameKeeper, receive } from "../../src/model/engine.ts";
import { namesIn, needOf } from "../../src/model/need.ts";
import { emptyState, Store } from "../../src/model/store.ts";

interface Example {
  union: string;
  wire: Wire;
}

/** The examples of messages.txt: union and text, and below them the parts. */
function examples(): Example[] {
  const list: Example[] = [];
  for (const line of readFileSync("test/unit/messages.txt", "utf8").trimEnd().split("\n")) {
    const [, name, hex] = /^ {2}(\w+) ?([0-9a-f]*)$/.exec(line) ?? [];
    if (!name) {
      const [union, ...text] = line.split(" ");
      list.push({ union, wire: { text: text.join(" "), parts: [] } });
    } else if (name === "File") {
      list.at(-1)?.wire.parts.push(new File(["x"], "part-00000-of-00500.csv.gz"));
    } else {
      list.at(-1)?.wire.parts.push(Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)).buffer);
    }
  }
  return list;
}

test("every message that was read is written as it came", () => {
  const all = examples();
  assert.ok(all.length > 40);
  for (const { wire } of all) {
    const message = unpack<object>(wire);
    const again = pack(message);
    const size = (text: string) => text.replace(/"size":\d+/, ""); // of a File that is not so large here
    assert.equal(size(again.text), size(wire.text));
    assert.deepEqual(
      again.parts.map((part) => (part instanceof ArrayBuffer ? [...new Uint8Array(part)] : part)),
      wire.parts.map((part) => (part instanceof ArrayBuffer ? [...new Uint8Array(part)] : part)),
    );
  }
});

test("buffers come as what they are, and change hands; files do not", () => {
  const all = examples();
  const opened = unpack<FromWorker>(
    all.find(({ union, wire }) => union === "FromWorker" && wire.text.includes('"opened"'))?.wire ?? { text: "{}", parts: [] },
  );
  assert.ok(opened.type === "opened");
  assert.deepEqual([opened.layout.x, opened.layout.rack], [Uint16Array.of(0, 2), Int32Array.of(0, 7)]);
  const numbers = Int32Array.of(1, 2);
  const wire = pack({ type: "x", numbers, file: new File(["x"], "a.csv"), frame: new ArrayBuffer(3) });
  assert.equal(
    wire.text,
    '{"type":"x","numbers":{"part":0,"as":"Int32Array"},"file":{"part":1,"name":"a.csv","size":1},"frame":{"part":2,"as":"ArrayBuffer"}}',
  );
  assert.deepEqual(
    transferable(wire).map(({ byteLength }) => byteLength),
    [8, 3],
  );
  assert.notEqual(wire.parts[0], numbers.buffer, "what the page keeps is copied");
});

test("the page knows what to do with every message of the worker", () => {
  for (const { union, wire } of examples()) {
    if (union !== "FromWorker" || wire.text.startsWith('{"type":"frame"')) continue;
    const store = new Store(emptyState(), () => {});
    receive(store, unpack<FromWorker>(wire), new FrameKeeper(), () => {});
  }
});

test("a link names files by content, so that two parts of one name are two", () => {
  const part = (sha256: string) => ({
    file: "part-00000-of-00500.csv.gz",
    format: "",
    label: "",
    sha256,
    rows: 0,
    bad: 0,
    bytes: 0,
    notes: [],
  });
  const two = needOf([part("ab".repeat(32)), part("cd".repeat(32))]) ?? "";
  assert.equal(two, `sha256:${"ab".repeat(8)},part-00000-of-00500.csv.gz|sha256:${"cd".repeat(8)},part-00000-of-00500.csv.gz`);
  assert.equal(namesIn(two), "part-00000-of-00500.csv.gz, part-00000-of-00500.csv.gz");
  assert.equal(namesIn("machine_events.csv|task_events.csv"), "machine_events.csv, task_events.csv", "links from before");
  const many = Array.from({ length: 500 }, (_, i) => part(i.toString(16).padStart(64, "0").split("").reverse().join("")));
  assert.match(needOf(many) ?? "", /^sha256:[0-9a-f]{16},500 files$/);
  assert.notEqual(needOf(many), needOf(many.slice(1).concat(part("ff".repeat(32)))));
  assert.equal(needOf([]), undefined);
});
