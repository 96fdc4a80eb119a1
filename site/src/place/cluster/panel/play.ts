// The play of an answer, to be watched: the cluster's nodes under a clock, with a slider, what
// happens at the moment in words, and the moment where it stops.
import { h, render, say } from "../../../base/dom.ts";
import { count, number } from "../../../base/format.ts";
import { type IconName, icon } from "../../../base/icon.ts";
import { tokensOf } from "../../../base/tokens.ts";
import { type ClusterPlay, groupsOf, LIFE, type NodeState, Screen, spanOf, tells } from "../model/play.ts";
import { drawPlay, type Layout, layOut, nodeUnder, sharedStart } from "./playmap.ts";

const LASTS = 20; // seconds for the whole play, at the speed of the beginning
const SPEEDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400]; // seconds of the play in one
const CALM = 1000; // ms between two pictures for those who want little motion
const MOST_TOLD = 5;
const MOST_WAITS = 4;
const MOST_MOVES = 50;
const MOST_STALLS = 200;

/** How the states of nodes are called under the picture. */
const CALLED: [NodeState, string][] = [
  ["emptying", "being emptied"],
  ["stalled", "stalled by a budget"],
  ["emptied", "empty"],
  ["upgraded", "upgraded"],
  ["cordoned", "cordoned"],
  ["lost", "lost"],
  ["silent", "not ready"],
];

/** Where a play is watched: it stays when the page is drawn anew. */
export interface Watched {
  play: ClusterPlay;
  at: number; // seconds
}

/** Draws a play in an element. */
export function mountPlay(
  element: HTMLElement,
  watched: Watched,
  calm: boolean,
  why: (shot: number) => Promise<HTMLElement[]>,
): () => void {
  const { play } = watched;
  const screen = new Screen(play);
  const { end } = screen;
  const start = sharedStart(play.nodes.map(({ name }) => name));
  let speed = SPEEDS.find((one) => end / one <= LASTS) ?? (SPEEDS.at(-1) as number);
  let playing = false;
  let layout: Layout | undefined;

  const clock = h("b.num", {});
  const progress = h("span", {});
  const canvas = h("canvas", { role: "img", "aria-label": "The nodes of the cluster, by zone" });
  const key = h("p.nodes-key", {});
  const told = h("ul", {});
  const spoken = h("div.play-told", { role: "status", "aria-label": "What happens at this moment" }, told);
  const waits = h("div", {});
  const moves = movesOf(screen, why);
  const under = h("p.piece", {}); // what is known of the node under the pointer
  const button = (id: string, label: string, picture: IconName, work: () => void) =>
    h("button.btn.square", { type: "button", id: `play-${id}`, "aria-label": label, title: label, onclick: work }, icon(picture));
  const toggle = button("toggle", "Play", "play", () => run(!playing));
  const speeds = h(
    "select",
    { id: "play-speed", "aria-label": "Speed", onchange: () => (speed = Number(speeds.value)) },
    ...SPEEDS.map((one) => h("option", { value: one, selected: one === speed }, `${spanOf(one)} a second`)),
  );
  const slider = h("input", {
    type: "range",
    id: "play-at",
    min: 0,
    max: end,
    step: "any",
    "aria-label": "Moment of the play",
    oninput: () => go(Number(slider.value)),
  });
  const controls = h(
    "div.play-controls",
    {},
    toggle,
    button("restart", "From the beginning", "restart", () => go(0)),
    button("back", "The moment before", "slower", () => go(screen.beside(-1))),
    button("next", "The next moment", "faster", () => go(screen.beside(1))),
    speeds,
    play.stop >= 0 && h("button.btn", { type: "button", id: "play-stop", onclick: () => go(play.stop) }, "Where it stops"),
  );
  const track = h("div.play-track", { "aria-hidden": "true" }, ...marksOf(play, end));

  const draw = () => {
    screen.seek(watched.at);
    const waiting = screen.waiting();
    say(clock, spanOf(watched.at));
    const states = screen.states();
    const counts = new Map<NodeState, number>();
    for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
    say(progress, ` of ${spanOf(end)} · ${number(waiting.length, "pod")} ${waiting.length === 1 ? "waits" : "wait"}`);
    if (slider.value !== String(watched.at)) slider.value = String(watched.at);
    slider.setAttribute("aria-valuetext", spanOf(watched.at));
    spoken.setAttribute("aria-live", playing ? "off" : "polite"); // what passes several times a second is no news
    render(toldOf(screen), told);
    render(waitsOf(screen, waiting), waits);
    moves.draw();
    picture();
    render(keyOf(counts, layout), key);
  };
  const picture = () => {
    const pen = canvas.getContext("2d");
    const width = canvas.clientWidth;
    if (!pen || width === 0) return;
    if (layout?.width !== width) layout = layOut(screen, mostOf(screen), width, roomFor());
    const [w, tall] = [Math.round(width * devicePixelRatio), Math.round(layout.height * devicePixelRatio)];
    if (canvas.width !== w || canvas.height !== tall) {
      canvas.width = w;
      canvas.height = tall;
      canvas.style.height = `${layout.height}px`;
    }
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    drawPlay(pen, screen, layout, tokensOf(canvas), start);
  };
  const go = (seconds: number) => {
    watched.at = Math.max(0, Math.min(end, seconds));
    draw();
  };
  let last = 0;
  const step = (now: number) => {
    if (!playing || !element.isConnected) return stop();
    if (now - last >= (calm ? CALM : 0)) {
      const passed = Math.min(now - last, calm ? CALM : 100); // a tab that was hidden goes on where it was
      last = now;
      go(watched.at + (passed / 1000) * speed);
      if (watched.at >= end) run(false);
    }
    requestAnimationFrame(step);
  };
  const run = (on: boolean) => {
    if (on && watched.at >= end) watched.at = 0;
    playing = on;
    const label = on ? "Pause" : "Play";
    toggle.setAttribute("aria-label", label);
    toggle.title = label;
    toggle.replaceChildren(icon(on ? "pause" : "play"));
    if (on) {
      last = performance.now();
      requestAnimationFrame(step);
    }
    draw();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.code !== "Space" || event.target !== slider) return;
    event.preventDefault();
    run(!playing);
  };
  element.append(
    h(
      "section.play",
      { "aria-label": "The play with the median times", onkeydown: keys },
      h("p.play-clock", {}, clock, progress),
      canvas,
      under,
      key,
      controls,
      h("div.play-time", {}, slider, track),
      spoken,
      moves.element,
      waits,
      play.left > 0 &&
        h("p.quiet", {}, `What is shown ends here: ${number(play.left, "thing")} more happened, too many to keep. --timeline has as many.`),
    ),
  );
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const at = layout ? nodeUnder(layout, offsetX, offsetY) : undefined;
    say(under, at === undefined ? "" : nodeInWords(screen, at));
  });
  const size = new ResizeObserver(() => picture());
  size.observe(canvas);
  const stop = () => {
    playing = false;
    if (!element.isConnected) size.disconnect();
  };
  go(watched.at);
  return () => {
    stop();
    size.disconnect();
  };
}

