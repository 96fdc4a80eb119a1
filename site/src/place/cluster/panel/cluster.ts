// The place "Your cluster": a dump to choose or drop, what was read of it, its nodes drawn by
// zone, and questions with their answers.

import { atMostEvery, h, render, say } from "../../../base/dom.ts";
import { bytes, coming, count, digits, percent } from "../../../base/format.ts";
import type { Answered, DumpRead, Question } from "../../../model/ask.ts";
import type { Starts } from "../../../model/engines.ts";
import { namesIn } from "../../../model/need.ts";
import { openFiles } from "../../../model/run.ts";
import { all, type Store } from "../../../model/store.ts";
import type { Mount } from "../../../panel/later.ts";
import { coloursOf, drawNodes } from "../../../panel/nodemap.ts";
import { type Asked, unpackAsked } from "../model/asked.ts";
import { Cluster, holdRun, isCurrent, isShared } from "../model/cluster.ts";
import { answerOf } from "./answer.ts";
import { formOf } from "./form.ts";
import { inspectorOf, nodesOf } from "./node.ts";
import { overviewOf } from "./overview.ts";
import { worldOf } from "./world.ts";

const COMMAND =
  "kubectl get nodes,pods,pv,pvc,pdb,priorityclasses,namespaces,services,daemonsets,deployments,replicasets,statefulsets,storageclasses,csinodes,volumeattachments -A -o json > dump.json";

/** The questions in their order, as they are chosen. */
export const QUESTIONS: [question: Question, name: string, title: string][] = [
  ["drain", "Drain", "Which nodes can be emptied?"],
  ["lose", "Lose", "What if nodes are lost?"],
  ["fit", "Fit", "How many more pods fit?"],
  ["grow", "Grow", "Which nodes would take the pending pods?"],
  ["pending", "Pending", "Why does each pending pod wait, and what would help?"],
  ["blockers", "Blockers", "Which pods, budgets, volumes and annotations keep which nodes from being emptied?"],
  ["rollout", "Rollout", "Does a rollout fit, how long does it take, and where does it stop?"],
  ["upgrade", "Upgrade", "How long does an upgrade of the nodes take, and which budget stalls it?"],
  ["consolidate", "Consolidate", "What would Karpenter remove or replace, and why not more?"],
  ["score", "Score", "What would another configuration of the scheduler change?"],
  ["requests", "Requests", "What is requested of each resource, and by whom?"],
  ["size", "Right-size", "What is requested and not used?"],
  ["report", "Report", "All of it on one page, with figures that can be compared next week"],
];

const TICK = 250; // ms between two looks at the clock

/** Makes what the place works with. */
export function openBench(store: Store, starts: Starts): Mount {
  const cluster = new Cluster(starts.cluster);
  return (element) => mountCluster(element, store, cluster);
}

export function mountCluster(element: HTMLElement, store: Store, cluster: Cluster): () => void {
  const input = h("input", {
    type: "file",
    id: "cluster-file",
    multiple: true,
    hidden: true,
    tabindex: -1,
    "aria-hidden": "true",
    onchange: () => {
      const files = [...(input.files ?? [])];
      input.value = "";
      if (files.length > 0) cluster.read(files);
    },
  });
  const choose = () => input.click();
  const why = h("p.bad", { id: "cluster-why", role: "alert" });
  const body = h("div.yours-body");
  element.replaceChildren(input, why, body);

  let shown = ""; // which of the three views is shown
  let drawn: DumpRead | undefined; // the dump that the last view shows
  let update = () => {};
  const draw = () => {
    const { state } = cluster;
    say(why, state.why);
    why.hidden = state.why === "";
    const now = state.dump ? "read" : state.reading ? "reading" : state.shared ? "wanted" : "empty";
    if (now !== shown || state.dump !== drawn) {
      [shown, drawn] = [now, state.dump];
      if (state.dump) {
        update = mountRead(body, store, cluster, state.dump, choose);
        if (document.activeElement === document.body) document.getElementById("cluster-sentence")?.focus(); // it stood on what is gone
      } else if (state.reading) update = mountReading(body, cluster);
      else update = mountEmpty(body, store, cluster, choose);
    }
    update();
  };
  const soon = atMostEvery(100, () => element.isConnected && draw());
  const take = () => {
    const { dump } = store.state;
    if (!dump) return;
    store.set({ dump: undefined, ...(dump.question && { asked: { ...store.state.asked, cluster: undefined } }) });
    cluster.read(dump.files, dump.question, dump.form);
  };
  let link: string | undefined; // whose question was taken
  const expect = () => {
    const asked = store.state.asked.cluster;
    if (asked === link) return;
    link = asked;
    if (!asked || asked === cluster.made) return;
    unpackAsked(asked).then(
      (shared) => link === asked && cluster.expect(shared),
      (error: Error) => cluster.set({ why: `The question of the link cannot be read: ${error.message}. Ask its sender for another link.` }),
    );
  };
  let timer: number | undefined; // while an answer is computed
  const tick = () => {
    const asking = cluster.state.asking !== undefined;
    if (asking === (timer !== undefined)) return;
    clearInterval(timer);
    timer = asking ? window.setInterval(draw, TICK) : undefined; // from the moment of the question, so that Cancel comes half a second after it
  };
  return all(
    () => clearInterval(timer),
    holdRun(store, cluster),
    store.watch(["dump"], take),
    store.watch(["asked"], expect),
    store.watch(["light"], () => ((drawn = undefined), draw())),
    cluster.watched.watch(["cluster"], () => {
      tick();
      if (cluster.state.reading) soon();
      else draw();
    }),
  );
}

