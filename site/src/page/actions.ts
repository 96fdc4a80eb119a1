// Everything a viewer can do, in one list.
import { download } from "../base/dom.ts";
import { duration, MINUTE, SECOND } from "../base/format.ts";
import { remember } from "../base/memory.ts";
import { GROUPS } from "../model/address.ts";
import { nextProblem } from "../model/cell.ts";
import { type Chord, type Command, Commands } from "../model/commands.ts";
import { nextFault } from "../model/faults.ts";
import { isTable } from "../model/filecard.ts";
import { goToStep } from "../model/lesson.ts";
import { fitAll, focus, lookInto, panBy, select, zoomBy } from "../model/look.ts";
import { change, faster, restart, revive, seek } from "../model/run.ts";
import { engineDown } from "../model/session.ts";
import type { Store } from "../model/store.ts";
import { applies, offered, systemOf } from "../model/systems.ts";
import { showFinder } from "../panel/finder.ts";
import { showHelp } from "../panel/help.ts";
import { toggleBreaker } from "../place/watch/panel/breaking.ts";
import { showGoTo } from "../place/watch/panel/goto.ts";
import { cycleTheme } from "./theme.ts";

const MOST_SYSTEMS = 20; // that the palette lists; the first nine have digits
const PAN = 80; // CSS pixels a key press

/** What only the page can do. */
export interface Page {
  choose: () => void; // files
  explain: (file: File, map: string) => void; // what the columns of a table mean
  share: () => void;
  shareShort: () => void;
  exportAll: () => void;
}

