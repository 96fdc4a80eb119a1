// The comparison: which systems play the scenario on the page as well and until
// when, how far they are, and what came of it as a chart and as a table.
import { atMostEvery, download, h, render, say } from "../../../base/dom.ts";
import { capital, clock, duration, number, percent } from "../../../base/format.ts";
import { BREAKPOINTS } from "../../../base/tokens.ts";
import { MOST_RIVALS, MOST_SEEDS } from "../../../model/address.ts";
import type { Starts } from "../../../model/engines.ts";
import { coresFor } from "../../../model/pool.ts";
import type { Rival } from "../../../model/rivals.ts";
import { all, type Store } from "../../../model/store.ts";
import type { Mount } from "../../../panel/later.ts";
import { explained } from "../../../panel/term.ts";
import { Comparison, progressOf, shareOf } from "../model/compare.ts";
import { columnOf, columnsOf, type Figure, figuresCSV } from "../model/figures.ts";
import { followLink } from "../model/link.ts";
import { playsOf } from "../model/outcome.ts";
import { Pair } from "../model/pair.ts";
import { verdict } from "../model/verdict.ts";
import { beatIn } from "./beat.ts";
import { CompareChart } from "./chart.ts";
import { previewOf } from "./preview.ts";
import { mountStages } from "./stages.ts";
import { compareTable } from "./table.ts";

const INVITATION =
  "Every system plays the same machines, tasks, faults and seeds from the start, at full speed, beside the run on the page.";
const SMALL = `(max-width: ${BREAKPOINTS.phone}px), (max-height: ${BREAKPOINTS.low}px)`; // no room for two stages beside or above each other
const SPAN = 300; // ms between two drawings of the results

/** Makes what the place works with. */
export function openBench(store: Store, { simulation }: Starts): Mount {
  const comparison = new Comparison(store, simulation, coresFor(navigator.hardwareConcurrency || 2));
  const pair = new Pair(
    simulation,
    () => store.state,
    () => performance.now(),
  );
  return (element) => mountCompare(element, store, comparison, pair);
}

function mountCompare(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  comparison: Comparison,
  pair: Pair,
): () => void {
  const stages = h("section.stages", { hidden: true, "aria-label": "Side by side" });
  const wishes = wishesOf(comparison, pair);
  const standing = standingOf(comparison);
  const beat = beatIn(store, comparison);
  const results = resultsOf(comparison, store, beat.button);
  standing.element.append(results.verdict, beat.element);
  const form = h("div.answerform", { hidden: true, tabindex: 0, role: "region", "aria-label": "What the answer will look like" });
  element.replaceChildren(wishes.element, standing.element, stages, form, ...results.elements);
  let formed = ""; // what the form is of
  const preview = () => {
    const { status, series } = store.state;
    form.hidden = comparison.state.runs.length > 0 || !status;
    if (form.hidden) return;
    const now = [...comparison.chosen().map(({ id }) => id), comparison.seeds(), comparison.until(), ...series.tracks.keys()].join();
    if (now !== formed) form.replaceChildren(...previewOf(comparison, store));
    formed = now;
  };
  let ran = false;
  const draw = () => {
    const { running } = comparison.state;
    const waited = standing.focused();
    standing.draw();
    if (running && !ran) element.scrollTop = 0; // on a phone the results stand above the wishes
    if (running && ran) results.soon();
    else results.now();
    if (waited && !running) results.table.focus({ preventScroll: true }); // a reader who waited on Cancel reads on there
    ran = running;
  };
  return all(
    comparison.watched.watch(["compare"], draw),
    comparison.watched.watch(["compare"], wishes.draw),
    store.watch(["scenario", "systems", "status", "session"], wishes.draw),
    store.watch(["scenario", "systems", "status"], preview),
    comparison.watched.watch(["compare"], preview),
    mountStages(stages, store, pair),
    followLink(store, comparison, pair),
    beat.watch(),
    results.end,
  );
}