/** Nothing was opened: one command, and what to do with what it writes; or what a link asks for. */
function mountEmpty(element: HTMLElement, store: Store<"page">, cluster: Cluster, choose: () => void): () => void {
  const { shared } = cluster.state;
  const [, , title] = QUESTIONS.find(([question]) => question === shared?.ask.question) ?? QUESTIONS[0];
  const copy = h(
    "button.btn",
    {
      type: "button",
      id: "cluster-command",
      onclick: () =>
        void navigator.clipboard.writeText(COMMAND).then(
          () => store.set({ notice: "Command copied" }),
          () => store.set({ notice: "The browser does not let the page copy: select the command and copy it." }),
        ),
    },
    "Copy",
  );
  element.replaceChildren(
    h(
      "section.start",
      {},
      h("h1", {}, shared ? title : "What would happen to your cluster?"),
      shared &&
        h(
          "p",
          { id: "cluster-wanted", role: "status" },
          `This link asks that about ${namesIn(shared.need)}. Open its sender's file: the question is asked, and the answer compared with the sender's.`,
        ),
      h("p.quiet", {}, "Which nodes can be emptied, what a lost zone costs, what still fits. Your dump stays in this tab."),
      h(
        "div.paper",
        {},
        h(
          "p",
          {},
          h("b", {}, "1. Write a dump"),
          " with the rights of ",
          h("code", {}, "kubectl get"),
          "; nothing in the cluster changes.",
        ),
        h(
          "div.command",
          {},
          h(
            "pre",
            { tabindex: 0, role: "region", "aria-label": "Command" },
            ...COMMAND.split(/(?<=,)/).flatMap((part) => [part, h("wbr")]),
          ),
          copy,
        ),
        h(
          "p",
          {},
          h("b", {}, "2. Drop it here"),
          " or choose it: JSON or YAML, plain or gzip, one file or several. Environment variables and other fields that no answer needs are skipped.",
        ),
        h(
          "div.buttons",
          {},
          h("button.btn.primary", { type: "button", id: "cluster-choose", onclick: choose }, "Choose a file"),
          h("button.btn", { type: "button", id: "cluster-example", onclick: () => cluster.read([]) }, "Open an example"),
        ),
      ),
      h("p.quiet", {}, "To hide names, run ", h("code", {}, "parley cluster pseudonymise dump.json --secret …"), " first."),
    ),
  );
  return () => {};
}

/** A dump is being read. */
function mountReading(element: HTMLElement, cluster: Cluster): () => void {
  const bar = h("progress", { max: 100, "aria-label": "Bytes that are read" });
  const text = h("p", { role: "status" });
  const cancel = h("button.btn", { type: "button", id: "cluster-cancel-reading", onclick: () => cluster.cancel() }, "Cancel");
  element.replaceChildren(h("section.start", {}, h("h1", {}, "Reading"), bar, text, cancel));
  const began = performance.now();
  return () => {
    const { reading, download } = cluster.state;
    if (!reading) return;
    const seconds = (performance.now() - began) / 1000;
    bar.value = percent(reading.bytes, reading.total);
    const rate = seconds > 0.5 && reading.text > 0 ? `, ${bytes(reading.text / seconds)} a second unpacked` : "";
    say(text, download ? coming(download) : `${reading.file}: ${bytes(reading.bytes)} of ${bytes(reading.total)}${rate}`);
  };
}

