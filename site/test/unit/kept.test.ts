// What this browser keeps of the runs, on a shelf that is no browser's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shelf } from "../../src/base/shelf.ts";
import { Keeper, type KeptRun, MOST_RUNS, nameOf, whyNot } from "../../src/model/kept.ts";

class Fake implements Shelf {
  all = new Map<string, File>();
  room = Infinity; // bytes
  forbidden = false;

  #ask(): Promise<void> {
    return this.forbidden ? Promise.reject(new DOMException("no", "SecurityError")) : Promise.resolve();
  }

  #turn: Promise<unknown> = Promise.resolve();

  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async list(): Promise<File[]> {
    await this.#ask();
    return [...this.all.values()];
  }

  async read(name: string): Promise<File | undefined> {
    await this.#ask();
    return this.all.get(name);
  }

  async write(name: string, content: Blob | string): Promise<void> {
    await this.#ask();
    const file = new File([content], name);
    const used = [...this.all.values()].reduce((sum, { size }) => sum + size, 0);
    if (used + file.size > this.room) throw new DOMException("full", "QuotaExceededError");
    this.all.set(name, file);
  }

  async remove(name: string): Promise<void> {
    await this.#ask();
    this.all.delete(name);
  }
}

function start() {
  const shelf = new Fake();
  let now = 0;
  return { shelf, keeper: new Keeper(shelf, () => ++now) };
}

const run = (id: string, link = `n=${id}`): Omit<KeptRun, "saved"> => ({ id, link, title: `Run ${id}`, about: "at 6m", picture: "" });
const ids = (runs: KeptRun[]) => runs.map(({ id }) => id);
const A = "a".repeat(64);
const B = "b".repeat(64);
const need = (...all: string[]) =>
  new URLSearchParams({ need: all.map((sha) => `sha256:${sha.slice(0, 16)},${sha[0]}.csv`).join("|") }).toString();

test("the last runs are kept, the latest first, each once", async () => {
  const { keeper } = start();
  await Promise.all([keeper.keep(run("a"), run("b")), keeper.keep(run("a", "n=1&at=5m"))]);
  const kept = await keeper.runs();
  assert.deepEqual(
    kept.map(({ id, link }) => [id, link]),
    [
      ["a", "n=1&at=5m"],
      ["b", "n=b"],
    ],
  );
  await keeper.keep({ ...run("b"), picture: "data:image/png;base64,AA" }, { ...run("b"), link: "n=2" });
  assert.equal((await keeper.runs())[0].picture, "data:image/png;base64,AA", "a course that is not drawn keeps its picture");
  for (let i = 0; i < MOST_RUNS; i++) await keeper.keep(run(`c${i.toString(16)}`));
  assert.equal((await keeper.runs()).length, MOST_RUNS);
  assert.ok(!ids(await keeper.runs()).includes("a"), "the oldest went");
});

test("files are found by their content, all or none, under the names that the link has", async () => {
  const { keeper } = start();
  await keeper.keep(run("a", need(A, B)));
  await keeper.keepFile(A, new Blob(["one"]));
  const wanted = new URLSearchParams(need(A, B)).get("need") ?? "";
  assert.equal(await keeper.files(wanted), undefined, "one of them is missing");
  await keeper.keepFile(B, new Blob(["three"]));
  const files = await keeper.files(wanted);
  assert.deepEqual(await Promise.all((files ?? []).map(async (file) => [file.name, await file.text()])), [
    ["a.csv", "one"],
    ["b.csv", "three"],
  ]);
  assert.equal(await keeper.files("old.csv"), undefined, "a link from before files were known by content");
  assert.deepEqual((await keeper.size()).files, 8);
});

test("a file that no kept run plays any more goes", async () => {
  const { shelf, keeper } = start();
  await keeper.keep(run("f", need(A)));
  await keeper.keepFile(A, new Blob(["one"]));
  for (let i = 0; i < MOST_RUNS - 1; i++) await keeper.keep(run(`c${i.toString(16)}`));
  assert.ok(shelf.all.has(`file-${A}`));
  await keeper.keep(run("d"));
  assert.ok(!shelf.all.has(`file-${A}`));
});

test("everything is forgotten, or the files alone", async () => {
  const { shelf, keeper } = start();
  await keeper.keep(run("a", need(A)));
  await keeper.keepFile(A, new Blob(["one"]));
  await keeper.forgetFiles();
  assert.deepEqual([...shelf.all.keys()], ["run-a.json"]);
  const late = keeper.keep(run("b"));
  await keeper.forget(); // in turn: what was being kept is forgotten too
  await late;
  assert.deepEqual([...shelf.all.keys()], []);
});

test("what somebody else left on the shelf, or half a run, is passed over", async () => {
  const { shelf, keeper } = start();
  await keeper.keep(run("a"));
  await shelf.write("run-b.json", '{"id":"b"');
  await shelf.write("run-c.json", '{"id":"c","link":5}');
  await shelf.write("notes.txt", "mine");
  await shelf.write("run-d.json", JSON.stringify({ ...run("d"), picture: "https://example.org/spy.png", saved: 5 }));
  const kept = await keeper.runs();
  assert.deepEqual(
    kept.map(({ id, picture }) => [id, picture]),
    [
      ["d", ""],
      ["a", ""],
    ],
    "and no picture comes from elsewhere",
  );
});

test("no room, and a browser that forbids it, are a sentence each; the next try works", async () => {
  const { shelf, keeper } = start();
  await keeper.keep(run("a"));
  shelf.room = 0;
  await assert.rejects(keeper.keep(run("b")), (error) => whyNot(error).startsWith("This browser has no room to keep more"));
  assert.deepEqual(ids(await keeper.runs()), ["a"], "what was kept stays");
  shelf.room = Infinity;
  shelf.forbidden = true;
  await assert.rejects(keeper.runs(), (error) => whyNot(error).includes("the window is private"));
  shelf.forbidden = false;
  await keeper.keep(run("b"));
  assert.deepEqual(ids(await keeper.runs()), ["b", "a"]);
  assert.match(whyNot(new TypeError("x")), /^This browser could not save the run/);
});

test("names differ with their texts", () => {
  const names = new Set(Array.from({ length: 5000 }, (_, i) => nameOf(`{"seed":${i}}`)));
  assert.equal(names.size, 5000);
  assert.ok([...names].every((name) => /^[0-9a-f]{14}$/.test(name)));
});