export function makeCommands(store: Store, page: Page): Commands {
  const commands = new Commands();
  const { state } = store;
  const key = (code: string, label = code.replace(/^Key|^Digit/, "")): Chord => ({ code, label });
  const control = (letter: string, shift = false): Chord => ({
    code: `Key${letter}`,
    label: `Ctrl+${shift ? "Shift+" : ""}${letter}`,
    ctrl: true,
    shift,
  });
  const running = () => (state.status ? "" : "nothing runs yet");
  const alive = () => (engineDown(state.session) ? "the simulation is not running: try again at the bottom of the page" : running());
  const chosen = () => (state.selected >= 0 ? "" : "select a node first");
  const rackless = () => state.grid?.layout.noRacks === true; // as of a log
  const fault = (kind: "node_down" | "node_up" | "rack_down" | "rack_up") => () => {
    const rack = state.grid?.layout.rack[state.selected];
    store.send({ type: "fault", kind, target: kind.startsWith("node") ? `node.${state.selected}` : `rack.${rack}` });
  };
  const problem = () => nextProblem(state.frame, state.layers, state.selected);
  const nextFill = () => {
    const i = state.layers.findIndex(({ id }) => id === state.fill);
    if (state.layers.length > 0) store.set({ fill: state.layers[(i + 1) % state.layers.length].id });
  };
  const find = () => {
    store.set({ place: "watch", tab: "table" });
    queueMicrotask(() => document.querySelector<HTMLInputElement>("#table-filter")?.focus()); // after the tab opened, before the next key
  };
  const compare = () => {
    store.set({ place: "compare" });
    focusWhenThere("#compare-start:enabled, #compare-cancel:not([hidden])");
  };
  const name = () => (state.scenario?.name ?? "parley").replaceAll(/[^\w-]+/g, "-").toLowerCase();

  const list: Command[] = [
    {
      id: "play",
      title: "Play or pause",
      group: "Run",
      keys: [key("Space")],
      unavailable: () => (engineDown(state.session) ? "" : running()),
      run: () => (engineDown(state.session) ? void revive(store) : store.send({ type: state.status?.playing ? "pause" : "play" })),
    },
    { id: "slower", title: "Slower", group: "Run", keys: [key("BracketLeft", "[")], unavailable: running, run: () => faster(store, -1) },
    { id: "faster", title: "Faster", group: "Run", keys: [key("BracketRight", "]")], unavailable: running, run: () => faster(store, 1) },
    {
      id: "step",
      title: "One step further",
      group: "Run",
      keys: [key("Period", ".")],
      unavailable: alive,
      run: () => store.send({ type: "step" }),
    },
    {
      id: "step-back",
      title: "One minute back",
      group: "Run",
      keys: [key("Comma", ",")],
      unavailable: alive,
      run: () => seek(store, (state.status?.at ?? 0) - MINUTE),
    },
    ...[
      { id: "lesson-next", title: "Next step of the lesson", code: "PageDown", label: "Page Down", step: 1 },
      { id: "lesson-back", title: "Previous step of the lesson", code: "PageUp", label: "Page Up", step: -1 },
    ].map(
      ({ id, title, code, label, step }): Command => ({
        id,
        title,
        group: "Run",
        keys: [{ code, label }],
        absent: () => state.lesson.length === 0,
        unavailable: () => (state.lesson[state.step + step] ? "" : "the lesson has no further step"),
        run: () => goToStep(store, state.step + step),
      }),
    ),
    {
      id: "present",
      title: "Present the lesson: large type, full screen",
      group: "Look",
      absent: () => state.lesson.length === 0,
      run: () => {
        store.set({ presenting: !state.presenting, place: "watch" });
        if (state.presenting) void document.documentElement.requestFullscreen?.().catch(() => undefined); // a frame may forbid it
      },
    },
    { id: "go-to", title: "Go to a time", group: "Run", keys: [key("KeyT")], unavailable: alive, run: () => showGoTo(store) },
    {
      id: "live",
      title: "Jump to the latest moment",
      group: "Run",
      keys: [key("KeyL")],
      unavailable: alive,
      run: () => {
        store.send({ type: "play" }); // before the seek, which plays on when it was playing
        if (state.status && state.status.at < state.head) seek(store, state.head);
      },
    },
    {
      id: "columns",
      title: "Say what the columns of the opened table mean",
      group: "Run",
      unavailable: () => (isTable(state.files) ? "" : "no table with named columns is open"),
      run: () => page.explain(state.traceFiles[0], String(state.scenario?.workload?.map ?? "")),
    },
    { id: "restart", title: "Restart", group: "Run", unavailable: () => (state.scenario ? "" : running()), run: () => restart(store) },
    { id: "zoom-in", title: "Zoom in", group: "Look", keys: [key("KeyW"), { code: "+", label: "+" }], run: () => zoomBy(store, 1.4) },
    { id: "zoom-out", title: "Zoom out", group: "Look", keys: [key("KeyS"), { code: "-", label: "-" }], run: () => zoomBy(store, 1 / 1.4) },
    { id: "left", title: "Move left", group: "Look", keys: [key("KeyA")], run: () => panBy(store, PAN, 0) },
    { id: "right", title: "Move right", group: "Look", keys: [key("KeyD")], run: () => panBy(store, -PAN, 0) },
    { id: "fit", title: "Show everything", group: "Look", keys: [{ code: "0", label: "0" }], run: () => fitAll(store) },
    {
      id: "focus",
      title: "Centre the selection; press again to show everything",
      group: "Look",
      keys: [key("KeyF")],
      run: () => focus(store),
    },
    { id: "fill", title: "Next colouring of the cells", group: "Look", keys: [key("KeyV")], run: nextFill },
    {
      id: "group",
      title: "Group nodes by rack, site, machine type, attribute",
      group: "Look",
      keys: [key("KeyG")],
      absent: () => rackless() && !state.grid?.layout.zones,
      run: () => {
        const zoned = state.grid?.layout.zones?.some(({ rack }) => rack < 0);
        const groups = GROUPS.filter((group) => group !== "zone" || zoned);
        store.set({ group: groups[(groups.indexOf(state.group) + 1) % groups.length] });
      },
    },
    {
      id: "near",
      title: "Show the tasks of the selected node",
      group: "Look",
      unavailable: chosen,
      run: () => lookInto(store, state.selected),
    },
    {
      id: "careful",
      title: "Slow down while a fault heals: on or off",
      group: "Run",
      run: () => {
        store.set({
          careful: !state.careful,
          notice: state.careful ? "Time no longer slows while a fault heals" : "Time slows while a fault heals",
        });
        remember("careful", state.careful ? "" : "off");
      },
    },
    {
      id: "setup",
      title: "Show or hide scenario and settings",
      group: "Look",
      run: () => remember("setup", document.body.classList.toggle("show-setup") ? "open" : ""),
    },
    { id: "theme", title: "Theme: light, dark or the system's", group: "Look", run: cycleTheme },
    ...[
      ["charts", "charts"],
      ["messages", "messages"],
      ["tasks", "tasks"],
      ["table", "table"],
      ["gantt", "the Gantt chart"],
      ["report", "report"],
    ].map(
      ([tab, title]): Command => ({
        id: `tab-${tab}`,
        title: `Open ${title}`,
        group: "Look",
        absent: () => !applies(tab, systemOf(state)),
        run: () => store.set({ place: "watch", tab }),
      }),
    ),
    ...(
      [
        ["watch", "Watch the run"],
        ["sweep", "Sweep: a grid of runs in one table"],
        ["plan", "Plan: loads, instances and platforms"],
        ["cluster", "Your cluster: questions about a dump of Kubernetes"],
        ["papers", "Papers: their experiments, measured here"],
        ["gallery", "Gallery: what there is to see"],
      ] as const
    ).map(([place, title]): Command => ({ id: `place-${place}`, title, group: "Look", run: () => store.set({ place }) })),
    { id: "compare", title: "Compare with other systems", group: "Cluster", keys: [key("KeyC")], run: compare },
    { id: "find", title: "Find nodes", group: "Look", keys: [{ code: "/", label: "/" }], run: find },
    {
      id: "fail-node",
      title: "Fail the selected node",
      group: "Cluster",
      keys: [key("KeyK")],
      unavailable: chosen,
      run: fault("node_down"),
    },
    {
      id: "restore-node",
      title: "Restore the selected node",
      group: "Cluster",
      keys: [key("KeyR")],
      unavailable: chosen,
      run: fault("node_up"),
    },
    {
      id: "fail-rack",
      title: "Fail the rack of the selected node",
      group: "Cluster",
      absent: rackless,
      unavailable: chosen,
      run: fault("rack_down"),
    },
    {
      id: "restore-rack",
      title: "Restore the rack of the selected node",
      group: "Cluster",
      absent: rackless,
      unavailable: chosen,
      run: fault("rack_up"),
    },
    {
      id: "next-problem",
      title: "Next problem, or the next node that is down or overloaded",
      group: "Cluster",
      keys: [key("KeyJ")],
      unavailable: () => (problem() < 0 && !nextFault(state) ? "nothing is wrong" : ""),
      run: () => {
        const next = nextFault(state);
        if (next) {
          seek(store, next.at + SECOND);
          return store.set({ notice: `${duration(next.at)}: ${next.what}` });
        }
        select(store, problem());
        focus(store);
      },
    },
    {
      id: "swap",
      title: "Swap the two runs side by side",
      group: "Cluster",
      keys: [key("KeyX")],
      absent: () => state.place !== "compare",
      unavailable: () => (document.querySelector("#pair-swap:enabled") ? "" : "watch two side by side first"),
      run: () => document.querySelector<HTMLButtonElement>("#pair-swap")?.click(),
    },
    {
      id: "break",
      title: "Break or repair",
      group: "Cluster",
      keys: [key("KeyX")],
      absent: () => state.place === "compare",
      unavailable: running,
      run: () => toggleBreaker(store),
    },
    { id: "deselect", title: "Deselect", group: "Cluster", unavailable: chosen, run: () => select(store, -1) },
    ...Array.from({ length: MOST_SYSTEMS }, (_, i) => i + 1).map(
      (n): Command => ({
        id: `system-${n}`,
        group: "Cluster",
        keys: n < 10 ? [key(`Digit${n}`)] : [],
        get title() {
          return `Schedule by: ${offered(state.systems)[n - 1]?.name.toLowerCase() ?? "nothing"}`;
        },
        absent: () => !offered(state.systems)[n - 1],
        run: () => change(store, { system: offered(state.systems)[n - 1].id }),
      }),
    ),
    { id: "open-trace", title: "Open trace files", group: "Files and links", keys: [control("O")], run: page.choose },
    { id: "share", title: "Copy the link", group: "Files and links", keys: [key("KeyY")], unavailable: running, run: page.share },
    { id: "short-link", title: "Make a short link", group: "Files and links", unavailable: running, run: page.shareShort },
    {
      id: "save-scenario",
      title: "Save the scenario",
      group: "Files and links",
      keys: [control("S")],
      unavailable: running,
      run: () => download(`${name()}.json`, "application/json", JSON.stringify(state.scenario, null, 2) + "\n"),
    },
    {
      id: "export",
      title: "Export: report, series, tables, figures",
      group: "Files and links",
      keys: [control("E")],
      unavailable: running,
      run: page.exportAll,
    },
    {
      id: "palette",
      title: "All commands",
      group: "Help",
      keys: [{ code: ">", label: ">" }, control("P", true)],
      run: () => showFinder(commands),
    },
    {
      id: "how",
      title: "How this system works",
      group: "Help",
      unavailable: () => (systemOf(state) ? "" : "nothing runs yet"),
      run: () =>
        void import("../panel/how.ts").then(
          ({ showHow }) => showHow(store),
          () => store.set({ notice: "Could not load the explanation: the server is unreachable. Try again." }),
        ),
    },
    { id: "help", title: "Keys and help", group: "Help", keys: [{ code: "?", label: "?" }], run: () => showHelp(commands, store) },
  ];
  commands.add(...list);
  return commands;
}

/** Focuses what a panel brings, which may be under way, unless the viewer goes on to something else. */
function focusWhenThere(selector: string, tries = 600): void {
  const before = document.activeElement;
  const look = () => {
    const now = document.activeElement;
    if (now !== before && now && now !== document.body) return; // of an element that went the focus falls to the body
    const element = document.querySelector<HTMLElement>(selector);
    if (element) element.focus();
    else if (tries-- > 0) requestAnimationFrame(look);
  };
  queueMicrotask(look);
}