/** How high the picture may be. */
function roomFor(): number {
  return Math.max(200, Math.min(440, innerHeight * 0.5));
}

/** The most pods that a node has at the beginning or at the end. */
function mostOf(screen: Screen): number {
  let most = 1;
  for (const moment of [-1, screen.end]) {
    const other = new Screen(screen.play);
    other.seek(moment);
    const counts = new Map<number, number>();
    for (const node of other.node) if (node >= 0) counts.set(node, (counts.get(node) ?? 0) + 1);
    most = Math.max(most, ...counts.values());
  }
  return most;
}

/** The pods that get a node at the moment, each with the scheduler's reason when it is asked for. */
function movesOf(screen: Screen, why: (shot: number) => Promise<HTMLElement[]>): { element: HTMLElement; draw: () => void } {
  const { play } = screen;
  const summary = h("summary", {});
  const list = h("ul", {});
  const reason = h("div.play-why", { role: "status" });
  const element = h("details.play-moves", { hidden: true, ontoggle: () => fill() }, summary, list, reason);
  let shots: number[] = [];
  let shown = -1;
  let filled = -1; // the moment whose pods are listed
  let asked = -1;
  const ask = async (shot: number) => {
    asked = shot;
    reason.replaceChildren("Playing up to this moment …");
    const parts = await why(shot);
    if (asked === shot) reason.replaceChildren(...parts);
  };
  const fill = () => {
    if (!element.open || filled === screen.shown) return;
    filled = screen.shown;
    asked = -1;
    reason.replaceChildren();
    list.replaceChildren(
      ...shots.slice(0, MOST_MOVES).map((i) => {
        const name = play.names[play.name[i]];
        const button = h("button.link", { type: "button", "aria-label": `Why here? ${name}`, onclick: () => void ask(i) }, "Why here?");
        return h("li", {}, h("code", {}, name), ` on ${play.nodes[play.node[i]].name} `, button);
      }),
      shots.length > MOST_MOVES ? h("li.quiet", {}, `and ${count(shots.length - MOST_MOVES)} more`) : "",
    );
  };
  const draw = () => {
    if (shown === screen.shown) return;
    shown = screen.shown;
    shots = [];
    for (let i = screen.began(); i < shown; i++) if (play.kinds[play.shot_kind[i]] === "bound") shots.push(i);
    element.hidden = shots.length === 0;
    say(summary, `${number(shots.length, "pod")} ${shots.length === 1 ? "gets its node" : "get their nodes"} at this moment`);
    fill();
  };
  return { element, draw };
}

