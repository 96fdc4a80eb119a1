// Your cluster: which files are dumps, what is asked, and what becomes of answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { FromCluster, Status, ToCluster } from "../../src/base/messages.ts";
import { pack } from "../../src/base/pack.ts";
import { askOf, emptyForm } from "../../src/model/ask.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { coloursOf, fillOf } from "../../src/panel/nodemap.ts";
import { packAsked, SHARED, unpackAsked } from "../../src/place/cluster/model/asked.ts";
import { Cluster, figuresOf, holdRun, isCurrent, isShared, namesBy, waitingOf } from "../../src/place/cluster/model/cluster.ts";
import { areDumps, looksLikeDump } from "../../src/place/cluster/model/dump.ts";

const LIST = '{\n  "apiVersion": "v1",\n  "items": [],\n  "kind": "List"\n}\n';
const DUMP = {
  type: "dump",
  name: "dump.json",
  resources: [["cpu"], ["memory"]],
  nodes: [
    { name: "a", zone: "z1", type: "m", pods: 1, parts: [10, 20] },
    { name: "b", zone: "z2", type: "m", pods: 1, parts: [30, 20] },
  ],
} as unknown as Extract<FromCluster, { type: "dump" }>;

/** Turns of the loop until everything that waits has been told. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("dumps are known by their content, packed or not; scenarios and tables are none", async () => {
  assert.ok(looksLikeDump(LIST));
  assert.ok(looksLikeDump("\ufeffapiVersion: v1\nkind: List\nitems:\n"));
  assert.ok(looksLikeDump('[{"apiVersion":"v1","kind":"Node","metadata":{}}]'));
  for (const other of ['{"v":1,"system":"central"}', "kind: pod\nname: x", "a,b\n1,2\n", '{"kind":"x"}', ""])
    assert.ok(!looksLikeDump(other), other);
  const plain = new File([LIST], "a.json");
  const packed = new File([new Uint8Array(gzipSync(LIST + " ".repeat(500_000)))], "b.json.gz");
  assert.ok(await areDumps([plain, packed]));
  assert.ok(!(await areDumps([plain, new File(["a,b\n"], "c.csv")])));
  assert.ok(!(await areDumps([])));
});

test("a question has what it uses, and an answer is stale when that changed", () => {
  const form = { ...emptyForm(), emptyDir: true, name: "z1", pod: " shop/web ", prices: { name: "p.csv", text: "type,price" } };
  assert.deepEqual(askOf("drain", form), {
    type: "ask",
    question: "drain",
    configs: [{ name: "default" }],
    prices: form.prices,
    delete_emptydir: true,
    force: false,
    control_plane: false,
  });
  assert.deepEqual(askOf("lose", form).names, ["z1"]);
  assert.deepEqual(askOf("lose", { ...form, name: "" }).names, []);
  assert.equal(askOf("lose", form).prices, undefined, "a loss has no price");
  assert.equal(askOf("fit", form).pod, "shop/web");
  assert.deepEqual(
    askOf("score", { ...form, config: "most-allocated" }).configs?.map(({ name }) => name),
    ["most-allocated", "default"],
    "the chosen one is the baseline",
  );
  const kept = figuresOf({ name: "last.json", text: '{"figures":[{"name":"nodes","value":8}],"drain":{"steps":[1,2]}}' });
  assert.deepEqual(askOf("report", { ...form, against: kept }).against, {
    name: "last.json",
    text: '{"figures":[{"name":"nodes","value":8}]}',
  });
  assert.equal(askOf("drain", { ...form, against: kept }).against, undefined);
  assert.equal(figuresOf({ name: "x", text: "no JSON" }).text, "no JSON", "the worker says what is wrong with it");
  const answered = {
    documents: [],
    before: [],
    nodes: new Set<number>(),
    filters: [],
    stops: [],
    digest: "",
    seconds: 1,
    asked: askOf("drain", form),
  };
  assert.ok(isCurrent(answered, { ...form, name: "z2" }), "a drain does not look at what is lost");
  assert.ok(!isCurrent(answered, { ...form, force: true }));
  assert.ok(!isCurrent(answered, { ...form, changes: [{ how: "without", text: "node/a" }] }), "it was about another world");
  assert.deepEqual(namesBy(DUMP, "zone"), ["z1", "z2"]);
  assert.deepEqual(namesBy(DUMP, "type"), ["m"]);
  assert.deepEqual(namesBy(DUMP, "rack"), []);
});

test("a link has a question with all its settings, and nothing of the dump", async () => {
  const yaml = { name: "s.yaml", text: "profiles: []" };
  const form = {
    ...emptyForm(),
    ...{
      emptyDir: true,
      force: true,
      control: true,
      notReady: true,
      by: "rack",
      name: "r 7",
      groups: "owner",
      pod: "shop/web",
      waiting: "shop/x",
    },
    ...{ config: "s.yaml", configs: [{ name: "t.yaml", text: "" }, yaml], prices: { name: "p.csv", text: "type,price" } },
    against: { name: "last.json", text: '{"figures":[]}' },
    changes: [{ how: "more" as const, text: "node/a=2" }],
  };
  for (const question of SHARED)
    for (const one of [emptyForm(), form]) {
      const asked = { need: "sha256:0123456789abcdef,dump.json", digest: "0123456789abcdef", ask: askOf(question, one) };
      assert.deepEqual(await unpackAsked(await packAsked(asked)), asked, question);
    }
  for (const bad of [null, 7, {}, { need: "", digest: "x", ask: {} }, { need: "", digest: "0123456789abcdef", ask: { question: "size" } }])
    await assert.rejects(unpackAsked(await pack(bad)), /it (has no|asks nothing)/);
  const wild = {
    question: "lose",
    by: 7,
    names: [1, "z"],
    configs: [null, { name: 3 }, { name: "default", text: 5 }],
    pod: "x",
    force: true,
    changes: [{ how: "less", text: "node/a" }, { how: "more" }, null],
  };
  const { ask } = await unpackAsked(await pack({ need: "", digest: "0123456789abcdef", ask: wild }));
  assert.deepEqual(ask, askOf("lose", { ...emptyForm(), name: "z" }), "what is no setting is left out");
});

test("the question of a link is asked of its sender's dump alone, and the answers are compared", async () => {
  const { cluster, workers } = played();
  const ask = askOf("lose", { ...emptyForm(), by: "type" });
  const shared = { need: "sha256:00000000000000aa,dump.json", digest: "0123456789abcdef", ask };
  cluster.expect(shared);
  assert.equal(workers.length, 0, "it waits for the dump");
  cluster.read([new File(["x"], "other.json")]);
  workers[0].say(DUMP);
  assert.equal(workers[0].sent.at(-1)?.type, "sumdump");
  workers[0].say({ type: "sums", files: [{ file: "dump.json", sha256: "bb".repeat(32) }] });
  await settled();
  assert.match(cluster.state.why, /asks about dump\.json, and what is open differs/);
  assert.equal(cluster.state.asking, undefined);
  cluster.read([new File([LIST], "dump.json")]);
  workers[1].say(DUMP);
  workers[1].say({ type: "sums", files: [{ file: "renamed.json", sha256: `${"0".repeat(14)}aa${"0".repeat(48)}` }] });
  await settled();
  assert.deepEqual(workers[1].sent.at(-1), ask);
  workers[1].say({ ...ANSWER, question: "lose" });
  assert.equal(cluster.state.answers.lose && isShared(cluster.state.answers.lose, shared), true);
  assert.equal(cluster.state.answers.lose && isShared(cluster.state.answers.lose, { ...shared, digest: "f".repeat(16) }), false);
  cluster.edit({ notReady: true });
  cluster.ask();
  workers[1].say({ ...ANSWER, question: "lose" });
  assert.equal(cluster.state.answers.lose && isShared(cluster.state.answers.lose, shared), undefined, "another question");
  cluster.expect({ ...shared, need: "" });
  assert.deepEqual(workers[2].sent, [{ type: "readdump" }], "the example opens by itself");
});

test("the run of the map pauses while a dump is open here, and plays on afterwards", async () => {
  const { cluster } = played();
  const sent: string[] = [];
  const store = new Store(emptyState(), ({ type }) => sent.push(type));
  const playing = (is: boolean) => store.set({ status: { playing: is } as Status });
  playing(true);
  const leave = holdRun(store, cluster);
  await settled();
  assert.deepEqual(sent, [], "without a dump it plays on");
  cluster.read([]);
  await settled();
  assert.deepEqual(sent, ["pause"]);
  playing(true);
  await settled();
  assert.deepEqual(sent, ["pause"], "who plays it in spite of that is not stopped again");
  leave();
  assert.deepEqual(sent, ["pause", "play"]);
  playing(false);
  holdRun(store, cluster)();
  assert.deepEqual(sent, ["pause", "play"], "a run that stood still stays so");
});

/** A cluster whose workers are played by the test. */
function played() {
  const workers: { sent: ToCluster[]; say: (message: FromCluster) => void; ended: boolean }[] = [];
  const cluster = new Cluster(() => {
    const worker = { sent: [] as ToCluster[], say: (_: FromCluster) => {}, ended: false };
    workers.push(worker);
    return {
      send: (message) => void worker.sent.push(message),
      listen: (listener) => void (worker.say = listener),
      end: () => void (worker.ended = true),
    };
  });
  return { cluster, workers };
}

