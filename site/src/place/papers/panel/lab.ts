// The paper lab: the experiments, the one that runs, and what the paper says
// beside what is measured.

import { download, h, render, say, svg } from "../../../base/dom.ts";
import type { Experiment, PaperResult, PaperRow } from "../../../base/messages.ts";
import type { Starts } from "../../../model/engines.ts";
import { followAsked } from "../../../model/placelink.ts";
import type { Store } from "../../../model/store.ts";
import { all } from "../../../model/watched.ts";
import type { Mount } from "../../../panel/later.ts";
import { beside, claim, counted, figure, Lab, loadRecordings, MOST_SEEDS, measure, type Recording, rulesOf } from "../model/lab.ts";
import { askingLab } from "../model/link.ts";

/** Opens the place with the experiment that a link names. */
export async function openBench(store: Store<"page">, starts: Starts): Promise<Mount> {
  const lab = new Lab(starts.lab);
  await followAsked(store, askingLab(lab));
  return (element) => mountLab(element, lab);
}

function mountLab(element: HTMLElement, lab: Lab): () => void {
  const seeds = h("input.num", { type: "number", id: "lab-seeds", min: 1, max: MOST_SEEDS, step: 1, placeholder: "usual" });
  const wanted = () => (seeds.validity.valid ? seeds.valueAsNumber || 0 : 0);
  const list = h("ul.experiments");
  const doing = h("p.doing", { role: "status" });
  const cancel = h("button.btn", { type: "button", id: "lab-cancel", onclick: () => lab.cancel() }, "Cancel");
  const retry = h("button.btn", { type: "button", id: "lab-retry", onclick: () => lab.retry() }, "Try again");
  const progress = h("div.toolbar", {}, doing, cancel, retry);
  const shown = h("div");
  const outcome = h("div.labresult", { tabindex: 0, role: "region", "aria-label": "Result" }, progress, shown);
  element.replaceChildren(h("div.labchoice", {}, h("label.field", {}, h("span", {}, "Seeds of each experiment"), seeds), list), outcome);

  const atResult = () => {
    outcome.scrollTop = 0;
    outcome.scrollIntoView({ block: "nearest" }); // on a phone it stands above the list
  };
  const run = (id: string) => {
    lab.run(id, wanted());
    atResult();
  };
  const show = (id: string) => {
    lab.show(id);
    atResult();
  };

  let listed = ""; // which buttons stand there, and how
  let drawn: unknown; // the result that is shown
  const tick = () => {
    const { running, why, experiments } = lab.state;
    progress.hidden = !running && why === "" && experiments.length > 0;
    cancel.hidden = !running;
    retry.hidden = !lab.gone;
    if (!running) return say(doing, why || "Loading the experiments …");
    const seconds = Math.floor((performance.now() - running.began) / 1000);
    say(doing, `${running.id}: ${running.doing} · ${running.runs} ${running.runs === 1 ? "run" : "runs"} · ${seconds} s`);
  };
  const draw = () => {
    const state = lab.state;
    tick();
    const marks = `${state.experiments.length} ${state.running?.id} ${state.shown} ${Object.keys(state.results)} ${Object.keys(state.recordings)}`;
    if (marks !== listed) render(state.experiments.map(entry), list);
    listed = marks;
    const [result, recording] = [state.results[state.shown], state.recordings[state.shown]];
    const now = result ?? recording ?? state.shown;
    if (now === drawn) return;
    drawn = now;
    const experiment = state.experiments.find(({ id }) => id === state.shown);
    render(experiment ? describe(experiment, result, recording) : [], shown);
  };
  const entry = ({ id, title }: Experiment) => {
    const { running, shown: current, results, recordings } = lab.state;
    const name = h(
      "button.link",
      { type: "button", id: `lab-show-${id}`, "aria-current": id === current ? "true" : undefined, onclick: () => show(id) },
      h("b", {}, title),
      " ",
      h("small.num", {}, id),
      verdict((results[id] ?? recordings[id])?.result),
    );
    return h(
      "li",
      {},
      name,
      h(
        "button.btn",
        { type: "button", id: `lab-run-${id}`, disabled: running !== undefined, "aria-label": `Run ${id}`, onclick: () => run(id) },
        running?.id === id ? "Runs" : "Run",
      ),
    );
  };
  loadRecordings().then(
    (recordings) => lab.record(recordings),
    () => lab.start(), // which lists the experiments that can be run
  );
  const timer = window.setInterval(tick, 1000);
  return all(lab.watched.watch(["lab"], draw), () => clearInterval(timer));
}

