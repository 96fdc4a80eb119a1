// The legend: what the colours mean, in numbers, how the values lie upon them, and
// how many nodes are in each state, with the marks that show it.
import { atMostEvery, find, h, html, nothing, render, say, svg } from "../../../base/dom.ts";
import { count, digits } from "../../../base/format.ts";
import { countStates } from "../../../model/cell.ts";
import { devicesShown, fuller } from "../../../model/look.ts";
import { type Scale, tally, WHOLE } from "../../../model/scale.ts";
import { all, type State, type Store } from "../../../model/store.ts";
import { ofTasks, systemOf } from "../../../model/systems.ts";
import { BARS, keyOf } from "../../../panel/key.ts";
import { explained } from "../../../panel/term.ts";

/** The marks as the stage draws them, each in 18 × 12. */
const MARKS = [
  ["down", "bad", ["M3 1.5h9v9H3z", "M3 6 7.5 1.5M3 10.5l9-9M7.5 10.5 12 6"]],
  ["overloaded", "warn", ["M9 1 14 6 9 11 4 6Z"]],
  ["off", "", ["M3 1.5h9v9H3z"]],
  ["moving", "", ["M1 10C4 3 9 2 13 4.5", "M12 3h4v4h-4z"]],
  ["forced", "forced", ["M1 10l3-4M6 4l3-1.2", "M14 1 17 4 14 7 11 4Z"]],
] as const;

const OFF = "off"; // the mark that only clusters have that switch nodes off

const READING =
  "A square is a node: its width is CPU and its height is memory. The filled part is used, the outlined part is requested. A fill as wide as it is high is proportional; one that is wide and low has memory to spare and no CPU for it.";

export function mountLegend(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look">): () => void {
  const key = h("div.key");
  const numbers = MARKS.map(([, tone]) => h("b.num", { class: tone }));
  const labels = MARKS.map(() => h("span"));
  const spans = MARKS.map(([, tone, paths], i) => h("span", {}, drawn(tone, paths), labels[i], " ", numbers[i]));
  const marks = h("div.marks", {}, ...spans);
  element.replaceChildren(key, marks);
  let bars: HTMLElement[] = [];
  const recount = atMostEvery(500, () => {
    const { frame, layers, fill: id, scale } = store.state;
    const arcs = (frame?.arcs ?? []).filter(({ kind }) => kind !== "messaged"); // as the map draws them, forced ones dashed
    const counts: Record<string, number> = {
      ...countStates(frame, layers),
      moving: arcs.length,
      forced: arcs.filter(({ kind }) => kind === "forced").length,
    };
    MARKS.forEach(([name], i) => {
      say(numbers[i], count(counts[name] ?? 0));
      if (name === OFF) spans[i].hidden = !counts[name];
    });
    const layer = layers.findIndex((each) => each.id === id);
    if (devicesShown(store.state)) return show();
    if (!frame || layer < 0 || bars.length === 0) return;
    const largest = fuller(store.state);
    const nodes = tally(frame, layers, ...(largest ?? [layer]));
    heights(nodes, largest ? WHOLE : scale).forEach((height, i) => (bars[i].style.height = `${height}px`));
  });
  const show = () => {
    const { layers, fill: id, palette, light, scale, whole } = store.state;
    const layer = layers.find((each) => each.id === id);
    if (!layer) return;
    marks.hidden = layer.names?.includes("down") ?? false; // the values say it already
    MARKS.forEach(([name], i) => render(explained(name, store), labels[i]));
    const devices = devicesShown(store.state);
    marks.hidden ||= devices !== undefined;
    if (devices) {
      bars = [];
      void import("./devices.ts").then(({ drawKey }) => {
        const now = devicesShown(store.state);
        if (now) drawKey(key, now, layer.devices ?? "", store.state.shape === "jobs" ? "job" : "task", light);
      });
      return;
    }
    if (cards(store.state)) {
      render(html`<ul class="values">${CARDS.map(([kind, text]) => html`<li><i class="swatch task ${kind}"></i>${text}</li>`)}</ul>`, key);
      return;
    }
    const glyphs = fuller(store.state) !== undefined;
    const parts = keyOf(layer, palette, light, glyphs ? WHOLE : scale, (text) => explained(text, store));
    const [title] = parts;
    const about = glyphs ? READING : layer.about;
    if (glyphs) {
      say(find("b", title), "Fuller of CPU and memory");
      title.append(h("span", {}, "0–100 % of the node"));
    } else if (!layer.names) {
      const all = layer.ends ? "all of it" : layer.top ? `0–${digits(layer.top)}` : "0–100 %";
      title.append(
        h("span", {}, whole ? all : "fitted", " · "),
        h(
          "button.link",
          {
            type: "button",
            id: "scale",
            title: whole ? "Use all colours for the values present" : "Colours from 0 to 100 %",
            onclick: () => store.set({ whole: !whole }),
          },
          whole ? "fitted" : all,
        ),
      );
    }
    const reading = html`<span class="term quiet reading" data-means=${about} tabindex="0">How to read this</span>`;
    render([...parts, about ? reading : nothing], key);
    bars = [...key.querySelectorAll<HTMLElement>(".histogram i")];
    recount();
  };
  let shown = "";
  const showAgain = () => {
    const { fill: id, palette, layers, scale, whole, light } = store.state;
    const now = JSON.stringify([
      id,
      palette,
      layers.length,
      scale,
      whole,
      light,
      fuller(store.state),
      cards(store.state),
      !devicesShown(store.state),
    ]);
    if (now === shown) return;
    shown = now;
    show();
  };
  return all(
    store.watch(["frame", "layers"], recount),
    store.watch(["shape", "systems", "scenario"], () => {
      const { shape } = store.state;
      const { moves = false, forces = false } = systemOf(store.state) ?? {};
      const shown: Record<string, boolean> = { down: true, overloaded: true, moving: moves, forced: forces };
      MARKS.forEach(([name], i) => (spans[i].hidden = name !== "down" && !(shown[name] && ofTasks(shape)))); // other work neither overloads nor moves
    }),
    store.watch(["fill", "palette", "layers", "scale", "whole", "light", "camera", "cards"], showAgain),
  );
}

