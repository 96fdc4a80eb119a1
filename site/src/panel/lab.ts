// The paper lab: the experiments, the one that runs, and what the paper says
// beside what is measured.
import { download, fill, h, say } from "../base/dom.ts";
import type { Experiment, PaperResult } from "../base/messages.ts";
import { claim, figure, measure, MOST_SEEDS, type Lab } from "../model/lab.ts";
import { all } from "../model/watched.ts";

export function mountLab(element: HTMLElement, lab: Lab): () => void {
  const seeds = h("input.num", { type: "number", id: "lab-seeds", min: 1, max: MOST_SEEDS, step: 1, placeholder: "usual" });
  const wanted = () => (seeds.validity.valid ? seeds.valueAsNumber || 0 : 0);
  const list = h("ul.experiments");
  const doing = h("p.doing", { role: "status" });
  const cancel = h("button.btn", { type: "button", id: "lab-cancel", onclick: () => lab.cancel() }, "Cancel");
  const retry = h("button.btn", { type: "button", id: "lab-retry", onclick: () => lab.retry() }, "Try again");
  const progress = h("div.toolbar", {}, doing, cancel, retry);
  const shown = h("div");
  fill(
    element,
    h("div.choice", {}, h("label.field", {}, h("span", {}, "Seeds of each experiment"), seeds), list),
    h("div.outcome", { tabindex: 0, role: "region", "aria-label": "Result" }, progress, shown),
  );

  const run = (id: string) => {
    lab.run(id, wanted());
    element.scrollTop = 0; // on a phone the result stands above the list
  };

  let listed = ""; // which buttons stand there, and how
  let drawn: unknown; // the result that is shown
  const tick = () => {
    const { running, why, experiments } = lab.state;
    progress.hidden = !running && why === "" && experiments.length > 0;
    cancel.hidden = !running;
    retry.hidden = !lab.gone;
    if (!running) return say(doing, why || "Starting the lab …");
    const seconds = Math.floor((performance.now() - running.began) / 1000);
    say(doing, `${running.id}: ${running.doing} · ${running.runs} ${running.runs === 1 ? "run" : "runs"} · ${seconds} s`);
  };
  const draw = () => {
    const state = lab.state;
    tick();
    const marks = `${state.experiments.length} ${state.running?.id} ${state.shown} ${Object.keys(state.results)}`;
    if (marks !== listed) fill(list, ...state.experiments.map(entry));
    listed = marks;
    const result = state.results[state.shown];
    const now = result ?? state.shown;
    if (now === drawn) return;
    drawn = now;
    const experiment = state.experiments.find(({ id }) => id === state.shown);
    fill(shown, ...(experiment ? describe(experiment, result) : []));
  };
  const entry = ({ id, title }: Experiment) => {
    const { running, shown: current, results } = lab.state;
    const name = h("button.link", { type: "button", id: `lab-show-${id}`, "aria-current": id === current ? "true" : undefined, onclick: () => lab.show(id) }, h("b", {}, title), " ", h("small.num", {}, id), verdict(results[id]?.result));
    return h("li", {}, name, h("button.btn", { type: "button", id: `lab-run-${id}`, disabled: running !== undefined, "aria-label": `Run ${id}`, onclick: () => run(id) }, running?.id === id ? "Runs" : "Run"));
  };
  lab.start();
  const timer = window.setInterval(tick, 1000);
  return all(lab.watched.watch(["lab"], draw), () => clearInterval(timer));
}

/** How many of an experiment's claims hold, once it was measured. */
function verdict(result: PaperResult | undefined): HTMLElement | false {
  if (!result) return false;
  const claims = result.rows.filter(({ holds }) => holds !== null);
  const held = claims.filter(({ holds }) => holds).length;
  if (claims.length === 0) return h("span.good", {}, " ✓ measured");
  return h("span", { class: held === claims.length ? "good" : "" }, ` ${held === claims.length ? "✓" : "·"} ${held} of ${claims.length} ${claims.length === 1 ? "claim holds" : "claims hold"}`);
}

function describe({ id, title, source, seconds }: Experiment, done: { result: PaperResult; seconds: number } | undefined): HTMLElement[] {
  const head = h("p", {}, h("b", {}, title), h("span.quiet", {}, ` ${source}`));
  if (!done) return [head, h("p.quiet", {}, `Not measured yet: about ${seconds} s on the command line (parley paper ${id}), and longer in a browser. The simulation runs on meanwhile.`)];
  const { result } = done;
  const save = () => download(`parley-${id.replaceAll("/", "-")}.json`, "application/json", JSON.stringify(result, null, 2) + "\n");
  const heads = ["measure", "paper says", "we measure", "95 % interval", "unit", "claim", "rule"].map((name, i) => h("th", { scope: "col", class: i > 0 && i < 4 ? "n" : "" }, name));
  const rows = result.rows.flatMap((each, i) => {
    const { name, paper, unit, rule, holds, note } = each;
    const { value, interval } = measure(each);
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td.n", {}, paper === null ? "—" : figure(paper)),
      h("td.n", {}, value),
      h("td.n", {}, interval || "—"),
      h("td", {}, unit),
      h("td", { class: holds === null ? "quiet" : holds ? "good" : "bad" }, claim(each)),
      h("td.rule", {}, rule),
    );
    const last = note !== "" && note !== result.rows[i + 1]?.note; // of those in a row that it is about
    return last ? [row, h("tr.note", {}, h("td", { colspan: "7" }, note))] : [row];
  });
  return [
    h("div.toolbar", {}, head, h("span.grow"), h("span.quiet", {}, `${result.seeds} ${result.seeds === 1 ? "seed" : "seeds"}, ${figure(done.seconds)} s; ± is the standard deviation over the seeds`), h("button.btn", { type: "button", onclick: save }, "Download JSON")),
    h("table.full", {}, h("caption.hidden", {}, `${title}: the paper beside what is measured here`), h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
  ];
}
