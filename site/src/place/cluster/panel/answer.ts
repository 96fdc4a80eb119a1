// An answer about a cluster: its sentence first, then tables, the script of a drain, and the
// method with what bounds it.
import { download, h } from "../../../base/dom.ts";
import { count, number } from "../../../base/format.ts";
import type { ClusterDocument, ClusterGrid } from "../../../base/messages.ts";
import { MOST_PACKED } from "../../../base/pack.ts";
import { encodeAddress } from "../../../model/address.ts";
import type { Answered } from "../../../model/ask.ts";
import { namesIn, needOf } from "../../../model/need.ts";
import type { Store } from "../../../model/store.ts";
import { packAsked, SHARED } from "../model/asked.ts";
import { type Cluster, type SaveAs, waitingOf } from "../model/cluster.ts";
import type { Watched } from "./play.ts";
import { wordsOf } from "./world.ts";

/** Copies a link to a question and its answer's digest. The dump is not in it. */
async function copyLink(store: Store<"page">, cluster: Cluster, { asked, digest }: Answered): Promise<void> {
  const sums = await cluster.sums();
  if (!sums) return;
  const need = needOf(sums) ?? "";
  const ask = await packAsked({ need, digest, ask: asked });
  if (ask.length > MOST_PACKED) {
    const notice = "The configuration, prices or report of this question are too long for a link. Send them as files.";
    return store.set({ notice });
  }
  cluster.made = ask;
  store.set({ asked: { ...store.state.asked, cluster: ask } }); // and so the address has it
  const link = `${location.origin}${location.pathname}#${await encodeAddress({ settings: {}, place: "cluster", ask })}`;
  const without =
    need === "" ? "" : ` It has the question as the form has it, names included, and the hash of ${namesIn(need)}, not the dump.`;
  await navigator.clipboard.writeText(link).then(
    () => store.set({ notice: `Link copied.${without}` }),
    () => store.set({ notice: "The browser does not let the page copy: the link is in the address bar." }),
  );
}

const BESIDE = "Beside the world as it is"; // the table of both sentences, which stand side by side here

const watched = new WeakMap<ClusterDocument, Watched>(); // the plays that are open

/** The play of an answer: a button, then the play itself. */
function playOf(store: Store<"page" | "look">, cluster: Cluster, { asked }: Answered, one: ClusterDocument, i: number): HTMLElement {
  const place = h("div", {});
  let end = () => {};
  const show = async (stop: boolean) => {
    const known = watched.get(one)?.play;
    try {
      const [{ mountPlay }, play] = await Promise.all([import("./play.ts"), known ?? cluster.play(asked.question, i)]);
      if (!play) return; // the place says why
      const open = watched.get(one) ?? { play, at: 0 };
      if (stop && play.stop >= 0) open.at = play.stop;
      watched.set(one, open);
      end();
      place.replaceChildren();
      end = mountPlay(place, open, store.state.reducedMotion, async (shot) => {
        const why = await cluster.why(asked.question, i, shot);
        return why ? [h("p", {}, why.sentence), ...why.grids.map((grid) => gridOf(grid, `why-${i}`))] : [];
      });
    } catch {
      store.set({ notice: "The play could not be loaded: the server is unreachable or has a newer version. Try again." });
    }
  };
  const watch = (id: string, text: string, stop: boolean) =>
    h("button.btn", { type: "button", id: `cluster-${id}-${i}`, onclick: () => void show(stop) }, text);
  if (watched.has(one)) void show(false);
  return h(
    "div.play-of-answer",
    {},
    h("div.buttons", {}, watch("watch", "Watch it", false), one.play === "stops" && watch("stops", "Show where it stops", true)),
    place,
  );
}

export function answerOf(store: Store<"page" | "look">, cluster: Cluster, answered: Answered): HTMLElement[] {
  const { documents, before, asked } = answered;
  const save = (as: SaveAs, text: string) =>
    h(
      "button.btn",
      {
        type: "button",
        id: `cluster-save-${as}`,
        onclick: () => void cluster.file(as).then((file) => file && download(file.name, file.mediaType, file.text)),
      },
      text,
    );
  const files = h(
    "div.buttons",
    { role: "group", "aria-label": "Share or save the answer" },
    SHARED.includes(asked.question) &&
      h("button.btn", { type: "button", id: "cluster-link", onclick: () => void copyLink(store, cluster, answered) }, "Link"),
    save("markdown", "Markdown"),
    save("html", "HTML"),
    save("json", "JSON"),
  );
  const articles = documents.map((one, i) =>
    documentOf(
      store,
      one,
      i === 0 ? files : undefined,
      i === 0 && asked.question === "drain" ? save("script", "Download") : undefined,
      i,
      one.play && playOf(store, cluster, answered, one, i),
    ),
  );
  if (asked.question === "pending") articles[0]?.querySelector(".verdict")?.after(...podsOf(cluster));
  if (before.length === 0) return articles;
  const world = (head: string, all: HTMLElement[]) => h("section", { "aria-label": head }, h("h3.quiet", {}, head), ...all);
  return [
    h(
      "div.worlds",
      {},
      world(
        "As the dump has it",
        before.map((one, i) => documentOf(store, { ...one, script: undefined }, undefined, undefined, i + documents.length, undefined)),
      ),
      world(`With ${(asked.changes ?? []).map(wordsOf).join(", ")}`, articles),
    ),
  ];
}