const ANSWER: Extract<FromCluster, { type: "answer" }> = {
  type: "answer",
  question: "drain",
  digest: "0123456789abcdef",
  wall_us: 2e6,
  documents: [],
  nodes: [1],
};

test("each resource of the dump is a colour, and GPUs of each model", () => {
  const resources = ["cpu", "memory", "ephemeral-storage", "pods", "nvidia.com/gpu"].map((name) => [name]);
  const node = (name: string, gpu: string, parts: number[]) => ({ name, gpu, pods: 1, parts });
  const dump = {
    ...DUMP,
    resources,
    nodes: [node("a", "A100", [100, 300, 0, 20, 750]), node("b", "L4", [400, 200, 50, 20, 0]), node("c", "", [0, 0, 0, 0, -1])],
  } as unknown as typeof DUMP;
  const colours = coloursOf(dump);
  assert.deepEqual(
    colours.map(({ name }) => name),
    ["CPU and memory", ...resources.map(([name]) => name), "nvidia.com/gpu: A100", "nvidia.com/gpu: L4"],
  );
  const filled = (i: number) => dump.nodes.map((one) => fillOf(dump, colours[i])(one)?.colour);
  assert.deepEqual(filled(0), [300, 400, 0], "the fuller of CPU and memory");
  assert.deepEqual(filled(3), [0, 50, 0]);
  assert.deepEqual(filled(5), [750, 0, undefined], "a node without GPUs is not an empty one");
  assert.deepEqual(filled(6), [750, undefined, undefined]);
});