/** A dump was read: its nodes, the questions, and what is in it. */
function mountRead(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  cluster: Cluster,
  dump: DumpRead,
  choose: () => void,
): () => void {
  const form = formOf(cluster, dump);
  const world = worldOf(cluster, dump);
  const map = h("div.nodes", { onclick: ({ target }: MouseEvent) => pick(target) });
  const pick = (target: EventTarget | null) => {
    const at = (target as Element).closest("[data-node]")?.getAttribute("data-node");
    if (at) cluster.inspect(Number(at));
  };
  const colours = coloursOf(dump);
  const colour = h(
    "select",
    { id: "cluster-colour", onchange: () => cluster.set({ colour: colours[colour.selectedIndex] }) },
    ...colours.map(({ name }) => h("option", {}, name)),
  );
  colour.selectedIndex = colours.findIndex(
    ({ resource, model }) => resource === cluster.state.colour.resource && model === cluster.state.colour.model,
  );
  const inspector = h("div", {});
  const doing = h("p.doing", { role: "status" });
  const cancel = h("button.btn", { type: "button", id: "cluster-cancel", onclick: () => cluster.cancel() }, "Cancel");
  const ask = h("button.btn.primary", { type: "submit", id: "cluster-ask" }, "Ask");
  const progress = h("div.asking", {}, ask, cancel, doing);
  const answer = h("div.answer", { id: "cluster-answer" });
  const tab = (id: string, name: string, title: string, question: Question | undefined) => {
    const radio = h("input", { type: "radio", id: `cluster-${id}`, name: "cluster-question", onchange: () => cluster.show(question) });
    return { question, radio, label: h("label", { title }, radio, h("span", {}, name)) };
  };
  const tabs = [
    tab("overview", "Overview", "The first answers", undefined),
    ...QUESTIONS.map(([question, name, title]) => tab(question, name, title, question)),
  ];
  const choice = h("div.segments", { role: "radiogroup", "aria-label": "Question" }, ...tabs.map(({ label }) => label));
  const asked = h(
    "form.question-form",
    {
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        cluster.ask();
      },
    },
    form.element,
    progress,
    world.element,
  );
  const overview = overviewOf(store, cluster, dump, (question) => {
    const [, name, title] = QUESTIONS.find(([one]) => one === question) ?? QUESTIONS[0];
    return { name, title };
  });
  const colouring = h("label.colour-by", {}, h("span", {}, "Colour"), colour);
  const nodes = h("section.map-of-nodes", { "aria-label": "Nodes" }, colouring, map, nodesOf(cluster, dump));
  const one = h("section", { "aria-label": "Question" }, asked, answer);
  const main = h(
    "div.yours-main",
    {},
    h("p.sentence", { id: "cluster-sentence", tabindex: -1 }, dump.sentence),
    choice,
    overview.element,
    one,
  );
  const facts = factsOf(store, cluster, dump, choose, inspector);
  element.replaceChildren(main, facts);

  let told: unknown; // the answer that stands there
  let wasAsking = false; // an answer that was waited for is scrolled into view
  let pictured: unknown[] = [];
  let inspected: unknown;
  return () => {
    const { question, asking, answers, overview: all } = cluster.state;
    if (nodes.parentElement !== (all ? main : facts)) all ? main.append(nodes) : facts.prepend(nodes); // the map stands beside an answer
    for (const { question: of, radio } of tabs) radio.checked = of === (all ? undefined : question);
    one.hidden = all;
    overview.draw();
    form.draw();
    world.draw();
    const answered = answers[question];
    const current = answered && isCurrent(answered, cluster.state.form);
    ask.setAttribute("aria-disabled", String(asking !== undefined)); // it keeps the focus
    say(ask, answered ? "Ask again" : "Ask");
    const seconds = asking ? (performance.now() - asking.began) / 1000 : 0;
    cancel.hidden = seconds < 0.5;
    doing.setAttribute("aria-live", seconds < 1 ? "polite" : "off"); // progress several times a second is no news
    if (asking) say(doing, [asking.doing, seconds < 1 ? "Working …" : `${Math.floor(seconds)} s`].filter(Boolean).join(" · "));
    else if (answered) say(doing, current ? saidOf(answered, cluster.state.shared) : "The form has changed since this answer.");
    else say(doing, "");
    answer.classList.toggle("stale", answered !== undefined && !current);
    if (told !== (answered ?? question)) {
      render(answered ? answerOf(store, cluster, answered) : [], answer);
      if (answered && wasAsking) answer.querySelector(".verdict")?.scrollIntoView({ block: "nearest" });
    }
    told = answered ?? question;
    wasAsking = asking !== undefined;
    colouring.hidden = !all && (answered?.stops.length ?? 0) > 0; // a pod's filters are the colours then
    const marked = all ? undefined : answered; // whose nodes are marked on the map
    const picture = [marked, cluster.state.colour];
    if (pictured.length === 0 || picture.some((part, i) => part !== pictured[i]))
      drawNodes(map, dump, marked, cluster.state.colour, store.state);
    pictured = picture;
    if (inspected !== cluster.state.inspected) render(inspectorOf(cluster, dump), inspector);
    inspected = cluster.state.inspected;
  };
}