const CHIPS = 4; // pods that are offered for a look at each node

/** The pods that wait: one that is chosen is judged node by node. */
function podsOf(cluster: Cluster): HTMLElement[] {
  const waiting = waitingOf(cluster.state);
  const { waiting: chosen } = cluster.state.form;
  if (waiting.length === 0) return [];
  const chip = (pod: string, text: string) =>
    h(
      "button.btn",
      {
        type: "button",
        "aria-pressed": String(pod === chosen),
        onclick: () => {
          cluster.edit({ waiting: pod });
          cluster.ask();
        },
      },
      text,
    );
  const shown = waiting.slice(0, CHIPS);
  if (chosen && !shown.includes(chosen)) shown.unshift(chosen);
  return [
    h(
      "div.waiting-pods",
      { role: "group", "aria-label": "Pod, node by node" },
      h("span.quiet", {}, "Node by node:"),
      ...shown.map((pod) => chip(pod, pod)),
      chosen !== "" && chip("", "All pods"),
    ),
  ];
}

function documentOf(
  store: Store<"page">,
  { title, sentence, grids, script, method }: ClusterDocument,
  files: HTMLElement | undefined,
  saveScript: HTMLElement | undefined,
  i: number,
  play: HTMLElement | undefined,
): HTMLElement {
  const [first, ...rest] = sentence.split(/(?<=\.) /);
  return h(
    "article",
    { "aria-label": title },
    h(
      "div.verdict",
      {},
      h("div", {}, h("h2", {}, first.replaceAll(" %", "\u00a0%")), rest.length > 0 && h("p", {}, rest.join(" "))),
      files,
    ),
    play,
    h(
      "div",
      { class: script ? "columns" : "" },
      h("div.tables", {}, ...grids.filter(({ heading }) => heading !== BESIDE).map((grid, k) => gridOf(grid, `${i}-${k}`))),
      script && scriptOf(store, script, saveScript),
    ),
    h(
      "details.method",
      { open: i === 0 },
      h("summary", {}, "Method, assumptions and bound"),
      h("ul", {}, ...method.map((line) => h("li", {}, line))),
    ),
  );
}

function gridOf({ heading, columns, numbers, rows, more }: ClusterGrid, id: string): HTMLElement {
  const counts = columns.length === 2 && numbers[1] && rows.every((row) => Number.isFinite(Number(row[1])));
  const most = counts ? Math.max(...rows.map((row) => Number(row[1]))) : 0;
  const cell = (text: string, column: number) => h("td", { class: numbers[column] ? "n" : "" }, text);
  return h(
    "section.grid-of-answer",
    {},
    h("h3", { id: `cluster-grid-${id}` }, heading),
    h(
      "div.wide",
      { tabindex: 0, role: "group", "aria-labelledby": `cluster-grid-${id}` },
      h(
        "table.full",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...columns.map((name, k) => h("th", { scope: "col", class: numbers[k] ? "n" : "" }, name)), counts && h("td")),
        ),
        h(
          "tbody",
          {},
          ...rows.map((row) =>
            h("tr", {}, ...row.map(cell), counts && h("td.share", { "aria-hidden": "true" }, barOf(Number(row[1]) / most))),
          ),
        ),
      ),
    ),
    more > 0 && h("p.quiet", {}, `and ${number(more, "more row")}: the JSON has all`),
  );
}

function barOf(share: number): HTMLElement {
  const bar = h("i", {});
  bar.style.width = `${Math.round(100 * share)}%`;
  return bar;
}

/** The script of a drain, which the page never runs. */
function scriptOf(store: Store<"page">, script: string, save: HTMLElement | undefined): HTMLElement {
  const copy = h(
    "button.btn.primary",
    {
      type: "button",
      id: "cluster-copy",
      onclick: () =>
        void navigator.clipboard.writeText(script).then(
          () => store.set({ notice: "Script copied" }),
          () => store.set({ notice: "The browser does not let the page copy: select the script and copy it." }),
        ),
    },
    "Copy",
  );
  const lines = script.split("\n");
  const shown =
    lines.length > 400 ? `${lines.slice(0, 400).join("\n")}\n# … ${count(lines.length - 400)} more lines: copy or download them` : script;
  return h(
    "section.script",
    {},
    h("div.heading", {}, h("h3", { id: "cluster-script-head" }, "Script"), h("div.buttons", {}, copy, save)),
    h("pre", { id: "cluster-script", tabindex: 0, role: "region", "aria-labelledby": "cluster-script-head" }, shown),
    h(
      "p",
      {},
      h("b", {}, "Parley prints this script and never runs it."),
      " The dump is a moment: fetch and ask again if pods have moved since.",
    ),
  );
}