/** Reports whether the legend is a card that opens over the map, as on a phone, and not a strip below it. */
export const asCard = (legend: HTMLElement): boolean => getComputedStyle(legend).getPropertyValue("--card") !== "";

/** On a phone a button opens the legend as a card; the next click elsewhere or Escape closes it. */
export function mountLegendCard(button: HTMLElement, legend: HTMLElement): () => void {
  const open = (is: boolean) => {
    legend.classList.toggle("open", is);
    button.setAttribute("aria-expanded", String(is));
  };
  const closing = new AbortController();
  const { signal } = closing;
  button.addEventListener("click", () => open(!legend.classList.contains("open")), { signal });
  const elsewhere = ({ target }: Event) => {
    if (target instanceof Node && !legend.contains(target) && !button.contains(target)) open(false);
  };
  addEventListener("pointerdown", elsewhere, { signal, capture: true });
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !legend.classList.contains("open")) return;
    event.stopPropagation();
    open(false);
    button.focus();
  };
  addEventListener("keydown", leave, { signal, capture: true });
  return () => closing.abort();
}

/** What the bars of a card mean. */
const CARDS = [
  ["production", "production"],
  ["batch", "batch"],
  ["chosen", "chosen"],
  ["requested", "requested"],
  ["over", "over the node"],
] as const;

/** Whether cells are cards with their tasks. */
function cards(state: State<"run" | "reported" | "look">): boolean {
  return fuller(state) !== undefined && state.cards.length > 0;
}

function drawn(tone: string, paths: readonly string[]): SVGElement {
  const icon = svg("svg", { viewBox: "0 0 18 12", width: 18, height: 12, class: `mark ${tone}`, "aria-hidden": "true" });
  for (const d of paths) icon.append(svg("path", { d }));
  return icon;
}

/** The bars of a histogram over the scale, at most 14 px high. What lies beyond an end is counted there. */
function heights(counts: Uint32Array, { low, high }: Scale): number[] {
  const sums = new Array<number>(BARS).fill(0);
  counts.forEach((n, byte) => (sums[Math.min(BARS - 1, Math.max(0, Math.floor(((byte - low) / (high - low)) * BARS)))] += n));
  const most = Math.max(1, ...sums);
  return sums.map((n) => (n === 0 ? 0 : Math.max(1, Math.round(14 * Math.sqrt(n / most)))));
}