/** How many of an experiment's claims hold, once it was measured. */
function verdict(result: PaperResult | undefined): HTMLElement | false {
  if (!result) return false;
  const { held, all, words } = counted(result.rows);
  if (all === 0) return h("span", {}, " · measured, without a claim");
  return h("span", { class: held === all ? "good" : "" }, ` ${held === all ? "✓" : "·"} ${words}`);
}

/** What an experiment found, here or as it was recorded. */
function describe(
  { id, title, source, claim: words, seconds }: Experiment,
  done: { result: PaperResult; seconds: number } | undefined,
  recording: Recording | undefined,
): HTMLElement[] {
  const head = h("div", {}, h("h2", {}, title), h("p", {}, words), h("p.quiet", {}, source));
  const result = done?.result ?? recording?.result;
  if (!result)
    return [
      head,
      h(
        "p.quiet",
        {},
        `Not measured yet: about ${seconds} s on the command line (parley paper ${id}), and longer in a browser. The simulation runs on meanwhile.`,
      ),
    ];
  const how = done
    ? [`Measured here in ${figure(done.seconds)} s`]
    : [
        "Recorded: ",
        h("code", {}, recording?.command),
        " gives the same to the last bit",
        recording?.small ? `. It is a small version: its own size takes about ${figure(seconds)} s natively` : "",
      ];
  const save = () => download(`parley-${id.replaceAll("/", "-")}.json`, "application/json", JSON.stringify(result, null, 2) + "\n");
  const kinds = ["", "n", "n", "n", "", "drawn", ""];
  const heads = ["measure", "paper says", "we measure", "95 % interval", "unit", "paper ┃ ours", "claim"].map((name, i) =>
    h("th", { scope: "col", class: kinds[i] }, name),
  );
  const { common, below } = rulesOf(result.rows);
  const { apart } = counted(result.rows);
  const rows = result.rows.flatMap((each, i) => {
    const { name, paper, unit, holds } = each;
    const { value, interval } = measure(each);
    const next = result.rows[i + 1];
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td.n", {}, paper === null ? "—" : figure(paper)),
      h("td.n", {}, value),
      h("td.n", {}, interval || "—"),
      h("td", {}, unit),
      h("td.drawn", {}, figureBeside(each)),
      h("td", { class: holds === null ? "quiet" : holds ? "good" : "bad" }, claim(each)),
    );
    // Below the last of the rows that share it: what decides, and what there is to say.
    const lines = [below[i].join("; "), each.note === next?.note ? "" : each.note].filter((text) => text !== "");
    return [row, ...lines.map((text) => h("tr.note", {}, h("td", { colspan: "7" }, text)))];
  });
  return [
    h("div.toolbar", {}, head, h("span.grow"), h("button.btn", { type: "button", onclick: save }, "Download JSON")),
    h("p.quiet", {}, ...how, `. ${result.seeds} ${result.seeds === 1 ? "seed" : "seeds"}; ± is the standard deviation over them.`),
    ...(apart ? [h("p.quiet", {}, `Claims that hold, by method: ${apart}.`)] : []),
    ...(common.length > 0 ? [h("p.quiet", {}, `Every claim: ${common.join("; ")}.`)] : []),
    h(
      "table.full",
      {},
      h("caption.hidden", {}, `${title}: the paper beside what is measured here`),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows),
    ),
  ];
}

const WIDE = 96; // px of a line from nothing to twice the paper's number

/** Our mean and its interval, with the paper's number as a mark in the middle; drawn, for the numbers stand beside it. */
function figureBeside(row: PaperRow): SVGElement | undefined {
  const at = beside(row);
  if (!at) return undefined;
  const x = (share: number) => 3 + share * (WIDE - 6);
  const drawing = svg("svg", { class: "labspan", viewBox: `0 0 ${WIDE} 14`, width: WIDE, height: 14, "aria-hidden": "true" });
  drawing.append(
    svg("line", { class: "rail", x1: x(0), x2: x(1), y1: 7, y2: 7 }),
    svg("line", { class: "paper", x1: x(0.5), x2: x(0.5), y1: 1, y2: 13 }),
    svg("line", { class: "range", x1: x(at.low), x2: x(at.high), y1: 7, y2: 7 }),
    svg("circle", { cx: x(at.mean), cy: 7, r: 3 }),
  );
  return drawing;
}