test("a node is inspected beside an answer, which stays", () => {
  const { cluster, workers } = played();
  cluster.read([]);
  cluster.show("drain");
  workers[0].say(DUMP);
  cluster.ask();
  cluster.inspect(1);
  assert.deepEqual(workers[0].sent.at(-1), { type: "ask", question: "node", names: ["b"] });
  workers[0].say(ANSWER);
  assert.equal(cluster.state.inspected?.document, undefined, "the first answer is the question's");
  const document = { title: "b", sentence: "", grids: [], method: [] };
  workers[0].say({ type: "answer", question: "node", digest: "", wall_us: 1, documents: [document], nodes: [] });
  assert.equal(cluster.state.inspected?.document, document);
  assert.deepEqual(Object.keys(cluster.state.answers), ["drain"]);
  cluster.inspect(undefined);
  assert.equal(cluster.state.inspected, undefined);
  cluster.ask();
  cluster.cancel();
  cluster.inspect(0);
  assert.deepEqual(
    workers[1].sent.map(({ type }) => type),
    ["readdump", "ask"],
    "a cancelled worker reads the dump again",
  );
});

test("a cancelled question ends the worker; the next one reads the dump again and keeps earlier answers", async () => {
  const { cluster, workers } = played();
  cluster.read([new File([LIST], "dump.json")]);
  cluster.show("drain");
  workers[0].say({ type: "reading", file: "dump.json", bytes: 1, total: 2, text: 2 });
  assert.equal(cluster.state.reading?.bytes, 1);
  workers[0].say(DUMP);
  assert.equal(cluster.state.dump?.name, "dump.json");
  cluster.ask();
  workers[0].say(ANSWER);
  assert.deepEqual([cluster.state.answers.drain?.seconds, [...(cluster.state.answers.drain?.nodes ?? [])]], [2, [1]]);
  cluster.set({ question: "lose" });
  cluster.ask();
  workers[0].say({ type: "asking", doing: "zone b", done: 1, of: 3 });
  assert.equal(cluster.state.asking?.doing, "2 of 3: zone b");
  cluster.cancel();
  assert.ok(workers[0].ended);
  assert.equal(cluster.state.asking, undefined);
  assert.equal(cluster.state.dump?.name, "dump.json", "what was read is still shown");
  workers[0].say({ ...ANSWER, question: "lose" });
  assert.equal(cluster.state.answers.lose, undefined, "an ended worker says nothing any more");
  cluster.ask();
  assert.deepEqual(
    workers[1].sent.map(({ type }) => type),
    ["readdump", "ask"],
  );
  workers[1].say(DUMP);
  workers[1].say({ ...ANSWER, question: "lose" });
  assert.ok(cluster.state.answers.lose && cluster.state.answers.drain);
  await settled();
});

