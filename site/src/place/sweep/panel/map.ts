// The grid of a sweep as a map: a cell's colour is the mean of a figure, or how it
// differs; a cell leads to all that is known of it, and to its runs.
import { h, nothing, render, say } from "../../../base/dom.ts";
import { difference, quantity } from "../../../base/format.ts";
import type { CellFigure, SweepFigure } from "../../../base/messages.ts";
import { gradient } from "../../../base/palette.ts";
import type { Scenario } from "../../../base/scenario.ts";
import { nameOfFigure, unitOfFigure } from "../../../model/figurename.ts";
import { open } from "../../../model/run.ts";
import { usualFill } from "../../../model/scenario.ts";
import { all, type Store } from "../../../model/store.ts";
import { nameOfField } from "../model/form.ts";
import { colourOfDifference, colourOfMean, extentOf, type GridMap, inkOn, mapsOf, reachOf } from "../model/grid.ts";
import type { Sweep, SweepTable } from "../model/sweep.ts";
import { saveFile } from "./file.ts";

const INVITATION =
  "Vary fields of the run that is open, play each variant with several seeds on all cores, and see what changes and how sure that is. The page's run goes on meanwhile. parley sweep plays the same document and gives the same table.";

const WORDS = { lower: "▼ lower", higher: "▲ higher", none: "no difference seen", unknown: "no interval" };

