// The tab of task graphs: those in work with deadline, progress and who works for them,
// and the chosen one as a picture whose threads have the colours of their agents.
import { atMostEvery, h, html, render, repeat, say, type TemplateResult } from "../../../base/dom.ts";
import { count, number } from "../../../base/format.ts";
import type { GraphTask } from "../../../base/messages.ts";
import { tokensOf } from "../../../base/tokens.ts";
import { type GraphPicture, held, type Lens, zoomed } from "../../../model/graph.ts";
import { focus, select } from "../../../model/look.ts";
import { all, type Store } from "../../../model/store.ts";
import type { Pen } from "../../../model/vector.ts";
import { remember } from "../../../panel/drawn.ts";
import { byDeadline, timeLeft } from "../model/deadlines.ts";
import { drawGraph } from "./graphdraw.ts";

const WHOLE: Lens = { zoom: 1, x: 0, y: 0 };

export function mountGraphs(element: HTMLElement, store: Store<"reported" | "look" | "chosen">): () => void {
  const note = h("p.quiet");
  const body = h("tbody");
  const heads = ["graph", "state", "deadline", "done", "agents"].map((name, i) => h("th", { scope: "col", class: i > 1 ? "n" : "" }, name));
  const spoken = h("p.quiet", { role: "status" });
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    "aria-label": "Task graph",
    "aria-description": "Plus and minus zoom, arrow keys pan, 0 shows everything. The line above says the same as text.",
  });
  element.replaceChildren(
    h(
      "div.graphs",
      {},
      h("div.list", {}, note, h("table.full", {}, h("thead", {}, h("tr", {}, ...heads)), body)),
      h("div.picture", {}, spoken, canvas),
    ),
  );
  let lens = WHOLE;
  let asked = 0;
  const choose = (which: number) => store.set({ graphLooked: which });
  const follow = () => {
    lens = WHOLE;
    store.set({ graph: undefined });
    store.send({ type: "graph", number: store.state.graphLooked });
    list();
  };
  const draw = () => {
    asked = 0;
    const { graph } = store.state;
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio))
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const pen = canvas.getContext("2d");
    if (!pen || width === 0) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const token = tokensOf(canvas);
    const at = lens;
    const paint = (by: Pen) => graph && drawGraph(by, { width, height }, graph, at, token);
    remember(canvas, { width, height, draw: paint });
    paint(pen);
  };
  const redraw = () => (asked ||= requestAnimationFrame(draw));
  const look = (next: Lens) => {
    lens = next;
    redraw();
  };
  const list = () => {
    const { graphs, graphsLeft, status, graphLooked: chosen } = store.state;
    if (chosen === 0 && graphs.length > 0) return choose(graphs[0].number);
    const now = status?.at ?? 0;
    note.textContent =
      graphs.length === 0
        ? "No graph is running."
        : graphsLeft > 0
          ? `The ${count(graphs.length)} that arrived first; ${count(graphsLeft)} more are not listed.`
          : `${number(graphs.length, "graph")} in work.`;
    render(
      repeat(
        graphs,
        (graph) => graph.number,
        (graph) => row(graph, now, chosen, choose),
      ),
      body,
    );
  };
  const describe = () => {
    const { graph } = store.state;
    say(spoken, graph ? told(graph) : "Choose a graph.");
    redraw();
  };
  const place = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };
  const under = (event: MouseEvent) => {
    const { x, y } = place(event);
    return store.state.graph?.nearest(lens.x + x / lens.zoom, lens.y + y / lens.zoom) ?? -1;
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    look(zoomed(lens, Math.exp(-event.deltaY / 300), place(event)));
  });
  canvas.addEventListener("pointermove", (event) => {
    const { graph } = store.state;
    if (event.buttons & 1)
      return look(
        held({
          ...lens,
          x: lens.x - event.movementX / canvas.clientWidth / lens.zoom,
          y: lens.y - event.movementY / canvas.clientHeight / lens.zoom,
        }),
      );
    const v = under(event);
    if (graph && v >= 0)
      say(
        spoken,
        `Subtask ${v + 1} of ${count(graph.length)}: ${graph.state(v) === "open" ? "not taken" : `node ${graph.agent(v)}, ${graph.state(v)}`}`,
      );
  });
  canvas.addEventListener("pointerleave", describe);
  canvas.addEventListener("dblclick", (event) => {
    const node = store.state.graph?.agent(under(event)) ?? -1;
    if (node < 0) return;
    select(store, node);
    focus(store);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = 0.1 / lens.zoom;
    const next: Record<string, Lens> = {
      "+": zoomed(lens, 1.6, { x: 0.5, y: 0.5 }),
      "-": zoomed(lens, 1 / 1.6, { x: 0.5, y: 0.5 }),
      "0": WHOLE,
      ArrowLeft: held({ ...lens, x: lens.x - step }),
      ArrowRight: held({ ...lens, x: lens.x + step }),
      ArrowUp: held({ ...lens, y: lens.y - step }),
      ArrowDown: held({ ...lens, y: lens.y + step }),
    };
    const one = next[event.key];
    if (!one) return;
    event.preventDefault();
    event.stopPropagation();
    look(one);
  });
  const resize = new ResizeObserver(redraw);
  resize.observe(canvas);
  const stop = all(
    store.watch(["graphs", "status"], atMostEvery(500, list)),
    store.watch(["graph"], describe),
    store.watch(["light"], redraw),
    store.watch(["graphLooked", "grid"], follow), // with the grid the run may have begun anew, and the engine forgot what is looked at
  );
  return () => {
    stop();
    resize.disconnect();
    cancelAnimationFrame(asked);
    store.send({ type: "graph", number: 0 });
  };
}

function row(graph: GraphTask, now: number, chosen: number, choose: (which: number) => void): TemplateResult {
  const { number: which, state, done, subtasks, agents } = graph;
  const [due] = byDeadline([graph], now);
  const is = which === chosen;
  return html`<tr class=${is ? "chosen" : ""}>
    <th scope="row"><button type="button" class="link" id=${`graph-${which}`} aria-pressed=${is} @click=${() => choose(which)}>graph ${which}</button></th>
    <td>${state}</td><td class="n">${timeLeft(due)}</td>
    <td class="n"><progress max=${subtasks} value=${done} aria-label=${`graph ${which}: ${done} of ${subtasks} subtasks are done`}></progress>
      ${count(done)} / ${count(subtasks)}</td><td class="n">${count(agents)}</td></tr>`;
}

function told(graph: GraphPicture): string {
  const { open, taken, done } = graph.counts();
  return `Graph ${graph.number}: ${number(graph.length, "subtask")}, ${count(done)} done, ${count(taken)} taken, ${count(open)} open${graph.over ? " · finished" : ""}`;
}