test("what was read is answered at once, question by question, while nobody asks for something else", () => {
  const { cluster, workers } = played();
  cluster.read([]);
  workers[0].say(DUMP);
  const last = () => {
    const sent = workers[0].sent.at(-1);
    return sent?.type === "ask" ? sent.question : sent?.type;
  };
  assert.equal(last(), "requests", "one that takes no time is first");
  assert.equal(workers[0].sent.length, 2, "one at a time");
  cluster.show("fit");
  cluster.ask();
  assert.equal(last(), "fit");
  workers[0].say({ ...ANSWER, question: "requests", wall_us: 1e3 });
  assert.ok(cluster.state.answers.requests);
  assert.equal(cluster.state.asking?.question, "fit", "a question of the visitor's is still under way");
  workers[0].say({ ...ANSWER, question: "fit", wall_us: 1e3 });
  assert.equal(last(), "fit", "nothing is asked that nobody looks at");
  cluster.show(undefined);
  assert.equal(last(), "pending");
  workers[0].say({ type: "trouble", trouble: { class: "setting", sentence: "no such pod" } });
  assert.deepEqual([cluster.state.first.pending, cluster.state.why], ["no such pod", ""], "it stands at its card");
  assert.equal(last(), "drain");
  workers[0].say({ ...ANSWER, wall_us: 6e6 });
  assert.equal(last(), "drain", "after one that took long the others wait for the visitor");
  assert.match(cluster.state.first.lose ?? "", /^Not asked yet/);
  cluster.show("lose");
  cluster.ask();
  cluster.cancel();
  cluster.show(undefined);
  assert.equal(workers.length, 1, "a cancelled worker does not read the dump again by itself");
  cluster.read([new File([LIST], "large.json")]);
  const nodes = Array.from({ length: 1001 }, () => DUMP.nodes[0]);
  workers[1].say({ ...DUMP, nodes });
  assert.deepEqual(
    workers[1].sent.map(({ type }) => type),
    ["readdump"],
    "a large cluster is asked about by the visitor alone",
  );
  assert.match(cluster.state.first.drain ?? "", /^Not asked yet, as the cluster is large/);
});

