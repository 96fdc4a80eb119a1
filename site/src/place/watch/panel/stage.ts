// The stage: the cells, as the worker draws them until the renderer takes over, the
// overlay that owns pointer and keys, and the menus upon it.
import { atMostEvery, find, h } from "../../../base/dom.ts";
import { capital } from "../../../base/format.ts";
import { cellValue } from "../../../model/cell.ts";
import { targetName } from "../../../model/faults.ts";
import { aimAt, fitAll, roomOf } from "../../../model/look.ts";
import { all, type Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";
import { followScale } from "../model/followscale.ts";
import { mountArrival } from "./arrival.ts";
import { mountCards } from "./cards.ts";
import { mountDim } from "./dim.ts";
import { mountFill } from "./fill.ts";
import { mountLabels } from "./labels.ts";
import { asCard, mountLegend, mountLegendCard } from "./legend.ts";
import { mountMinimap } from "./minimap.ts";
import { mountPicture } from "./picture.ts";
import { mountPlacing } from "./placing.ts";
import { listen } from "./pointer.ts";
import { mountPreview } from "./preview.ts";
import { mountQuestion } from "./question.ts";
import { mountSentence } from "./sentence.ts";
import { mountTip } from "./tip.ts";

const MARGIN = 62; // CSS pixels below the cells: a legend of one line

export function mountStage(element: HTMLElement, store: Store): () => void {
  const canvas = h("canvas", { "aria-hidden": "true", class: "cells" });
  const map = h("div", {
    class: "map",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "map",
    "aria-label": "Map of the cluster",
    "aria-describedby": "map-keys",
  });
  const head = find(".head", element); // index.html has its rows, whose heights stay
  const [tools, sentence] = [find(".tools", head), find(".now", head)];
  const legend = h("div.legend", { id: "legend" });
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const told = h("p.hidden", { "aria-live": "polite" });
  const filling = h("div.placing", { role: "status", hidden: true });
  const question = h("section.question-line", { "aria-label": "Question", hidden: true });
  const picture = h("figure.card-picture", { "aria-hidden": "true", hidden: true });
  const preview = h("div.arrival.preview", { role: "status", hidden: true });
  const arrival = h("div.arrival", { role: "status", hidden: true });
  const spoken = h("p.hidden", { "aria-live": "polite" });
  const keys = h(
    "p.hidden",
    { id: "map-keys" },
    "Arrow keys move the cursor from node to node, Enter selects, Escape leaves. The Table tab shows the same as text.",
  );
  const dim = h("canvas", { class: "dim", hidden: true, "aria-hidden": "true" });
  const cards = h("div.cards", { hidden: true, "aria-hidden": "true" });
  const deadlines = h("section.deadlines", { hidden: true, "aria-label": "Task graphs by deadline" });
  const zones = h("section.zonecards", { hidden: true });
  const minimap = h("div.minimap", { hidden: true, "aria-hidden": "true" });
  const breaker = h("section.breaker", { id: "breaker", hidden: true, "aria-label": "Break or repair" });
  find(".layers", element).replaceChildren(canvas);
  const labels = h("div.labels", { "aria-hidden": "true" });
  const inspector = find("#inspector");
  sentence.before(question);
  tools.before(preview, h("div.notices", {}), filling, arrival); // one above the other: nothing lies upon cells
  element.append(dim, labels, map, cards, minimap, picture, head, deadlines, zones, legend, tip, keys, spoken, told);
  inspector.after(breaker);

  let laid = ""; // the room that the cells were laid out for
  const settle = () => {
    const room = roomOf(store.state);
    const text = JSON.stringify(room);
    if (!room || text === laid || !store.state.grid || (laid && !store.state.fitted)) return; // a viewer who looks at a part keeps it where it is
    laid = text;
    store.send({ type: "room", room });
  };
  const settleSoon = atMostEvery(120, settle);
  /** Whether cells are so few that their racks have names, which stand above them. */
  const named = () => {
    const { grid, stage } = store.state;
    return grid !== undefined && ((grid.layout.groups ?? []).length > 0 || stage.width * stage.height > grid.cells * 24 ** 2);
  };
  let tallest = 0; // the legend while all cells fitted in: what it says depends on how large they are, and how large they are on the room that it leaves
  const measure = () => {
    const [all, menus, key, ...beside] = [element, head, legend, inspector, breaker, deadlines].map((part) => part.getBoundingClientRect());
    const card = asCard(legend); // it lies over the map while it is open
    const height = card || key.bottom === 0 ? 0 : all.bottom - key.top;
    if (store.state.fitted) tallest = Math.max(tallest, height);
    const free = {
      top: (menus.height === 0 ? 16 : menus.bottom - all.top + 4) + (store.state.group === "rack" && !named() ? 0 : 10),
      right: 16,
      bottom: Math.max(card ? 12 : MARGIN, (store.state.fitted ? tallest : height) + 8),
      left: 16,
    };
    let covered = 0; // of the whole height
    for (const [i, { width, left, top }] of beside.entries()) {
      if (width === 0 || left >= all.right || top >= all.bottom) continue;
      if (left > all.left && i < 2) covered = Math.max(covered, all.right - left);
      if (left > all.left)
        free.right = Math.max(free.right, all.right - left + 16); // a window of middle width: it stands at the right
      else free.bottom = Math.max(free.bottom, all.bottom - top + 8); // a phone: it is a sheet from below
    }
    element.style.setProperty("--covered", `${covered}px`);
    element.style.setProperty("--above", `${free.top}px`);
    element.style.setProperty("--below", `${free.bottom}px`);
    const { insets } = store.state;
    if ((Object.keys(free) as (keyof typeof free)[]).every((side) => Math.abs(free[side] - insets[side]) < 1)) return;
    store.set({ insets: free });
    look();
    settleSoon();
  };
  let asked = store.state.aim;
  let aimed = store.state.camera; // as the link's aim made it
  const look = () => {
    const { aim, camera, fitted } = store.state;
    if (aim && (aim !== asked || camera === aimed)) {
      aimAt(store, aim);
      [asked, aimed] = [aim, store.state.camera];
    } else if (fitted) fitAll(store);
  };
  const covers = new ResizeObserver(measure);
  covers.observe(head);
  covers.observe(legend);
  covers.observe(inspector);
  covers.observe(breaker);
  const resize = new ResizeObserver(() => {
    const { width, height } = element.getBoundingClientRect();
    store.set({ stage: { width, height } });
    tallest = 0;
    measure();
    look();
    settleSoon();
  });
  resize.observe(element);
  const extras: [view: string, load: () => Promise<() => void>][] = [
    ["graph", async () => (await import("./deadlines.ts")).mountDeadlines(deadlines, store, () => measure())],
    ["zones", async () => (await import("./zones.ts")).mountZones(zones, store)],
  ];
  const mounted: (() => void)[] = [];
  /** Loads what only some systems have upon the stage, with the first of them; a tab tells the same. */
  const load = () => {
    const views = systemOf(store.state)?.views ?? [];
    const wanted = extras.findIndex(([view]) => views.some((one) => one === view));
    for (const [, mount] of wanted < 0 ? [] : extras.splice(wanted, 1))
      mount().then(
        (stop) => mounted.push(stop),
        () => {},
      );
  };
  const speak = () => {
    const { cursor, grid, frame, layers } = store.state;
    if (document.activeElement !== map || cursor < 0 || !grid) return;
    const value = (id: string) => cellValue(frame, layers, id, cursor);
    const named = ["node", ...(grid.layout.noRacks ? [] : ["rack"])].map((what) =>
      targetName(`${what}.${what === "node" ? cursor : grid.layout.rack[cursor]}`, systemOf(store.state), grid),
    );
    spoken.textContent = `${capital(named.join(", "))}: CPU ${value("cpu")}, memory ${value("memory")}, ${value("class")}`;
  };
  return all(
    () => resize.disconnect(),
    () => covers.disconnect(),
    mountPlacing(filling, store),
    listen(map, store),
    followScale(store),
    mountPicture(canvas, element, store),
    mountPreview(canvas, preview, element, store),
    mountFill(tools, store),
    mountDim(dim, store),
    mountCards(cards, store),
    () => all(...mounted)(),
    store.watch(["systems", "scenario"], load),
    mountLabels(labels, store),
    mountMinimap(minimap, store),
    mountLegend(legend, store),
    mountLegendCard(find("#legend-open", tools), legend),
    mountTip(tip, store),
    mountSentence(sentence, told, store),
    mountArrival(arrival, store),
    mountQuestion(question, picture, store),
    store.watch(["grid", "aim"], look),
    store.watch(["fitted"], settle),
    store.watch(["grid"], measure),
    store.watch(["group"], () => {
      measure();
      if (store.state.session.is === "running") fitAll(store); // a link that opens says where to look
      settle();
    }),
    store.watch(["layers"], () => {
      laid = ""; // another run, which may have been asked for in another room
      settle();
    }),
    store.watch(["fill", "layers", "whole", "palette"], () => (tallest = 0)),
    store.watch(["cursor"], speak),
  );
}