/** A node at the moment, in one line. */
function nodeInWords(screen: Screen, at: number): string {
  const { play } = screen;
  const state = screen.states()[at];
  const called = CALLED.find(([one]) => one === state)?.[1] ?? (state === "absent" ? "not in the cluster" : "");
  const lives = [0, 0, 0, 0, 0];
  screen.node.forEach((node, pod) => node === at && lives[screen.life[pod]]++);
  const pods = [
    number(lives[LIFE.ready], "ready pod"),
    lives[LIFE.starts] && `${lives[LIFE.starts]} not ready`,
    lives[LIFE.ends] && `${lives[LIFE.ends]} that end`,
  ];
  const refused = screen.stalled().get(at);
  const why = refused === undefined ? "" : `: ${play.texts[screen.refused[refused]]}`;
  return `${play.nodes[at].name}: ${[called, ...pods].filter(Boolean).join(", ")}${why}`;
}

/** What happened last, in words. */
function toldOf(screen: Screen): HTMLElement[] {
  const { play, shown } = screen;
  if (shown === 0) return [h("li", {}, "Nothing has happened yet.")];
  const at = play.at[shown - 1];
  const groups = groupsOf(play, screen.began(), shown);
  const lines = groups.slice(0, MOST_TOLD).map((group) => h("li", {}, tells(play, group)));
  if (groups.length > MOST_TOLD) lines.push(h("li.quiet", {}, `and ${number(groups.length - MOST_TOLD, "thing")} more`));
  if (play.stop === at) lines.unshift(h("li.bad", {}, play.why));
  return [h("li.quiet", {}, `At ${spanOf(at)}`), ...lines];
}

function keyOf(counts: Map<NodeState, number>, layout: Layout | undefined): HTMLElement[] {
  const all = CALLED.filter(([state]) => counts.get(state)).map(([state, called]) =>
    h("span", {}, h("i", { class: `play-key ${state}` }), `${called} `, h("b.num", {}, count(counts.get(state) ?? 0))),
  );
  const squares = "a square is a pod: hollow while it starts, pale while it ends, grey if nothing happens to it";
  return [...all, h("span", {}, layout && layout.pod === 0 ? "as high as it has pods" : squares)];
}

/** The pods that wait for a node, with the scheduler's words. */
function waitsOf(screen: Screen, waiting: number[]): HTMLElement | undefined {
  const { play, shown } = screen;
  if (waiting.length === 0) return undefined;
  const named = waiting.filter((pod) => screen.name[pod] >= 0);
  const words = new Map<number, string>();
  for (let i = shown - 1; i >= 0 && words.size < named.length; i--) {
    if (play.kinds[play.shot_kind[i]] === "unschedulable" && !words.has(play.pod[i])) words.set(play.pod[i], play.texts[play.text[i]]);
    if (shown - i > 10_000) break;
  }
  const shownWaits = Math.min(named.length, MOST_WAITS);
  return h(
    "div.play-waits",
    {},
    h("h3", {}, `Pods that wait for a node: ${count(waiting.length)}`),
    h(
      "ul",
      {},
      ...named.slice(0, MOST_WAITS).map((pod) => h("li", {}, h("code", {}, play.names[screen.name[pod]]), ` ${words.get(pod) ?? ""}`)),
      waiting.length > shownWaits && h("li.quiet", {}, `and ${count(waiting.length - shownWaits)} more`),
    ),
  );
}

/** The time during which evictions are refused, and where the play stops. */
function marksOf(play: ClusterPlay, end: number): HTMLElement[] {
  const since = new Map<number, number>();
  const spans: [number, number][] = [];
  play.at.forEach((at, i) => {
    const kind = play.kinds[play.shot_kind[i]];
    if (kind === "refused") since.set(play.pod[i], at);
    else if ((kind === "deleted" || kind === "gone") && since.has(play.pod[i])) {
      spans.push([since.get(play.pod[i]) ?? 0, at]);
      since.delete(play.pod[i]);
    }
  });
  for (const from of since.values()) spans.push([from, end]);
  const mark = (cls: string, from: number, to: number) => {
    const element = h("i", { class: cls });
    element.style.left = `${(100 * from) / (end || 1)}%`;
    element.style.width = `${(100 * (to - from)) / (end || 1)}%`;
    return element;
  };
  const all = spans.slice(0, MOST_STALLS).map(([from, to]) => mark("stall", from, to));
  return play.stop >= 0 ? [...all, mark("stop", play.stop, play.stop)] : all;
}