test("a first question that is under way can be cancelled once it is looked at", () => {
  const { cluster, workers } = played();
  cluster.read([]);
  workers[0].say(DUMP);
  cluster.show("requests");
  assert.equal(cluster.state.asking?.question, "requests");
  assert.equal(workers[0].sent.length, 2, "it is not asked twice");
  workers[0].say({ ...ANSWER, question: "requests", wall_us: 1e3 });
  assert.ok(cluster.state.answers.requests && !cluster.state.asking);
  cluster.show(undefined);
  cluster.show("pending");
  cluster.cancel();
  assert.ok(workers[0].ended && !cluster.state.asking);
  assert.equal(cluster.state.first.drain, "Not asked yet.");
});

test("a pending pod that was chosen is judged node by node", () => {
  const { cluster, workers } = played();
  cluster.read([]);
  cluster.show("pending");
  workers[0].say(DUMP);
  const grid = { heading: "Pending pods", columns: [], numbers: [], rows: [["shop/web-0", "x"]], more: 0 };
  cluster.ask();
  assert.deepEqual(workers[0].sent.at(-1), askOf("pending", emptyForm()));
  const document = { title: "", sentence: "", grids: [grid], method: [] };
  workers[0].say({ ...ANSWER, question: "pending", documents: [document] });
  assert.deepEqual(waitingOf(cluster.state), ["shop/web-0"]);
  cluster.edit({ waiting: " shop/web-0 " });
  cluster.ask();
  const sent = workers[0].sent.at(-1);
  assert.equal(sent?.type === "ask" && sent.pod, "shop/web-0");
  workers[0].say({ ...ANSWER, question: "pending", documents: [document], filters: ["NodeAffinity"], stops: [0, -1] });
  const { pending } = cluster.state.answers;
  assert.deepEqual([pending?.filters, pending?.stops], [["NodeAffinity"], [0, -1]]);
});

test("a dump that cannot be read says why, and leaves the place empty", () => {
  const { cluster, workers } = played();
  cluster.read([new File(["x"], "x.json")]);
  workers[0].say({ type: "trouble", trouble: { class: "setting", sentence: "x.json is no JSON" } });
  assert.equal(cluster.state.why, "x.json is no JSON");
  assert.deepEqual([cluster.state.opened, cluster.state.reading, cluster.state.dump], [false, undefined, undefined]);
  assert.ok(workers[0].ended, "its memory is free");
  cluster.read([new File([LIST], "dump.json")], "lose", { by: "type" });
  assert.equal(cluster.state.why, "");
  workers[1].say(DUMP);
  const asked = workers[1].sent.at(-1);
  assert.ok(asked?.type === "ask" && asked.question === "lose" && asked.by === "type", "a gallery's question is asked at once");
});

test("files of an answer come from the worker that gave it", async () => {
  const { cluster, workers } = played();
  cluster.read([]);
  cluster.show("drain");
  assert.deepEqual(workers[0].sent, [{ type: "readdump" }], "no file is the example");
  workers[0].say(DUMP);
  cluster.ask();
  workers[0].say(ANSWER);
  const file = cluster.file("script");
  assert.deepEqual(workers[0].sent.at(-1), { type: "save", question: "drain", as: "script" });
  workers[0].say({ type: "file", name: "drain.sh", mediaType: "text/x-shellscript", text: "kubectl" });
  assert.equal((await file)?.text, "kubectl");
  cluster.ask();
  cluster.cancel();
  assert.equal(await cluster.file("json"), undefined);
  assert.match(cluster.state.why, /ask again/);
});