export function mountSweepMap(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  sweep: Sweep,
): () => void {
  const menu = h("select", { id: "sweep-figure", "aria-label": "Figure", onchange: () => sweep.choose(menu.value) });
  const press = (differences: boolean, id: string, text: string) =>
    h("button.btn", { type: "button", id, onclick: () => sweep.set({ differences }) }, text);
  const means = press(false, "sweep-means", "Means");
  const apart = press(true, "sweep-differences", "Differences");
  const chips = h("div.buttons", { role: "group", "aria-label": "What the map shows" }, means, apart);
  const save = (what: "results" | "json" | "csv", text: string, title: string) =>
    h("button.btn", { type: "button", id: `sweep-save-${what}`, title, onclick: () => void saveFile(sweep, what) }, text);
  const files = h(
    "div.buttons",
    { role: "group", "aria-label": "Save" },
    save("results", "Results", "One line per run; put it in a result folder as results.jsonl and parley sweep continues from it"),
    save("csv", "CSV", "The table for a spreadsheet"),
    save("json", "JSON", "The table as parley sweep --json prints it"),
  );
  const legend = h("p.mapkey");
  const maps = h("div.maps");
  const notes = h("p.quiet");
  const detail = h("section.cell", { tabindex: -1, "aria-label": "The chosen cell" });
  const invitation = h("p.quiet", {}, INVITATION);
  element.replaceChildren(
    invitation,
    h("div.toolbar", {}, menu, chips, h("span.grow"), files),
    legend,
    h("div.views", {}, h("div", {}, maps, notes), detail),
  );

  let laid: unknown; // what the sweep says, of which the cells stand there
  let cells: HTMLButtonElement[] = [];
  let listed = "";
  const draw = () => {
    const { read, table, differences, cell } = sweep.state;
    const there = read !== undefined && table !== undefined;
    invitation.hidden = there && table.done > 0;
    maps.hidden = !there;
    for (const part of [menu, chips, files, legend, notes]) part.hidden = !there || table.done === 0;
    detail.hidden = !cell;
    if (!there) return;
    if (laid !== read) {
      cells = [];
      render(
        mapsOf(read.groups.map((group) => ({ ...group, name: nameOfField(store.state, group.name) }))).map((map) =>
          tableOf(map, cells, (number) => void choose(number)),
        ),
        maps,
      );
      if (cells[0]) cells[0].tabIndex = 0;
      laid = read;
    }
    const names = table.metrics.join();
    if (names !== listed) menu.replaceChildren(...table.metrics.map((id) => h("option", { value: id, title: id }, nameOfFigure(id))));
    listed = names;
    menu.value = table.metric;
    chips.hidden ||= read.compare === "";
    const shown = differences && read.compare !== "";
    means.setAttribute("aria-pressed", String(!shown));
    apart.setAttribute("aria-pressed", String(shown));
    drawLegend(legend, table, shown ? read.compare : "", store);
    for (const [number, button] of cells.entries())
      if (button) drawCell(button, table.cells[number], table, shown, store, number === cell?.cell);
    say(
      notes,
      [...table.notes, ...(table.cells.length > cells.length ? ["The other cells are in the CSV"] : [])]
        .map((note) => `${note}.`)
        .join(" "),
    );
    drawDetail();
  };

  const choose = async (number: number) => {
    await sweep.look(sweep.state.cell?.cell === number ? -1 : number);
    if (sweep.state.cell) queueMicrotask(() => detail.scrollIntoView({ block: "nearest" }));
  };
  maps.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const from = event.target instanceof HTMLElement ? event.target.closest<HTMLTableCellElement>("td") : null;
    const grid = from?.closest("table");
    if (!step || !from || !grid) return;
    const to =
      grid.rows[(from.parentElement as HTMLTableRowElement).rowIndex + step[0]]?.cells[from.cellIndex + step[1]]?.querySelector("button");
    event.preventDefault();
    to?.focus();
  });
  maps.addEventListener("focusin", ({ target }) => {
    for (const button of cells) if (button) button.tabIndex = button === target ? 0 : -1; // one stop of Tab, arrows within
  });

  let told: unknown; // the cell that is drawn
  const drawDetail = () => {
    const { cell } = sweep.state;
    if (told === cell) return;
    told = cell;
    if (!cell) return render(nothing, detail);
    const close = h(
      "button.btn.quiet.square",
      {
        type: "button",
        id: "sweep-close",
        "aria-label": "Close",
        onclick: () => {
          cells[cell.cell]?.focus();
          void sweep.look(-1);
        },
      },
      "×",
    );
    const rows = cell.figures.map((figure) => {
      const apart = cell.differences.find(({ name }) => name === figure.name);
      return h(
        "tr",
        {},
        h("th", { scope: "row", title: figure.name }, nameOfFigure(figure.name)),
        h("td.n", {}, ...meanOf(figure)),
        h("td.n", {}, rangeOf(figure)),
        sweep.state.read?.compare !== "" &&
          h(
            "td.n",
            {},
            apart ? difference(apart.mean, unitOfFigure(figure.name)) : "–",
            apart && h("small.quiet", {}, ` ${WORDS[apart.verdict ?? "unknown"]}`),
          ),
      );
    });
    const heads = ["figure", "mean ± sd", "95 % interval", ...(sweep.state.read?.compare !== "" ? ["difference"] : [])];
    const runs = cell.runs.map(({ seed, digest, scenario }) =>
      h(
        "li",
        {},
        h(
          "button.btn",
          {
            type: "button",
            id: `sweep-run-${seed}`,
            "aria-label": `Open seed ${seed}`,
            title: "Plays it on the page",
            onclick: () => watch(store, scenario),
          },
          `Open seed ${seed}`,
        ),
        h("span.num.quiet", {}, digest || "not played"),
      ),
    );
    render(
      [
        h("div.heading", {}, h("h3", {}, cell.where || "The base"), close),
        h("ul.runs", {}, ...runs),
        rows.length === 0
          ? undefined
          : h(
              "div.wide",
              { tabindex: 0, role: "region", "aria-label": "Figures of the cell" },
              h(
                "table.full",
                {},
                h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", { scope: "col", class: i > 0 ? "n" : "" }, head)))),
                h("tbody", {}, ...rows),
              ),
            ),
      ],
      detail,
    );
  };
  return all(sweep.watched.watch(["sweep"], draw), store.watch(["light", "palette"], draw));
}

/** Plays a run of the sweep on the page. */
function watch(store: Store<"engine" | "run" | "reported" | "look" | "page">, scenario: Scenario): void {
  const plays = Array.isArray(scenario.workload?.trace) && scenario.workload.trace.length > 0;
  store.set({ fill: usualFill(scenario), place: "watch" });
  open(store, scenario, { files: plays ? store.state.traceFiles : [], play: !store.state.reducedMotion });
}

