// The menus upon the map: what fills the cells, in which colours, and zoom.
import { atMostEvery, h, say } from "../../../base/dom.ts";
import { capital, count, words } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import { recall, remember } from "../../../base/memory.ts";
import { gradient, PALETTES, type PaletteName } from "../../../base/palette.ts";
import { GROUPS, type Group } from "../../../model/address.ts";
import { FORMULA } from "../../../model/formula.ts";
import { matchingNodes } from "../../../model/nodes.ts";
import { all, type Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

const GROUP_NAMES: Record<Group, string> = { rack: "Rack", site: "Site", machine: "Machine type", attribute: "Attribute", zone: "Zone" };

const CLASS = "class"; // the layer of the classes of load
const CHART = "gantt"; // the tab that is the stage where there is room

/** The tabs with which the stage of a system for which time is the matter is the chart over a strip of cells, or the cells. */
const TABS = [CHART, "charts"];

/** One line of what to try, until it is dismissed. */
function hint(): HTMLElement[] {
  if (recall("hint") === "read") return [];
  const close = () => {
    remember("hint", "read");
    line.remove();
  };
  const line = h(
    "span.chip.hint",
    {},
    h("span", {}, "Click a node, or drop a trace"),
    h("button", { type: "button", "aria-label": "Dismiss the hint", onclick: close }, icon("close")),
  );
  return [line];
}

export function mountFill(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen" | "page">): () => void {
  const layers = h("select", { id: "fill", "aria-label": "Fill cells by", onchange: () => choose(layers.value) });
  const choose = (id: string) =>
    store.set(id === FORMULA ? { fill: id, score: store.state.score || "cpu.used / cpu.capacity", tab: id } : { fill: id });
  const palettes = h("select", { "aria-label": "Colours", onchange: () => store.set({ palette: palettes.value as PaletteName }) });
  for (const name of PALETTES) palettes.append(h("option", { value: name }, words(name)));
  const groups = h("select", { id: "group", "aria-label": "Group nodes by", onchange: () => store.set({ group: groups.value as Group }) });
  const options = GROUPS.map((group) => h("option", { value: group }, GROUP_NAMES[group]));
  groups.append(...options);
  const grouping = h("label.chip", { title: "What stands together (G)" }, h("span", {}, "group"), groups);
  const filter = h("input", {
    id: "filter",
    type: "search",
    placeholder: "cpu > 90",
    autocomplete: "off",
    title: "4711, rack 14, down, cpu > 90, or a formula such as memory.free > cpu.free: the rest is dimmed",
    oninput: () => store.set({ filter: filter.value }),
  });
  const matched = h("output.num", { for: "filter", hidden: true });
  const recount = atMostEvery(500, () => {
    const { filter: wanted, grid, frame, layers: all, kept, scored } = store.state;
    const wrong = scored?.wrong.find(({ of }) => of === "where");
    matched.hidden = wanted.trim() === "" || !grid || !frame;
    if (matched.hidden || !grid || !frame) return;
    const n = matchingNodes(grid, frame, all, wanted, kept).length;
    matched.title = wrong ? `Character ${wrong.column}: ${wrong.sentence}` : "";
    say(matched, wrong ? `error at ${wrong.column}` : n === 0 ? "none" : `${count(n)} of ${count(grid.cells)}`);
  });
  const button = (command: string, label: string, name: "plus" | "minus" | "fit") =>
    h("button.chip.square", { type: "button", "data-command": command, "aria-label": label, title: label }, icon(name));
  const charted = () => systemOf(store.state)?.views.includes(CHART);
  const stages = TABS.map((tab, i) =>
    h("button.chip", { type: "button", onclick: () => store.set(charted() ? { tab } : { zoned: i === 0, aim: undefined }) }),
  );
  const picture = h("span.chips.picture", { role: "group", "aria-label": "What the stage shows", hidden: true }, ...stages);
  const key = h("button.chip.square.key", {
    type: "button",
    id: "legend-open",
    "aria-label": "What the colours mean",
    "aria-expanded": "false",
    "aria-controls": "legend",
    title: "What the colours mean",
  });
  const colours = h("i");
  key.append(colours);
  element.replaceChildren(
    key,
    picture,
    h("label.chip.fill", {}, h("span", {}, "fill"), layers),
    grouping,
    h("label.chip.wide.colours", {}, h("span", {}, "colours"), palettes),
    h("label.chip.wide.filter", {}, h("span", {}, "filter"), filter, matched),
    h("span.grow"),
    ...hint(),
    h(
      "button.chip.break",
      {
        type: "button",
        id: "break",
        "data-command": "break",
        "aria-expanded": "false",
        "aria-controls": "breaker",
        title: "Break or repair",
      },
      icon("bolt"),
      h("span", {}, "Break"),
    ),
    h(
      "span.chips",
      {},
      button("zoom-in", "Zoom in", "plus"),
      button("zoom-out", "Zoom out", "minus"),
      button("fit", "Show everything", "fit"),
    ),
  );
  return all(
    store.watch(["filter", "frame", "grid", "scored"], recount),
    store.watch(["filter"], () => {
      if (filter.value !== store.state.filter) filter.value = store.state.filter;
    }),
    store.watch(["layers", "systems", "scenario"], () => {
      const classes = systemOf(store.state)?.classes || store.state.fill === CLASS; // others have no words for them
      const named = store.state.layers.filter(({ id }) => id !== FORMULA && (id !== CLASS || classes));
      layers.replaceChildren(...named.map(({ id, name }) => h("option", { value: id }, name)), h("option", { value: FORMULA }, "Formula…"));
      layers.value = store.state.fill;
    }),
    store.watch(["grid", "systems", "scenario"], () => {
      const { grid, group } = store.state;
      const option = options[GROUPS.indexOf("zone")];
      option.hidden = group !== "zone" && !grid?.layout.zones?.some(({ rack }) => rack < 0); // zones that are racks need no other order
      const system = systemOf(store.state);
      const zone = capital(system?.zone ?? "zone");
      say(option, zone);
      say(options[GROUPS.indexOf("rack")], grid?.layout.zones?.every(({ rack }) => rack >= 0) ? zone : GROUP_NAMES.rack);
      grouping.hidden = grid?.layout.noRacks === true && !grid.layout.zones;
    }),
    store.watch(["systems", "scenario", "tab", "zoned", "aim"], () => {
      const { tab, zoned, aim } = store.state;
      const { views = [], zone = "" } = systemOf(store.state) ?? {};
      const names = charted() ? ["Gantt", "Cells"] : [`${capital(zone)}s`, "Nodes"];
      const first = charted() ? tab === CHART : zoned && !aim;
      picture.hidden = !charted() && !views.includes("zones");
      stages.forEach((stage, i) => {
        say(stage, names[i]);
        stage.setAttribute("aria-pressed", String((i === 0) === first));
      });
    }),
    store.watch(["palette", "light"], () => (colours.style.background = gradient(store.state.palette, store.state.light))),
    store.watch(["fill", "palette", "group"], () => {
      groups.value = store.state.group;
      layers.value = store.state.fill;
      palettes.value = store.state.palette;
    }),
  );
}