/** The systems, the time, and the button. */
function wishesOf(comparison: Comparison, pair: Pair): { element: HTMLElement; draw: () => void } {
  const rivals = rivalsOf(comparison);
  const until = h("input.num", {
    id: "compare-until",
    type: "text",
    autocomplete: "off",
    "aria-describedby": "compare-bad",
    oninput: () => comparison.set({ until: until.value }),
  });
  const bad = h("p.bad", { id: "compare-bad" }, "Write a time such as 1h30m.");
  const seeds = h("input.num", {
    id: "compare-seeds",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    "aria-describedby": "compare-few",
    oninput: () => comparison.set({ seeds: seeds.value }),
  });
  const few = h("p.bad", { id: "compare-few" }, `Write a number of seeds from 1 to ${MOST_SEEDS}.`);
  const pausing = h("input", { id: "compare-pausing", type: "checkbox", onchange: () => comparison.set({ pausing: pausing.checked }) });
  const begin = () => {
    comparison.start();
    queueMicrotask(() => document.getElementById("compare-cancel")?.focus());
  };
  const start = h("button.btn.primary", { type: "button", id: "compare-start", onclick: begin }, "Compare");
  const beside = () => {
    comparison.watch(pair);
    pair.lay(matchMedia(SMALL).matches ? "swipe" : pair.state.view);
    queueMicrotask(() => document.getElementById("pair-play")?.focus());
  };
  const watch = h(
    "button.btn",
    {
      type: "button",
      id: "compare-watch",
      title: "The scenario and up to four of the chosen, cell by cell, on one clock",
      onclick: beside,
    },
    "Watch side by side",
  );
  until.value = comparison.state.until;
  seeds.value = comparison.state.seeds;
  pausing.checked = comparison.state.pausing;
  const element = h(
    "div.wishes",
    {},
    rivals.element,
    h("div.field", {}, h("label", { for: "compare-until" }, "Up to"), until),
    bad,
    h(
      "div.field",
      {},
      h(
        "label",
        {
          for: "compare-seeds",
          title:
            "Each system is played with the scenario's seed and those after it. The more, the narrower the intervals of the differences.",
        },
        "Seeds",
      ),
      seeds,
    ),
    few,
    h("label.check", {}, pausing, " Pause the page's run meanwhile"),
    start,
    watch,
  );
  const draw = () => {
    const to = comparison.until();
    const times = comparison.seeds();
    rivals.draw();
    for (const [input, text] of [
      [until, comparison.state.until],
      [seeds, comparison.state.seeds],
    ] as const)
      if (input.value !== text && document.activeElement !== input) input.value = text;
    if (comparison.state.until === "" && to !== undefined) until.placeholder = duration(to);
    bad.hidden = to !== undefined;
    until.setAttribute("aria-invalid", String(to === undefined));
    if (comparison.state.seeds === "" && times !== undefined) seeds.placeholder = String(times);
    few.hidden = times !== undefined;
    seeds.setAttribute("aria-invalid", String(times === undefined));
    const systems = comparison.chosen().length + 1;
    say(start, systems > 1 ? `Compare ${systems} systems` : "Compare");
    watch.disabled = comparison.chosen().length === 0 || !comparison.ready();
    start.disabled =
      comparison.state.running || to === undefined || times === undefined || comparison.chosen().length === 0 || !comparison.ready();
  };
  return { element, draw };
}

/** The systems to choose from, and those that cannot be chosen. */
function rivalsOf(comparison: Comparison): { element: HTMLElement; draw: () => void } {
  const legend = h("legend");
  const list = h("div");
  const why = h("summary");
  const cannot = h("div");
  const absent = h("details.absent", {}, why, cannot);
  const element = h("fieldset", {}, legend, list, absent);
  let listed = ""; // what stands there
  const draw = () => {
    const contest = comparison.contest();
    if (!contest) return;
    const chosen = comparison.chosen().map(({ id }) => id);
    const says = JSON.stringify([contest.own.name, contest.others.map(({ id }) => id), contest.absent, chosen]);
    if (says === listed) return;
    listed = says;
    const entry = ({ id, name }: Rival, shown: string) => {
      const box = h("input", { type: "checkbox", id: `rival-${id}`, onchange: () => comparison.choose(id, box.checked) });
      box.checked = chosen.includes(id);
      box.disabled = !box.checked && chosen.length >= MOST_RIVALS;
      return h(
        "label.check",
        {},
        box,
        shown === name ? ` ${name}` : h("span", {}, h("span.hidden", {}, `${name.slice(0, -shown.length)} `), shown),
      );
    };
    const heading = (text: string) => h("h3", { "aria-hidden": "true" }, text);
    const entries = groupsOf(contest.others).flatMap(({ system, rivals }, i) =>
      rivals.length === 1
        ? [...(i > 0 ? [heading("Others")] : []), entry(rivals[0], rivals[0].name)]
        : [heading(system), ...rivals.map((one) => entry(one, capital(one.name.slice(system.length + 2))))],
    );
    say(legend, `Compare ${contest.own.name} with`);
    render(entries, list);
    absent.hidden = contest.absent.length === 0;
    say(why, `${number(contest.absent.length, "note")} on what cannot be compared or is left out`);
    render(
      contest.absent.map((sentence) => h("p.quiet", {}, sentence)),
      cannot,
    );
  };
  return { element, draw };
}

/** Policies of one system that follow one another, under its name. */
function groupsOf(rivals: Rival[]): { system: string; rivals: Rival[] }[] {
  const groups: { system: string; rivals: Rival[] }[] = [];
  for (const one of rivals) {
    const system = /^(.*?), /.exec(one.name)?.[1] ?? one.name;
    if (groups.at(-1)?.system === system) groups.at(-1)?.rivals.push(one);
    else groups.push({ system, rivals: [one] });
  }
  return groups;
}

