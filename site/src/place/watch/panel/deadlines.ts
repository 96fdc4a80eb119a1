// Beside the cells of a system of task graphs: each graph in its colour, with what is
// done and how much of its time is used, up to a common deadline.
import { atMostEvery, h, html, render, repeat, type TemplateResult } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import { swatches } from "../../../base/palette.ts";
import { all, type Store } from "../../../model/store.ts";
import { applies, systemOf } from "../../../model/systems.ts";
import { byDeadline, cellOf, type Due, timeLeft } from "../model/deadlines.ts";

const WIDE = 860; // CSS pixels of the stage from which on there is room beside the cells
const ROW = 22;
const LOW = 240; // less high it is a strip above a chart, where no row has room
const KEY =
  "The bar is what is done of the graph's subtasks. The upright line is how much of the time from its arrival to its deadline is used. A graph is behind if more of its time is used than of its subtasks is done.";

/** settle is called when the room for cells has changed. */
export function mountDeadlines(element: HTMLElement, store: Store, settle: () => void): () => void {
  const more = h("span.quiet");
  const title = h(
    "p.heading",
    {},
    h("b", {}, "Graphs by deadline"),
    more,
    h("span.term.quiet", { "data-means": KEY, tabindex: 0 }, "How to read this"),
  );
  const list = h("ol");
  element.replaceChildren(title, list);
  const seat = () => {
    const { stage, scenario } = store.state;
    const system = systemOf(store.state);
    const framed = document.documentElement.classList.contains("embed");
    const shown =
      scenario !== undefined && system !== undefined && applies("graph", system) && stage.width >= WIDE && stage.height >= LOW && !framed;
    if (element.hidden === !shown) return;
    element.hidden = !shown;
    settle();
  };
  const draw = () => {
    if (element.hidden) return;
    const { graphs, graphsLeft, status, layers, light, graphLooked } = store.state;
    const layer = layers.find((each) => each.graphs);
    const looks = layer?.names ? swatches(layer.names, light) : [];
    const due = byDeadline(graphs, status?.at ?? 0);
    const rows = Math.max(1, Math.floor((element.clientHeight - title.offsetHeight) / ROW));
    render(
      repeat(
        due.slice(0, rows),
        (one) => one.number,
        (one) => row(one, graphLooked),
      ),
      list,
    );
    const left = Math.max(0, due.length - rows) + graphsLeft;
    more.textContent = due.length === 0 ? "No graph is under way." : left > 0 ? `${count(left)} more in the tab Graphs` : "";

    function row(one: Due, looked: number): TemplateResult {
      const value = layer && cellOf(layer, one.number);
      const look = value === undefined ? undefined : looks[value];
      const colour = `--colour: ${look ? `#${look.colour}` : "var(--accent)"}`;
      const pattern = look?.pattern ?? "";
      const { graph, standing, number } = one;
      const done = `${count(graph.done)} of ${count(graph.subtasks)}`;
      const left = timeLeft(one);
      const due = standing === "on time" || standing === "behind" ? `${standing} · ${left}` : left;
      return html`<li><button type="button" title=${`Graph ${number}: ${done} subtasks done, ${standing}, ${left}. Show the graph`}
          aria-pressed=${number === looked} data-graph=${number} @click=${() => store.set({ tab: "graph", graphLooked: number })}>
        <i class="swatch ${pattern}" .style=${colour}></i><span class="hidden">Graph </span><span class="num">${number}</span><span
          class="hidden">: ${done} subtasks done, </span>
        <span class="track"><i class="done swatch ${pattern}" .style=${`${colour}; width: ${100 * one.done}%`}></i><i
          class="used" ?hidden=${one.used === undefined} .style=${`left: ${100 * (one.used ?? 0)}%`}></i></span>
        <span class="due ${standing.replace(" ", "-")}"><span aria-hidden="true">${sign(one)}</span>${due}</span></button></li>`;
    }
  };
  const soon = atMostEvery(500, draw);
  return all(
    store.watch(["stage", "systems", "scenario"], seat),
    store.watch(["graphs", "status", "layers", "light", "graphLooked", "stage", "insets"], soon),
  );
}

/** The standing as a shape, for those who do not see its colour. */
function sign({ standing }: Due): string {
  return standing === "late" ? "✕ " : standing === "behind" ? "◆ " : "";
}