/** A map without its values; its buttons go into cells, by number. */
function tableOf(
  { title, down, across, rows, columns, cells: numbers }: GridMap,
  cells: HTMLButtonElement[],
  choose: (number: number) => void,
): HTMLElement {
  const button = (number: number) => {
    const made = h(
      "button",
      { type: "button", id: `sweep-cell-${number}`, tabindex: -1, onclick: () => choose(number) },
      h("span.hidden"),
      h("b"),
      h("small"),
    );
    return (cells[number] = made);
  };
  const where = (row: number, column: number) =>
    [title, `${down} ${rows[row]}`, across && `${across} ${columns[column]}`].filter((part) => part.trim() !== "").join(", ");
  return h(
    "table.grid",
    {},
    h("caption", { class: title === "" ? "hidden" : "" }, title || "The grid"),
    across !== "" &&
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col", rowspan: 2 }, down), h("th", { scope: "colgroup", colspan: columns.length }, across)),
        h("tr", {}, ...columns.map((value) => h("th", { scope: "col" }, value))),
      ),
    h(
      "tbody",
      {},
      ...numbers.map((line, r) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, across === "" ? `${down} ${rows[r]}` : rows[r]),
          ...line.map((number, c) => {
            const made = button(number);
            say(made.children[0], `${where(r, c)}: `);
            return h("td", {}, made);
          }),
        ),
      ),
    ),
  );
}

function drawCell(
  button: HTMLButtonElement,
  cell: CellFigure | undefined,
  table: SweepTable,
  differences: boolean,
  store: Store<"look">,
  chosen: boolean,
): void {
  const { light, palette } = store.state;
  const figure = cell?.figure;
  const apart = cell?.difference;
  const unit = unitOfFigure(table.metric);
  const [where, value, small] = button.children;
  let colour: string | undefined;
  if (!figure) [value.textContent, small.textContent] = ["–", ""];
  else if (differences) {
    [value.textContent, small.textContent] = apart
      ? [difference(apart.mean, unit), WORDS[apart.verdict ?? "unknown"]]
      : [quantity(figure.mean, unit), "compared with this"];
    colour = apart && colourOfDifference(apart, reachOf(table.cells), light);
  } else {
    const range = extentOf(table.cells);
    [value.textContent, small.textContent] = [
      quantity(figure.mean, unit),
      figure.n > 1 ? `± ${quantity(figure.sd, unit)}, n ${figure.n}` : "n 1",
    ];
    if (cell.none || cell.all) small.textContent = cell.none ? `nothing fits: ${cell.none}` : `all fit: ${cell.all}`;
    colour = range && colourOfMean(figure.mean, range, palette, light);
  }
  button.style.background = colour ?? "";
  button.style.color = colour ? inkOn(colour) : "";
  button.title = [
    where.textContent,
    figure && `${quantity(figure.mean, unit)} ${rangeOf(figure)}`,
    apart && `difference ${difference(apart.mean, unit)} ${rangeOf(apart)}`,
  ]
    .filter(Boolean)
    .join("\n");
  button.setAttribute("aria-pressed", String(chosen));
}

function drawLegend(legend: HTMLElement, table: SweepTable, compare: string, store: Store<"look">): void {
  const unit = unitOfFigure(table.metric);
  const range = extentOf(table.cells);
  if (compare !== "")
    return render(
      [
        `Difference to ${compare}, seed by seed: blue and ▼ lower, orange and ▲ higher; without a colour the 95 % interval touches zero: the runs cannot tell.`,
      ],
      legend,
    );
  const ramp = h("span.ramp");
  ramp.style.background = gradient(store.state.palette, store.state.light);
  render(
    [
      range ? quantity(range.low, unit) : "",
      ramp,
      range ? quantity(range.high, unit) : "",
      h("span.quiet", {}, "mean over the seeds ± standard deviation"),
    ],
    legend,
  );
}

function meanOf({ name, n, mean, sd }: SweepFigure): (string | HTMLElement)[] {
  const unit = unitOfFigure(name);
  return [quantity(mean, unit), ...(n > 1 ? [h("small.quiet", {}, ` ± ${quantity(sd, unit)}`)] : [])];
}

/** The 95 % interval of a figure, or "". */
function rangeOf({ name, low, high }: SweepFigure): string {
  if (low === undefined || high === undefined) return "";
  return `${quantity(low, unitOfFigure(name))} … ${quantity(high, unitOfFigure(name))}`;
}