/** How far it is, with the way to end it. */
function standingOf(comparison: Comparison): { element: HTMLElement; draw: () => void; focused: () => boolean } {
  const text = h("p.doing");
  const bar = h("progress", { max: 100, "aria-label": "Played" });
  const cancel = h("button.btn", { type: "button", id: "compare-cancel", onclick: () => comparison.cancel() }, "Cancel");
  const spoken = h("p.hidden", { role: "status" });
  const element = h("div.standing", {}, h("div.toolbar", {}, text, bar, cancel), spoken);
  const draw = () => {
    const { state } = comparison;
    const now = state.runs.flatMap(playsOf).find((played) => played.state === "playing");
    bar.hidden = cancel.hidden = !state.running;
    say(spoken, progressOf(state)); // without the time, which changes too often to be read aloud
    if (!now || !state.running) {
      return say(text, state.runs.length === 0 ? INVITATION : `${state.title ? `${state.title}: ` : ""}${progressOf(state)}`);
    }
    if (now.at > 0 || shareOf(state) > 0) {
      bar.value = percent(shareOf(state), 1);
      return say(text, `${progressOf(state)} · ${bar.value} %${now.at > 0 ? ` · ${clock(now.at)}` : ""}`);
    }
    const phase = now.phase === "reading" ? "reading its files" : "starting"; // a large cell takes seconds to place what runs when it begins
    if (now.share > 0) bar.value = percent(now.share, 1);
    else bar.removeAttribute("value");
    say(text, `${progressOf(state)} · ${phase}${now.share > 0 ? `, ${bar.value} %` : ""}`);
  };
  return { element, draw, focused: () => document.activeElement === cancel };
}

/** The chart and the table. */
function resultsOf(
  comparison: Comparison,
  store: Store<"engine" | "run" | "page">,
  beat: HTMLElement,
): { verdict: HTMLElement; elements: HTMLElement[]; table: HTMLElement; now: () => void; soon: () => void; end: () => void } {
  const chart = new CompareChart();
  const menu = h("select", { id: "compare-figure", "aria-label": "Figure", onchange: () => comparison.set({ figure: menu.value }) });
  const save = h(
    "button.btn",
    {
      type: "button",
      id: "compare-csv",
      onclick: () => download("parley-comparison.csv", "text/csv", figuresCSV(comparison.state.runs, comparison.state.figures)),
    },
    "CSV",
  );
  const away = async (what: "json" | "png" | "svg") => {
    const { runs, figures, figure, to } = comparison.state;
    try {
      const { saveComparison } = await import("./export.ts");
      await saveComparison(what, runs, figures, columnOf(runs, figure), to, store.state.engine);
    } catch {
      store.set({ notice: "Could not save it: the server is unreachable, or the browser cannot draw. Try again." });
    }
  };
  const others = (["json", "png", "svg"] as const).map((what) =>
    h(
      "button.btn",
      {
        type: "button",
        id: `compare-${what}`,
        title: what === "json" ? "Every seed's digest, figures and series" : "The chart, with the scenario inside",
        onclick: () => void away(what),
      },
      what.toUpperCase(),
    ),
  );
  const lines = h("div.lines", {}, h("div.toolbar", {}, menu, h("span.grow"), beat, save, ...others), chart.element);
  const table = h("div.ledger", { tabindex: 0, role: "region", "aria-label": "Figures of the compared systems" });
  const decided = h("div.verdict", { id: "compare-verdict", hidden: true });
  let listed = ""; // the columns of the menu
  let drawn = ""; // the runs of the table,
  let shown: Figure[] = []; // and its figures
  const now = () => {
    const { runs, figures, figure, to, running } = comparison.state;
    lines.hidden = table.hidden = runs.length === 0;
    const sentences = running ? [] : verdict(runs, figures, store.state.systems);
    decided.hidden = sentences.length === 0;
    if (decided.textContent !== sentences.join(""))
      render(
        sentences.map((sentence) => h("p", {}, sentence)),
        decided,
      );
    if (runs.length === 0) return;
    for (const button of [save, ...others]) button.disabled = running;
    const columns = columnsOf(runs);
    const says = columns.map(({ id }) => id).join();
    if (says !== listed) menu.replaceChildren(...columns.map(({ id, name }) => h("option", { value: id }, name)));
    listed = says;
    const column = columnOf(runs, figure);
    menu.hidden = !column;
    if (column) {
      menu.value = column.id;
      chart.draw(runs, column, to);
    }
    const told = runs.map((run) => `${run.id} ${run.link} ${playsOf(run).map(({ state }) => state)}`).join();
    if (told !== drawn || figures !== shown)
      render(
        compareTable(runs, figures, (text) => explained(text, store)),
        table,
      );
    drawn = told;
    shown = figures;
  };
  const soon = atMostEvery(SPAN, () => lines.isConnected && now());
  return { verdict: decided, elements: [lines, table], table, now, soon, end: () => chart.destroy() };
}