/** How long an answer took, and whether it is that of a link's sender. */
function saidOf(answered: Answered, shared: Asked | undefined): string {
  const took = `Answered in ${digits(answered.seconds)} s`;
  switch (isShared(answered, shared)) {
    case true:
      return `${took} · the same answer as its sender's (digest ${answered.digest.slice(0, 8)})`;
    case false:
      return `${took} · not its sender's answer: digest ${answered.digest.slice(0, 8)} instead of ${shared?.digest.slice(0, 8)}; another version of Parley gave that one`;
    default:
      return took;
  }
}

/** What was read, and what no answer looks at. */
function factsOf(
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  cluster: Cluster,
  dump: DumpRead,
  choose: () => void,
  inspector: HTMLElement,
): HTMLElement {
  const { summary } = dump;
  const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd.num", {}, value));
  const { pods } = summary;
  const files = cluster.state.files;
  const replay = h(
    "button.btn",
    {
      type: "button",
      id: "cluster-replay",
      title: "Plays the pods of the dump on its nodes, under any system, on the heatmap",
      onclick: () => {
        openFiles(store, files);
        store.set({ place: "watch" });
      },
    },
    "Replay as a workload",
  );
  return h(
    "aside.yours-facts",
    { "aria-label": "What was read" },
    inspector,
    h(
      "div.heading",
      {},
      h("h2", {}, "What was read"),
      h("button.btn.quiet", { type: "button", id: "cluster-choose", onclick: choose }, "Replace"),
    ),
    h(
      "p.quiet",
      {},
      files.length === 0
        ? `An invented cluster: parley cluster generate --nodes ${dump.nodes.length} --pods ${pods.bound + pods.pending} writes the same dump.`
        : `${files.length === 1 ? dump.name : `${dump.name} and ${count(files.length - 1)} more`}, ${bytes(dump.bytes)}, in ${digits(dump.wall_us / 1e6)} s. It stays in this tab.`,
    ),
    h(
      "dl.facts",
      {},
      fact("Nodes", count(summary.nodes.count)),
      fact("Pods bound / pending", `${count(pods.bound)} / ${count(pods.pending)}`),
      fact("Of DaemonSets", count(pods.of_daemonsets)),
      fact("Namespaces", count(summary.namespaces)),
      ...summary.kinds
        .filter(({ kind }) => !["Node", "Pod", "Namespace", "Event"].includes(kind))
        .slice(0, 12)
        .map(({ kind, count: n }) => fact(kind, count(n))),
      pods.finished > 0 && fact("Ended pods, which hold nothing", count(pods.finished)),
    ),
    h("h2", {}, "Not modelled"),
    summary.unmodelled.length === 0
      ? h("p.quiet", {}, "The dump has nothing that an answer overlooks.")
      : h(
          "ul.omitted",
          {},
          ...summary.unmodelled.map(({ what, count: n }) => h("li", {}, h("b.num", {}, count(n)), ` ${what}`)),
          h("li.quiet", {}, "Each answer says whether it touches them."),
        ),
    h("h2", {}, "Requested"),
    h(
      "table.full",
      {},
      h("caption.hidden", {}, "Resources of the cluster"),
      h("thead", {}, h("tr", {}, ...["resource", "allocatable", "requested"].map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...dump.resources.map(([name, has, used]) => h("tr", {}, h("th", { scope: "row" }, name), h("td.n", {}, has), h("td.n", {}, used))),
      ),
    ),
    files.length > 0 && h("div.buttons", {}, replay),
    h("h2", {}, "Every week"),
    h(
      "pre",
      { tabindex: 0, role: "region", "aria-label": "Command of the weekly report" },
      "parley cluster report dump.json \\\n  --fail-if 'zone_loss.pending > 0'",
    ),
  );
}
