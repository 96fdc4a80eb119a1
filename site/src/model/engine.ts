// What the simulation's messages mean for the page's state.
import { duration } from "../base/format.ts";
import { decodeFrame, type Frame } from "../base/frame.ts";
import type { FromWorker, Held, Status, SystemInfo, Trouble } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { Course } from "./course.ts";
import { forkOf } from "./courses.ts";
import { firstWork, speedFor } from "./filecard.ts";
import { FORMULA, takeScored } from "./formula.ts";
import { take } from "./graph.ts";
import { makeGrid } from "./grid.ts";
import { inspect, takeReport } from "./look.ts";
import { opened as arrive, broken, loading, type Request, returned, type Session, stands, verdictOf } from "./session.ts";
import { SPEEDS, setSpeed } from "./speed.ts";
import { nothingPlayed, type State, type Store } from "./store.ts";

/** Keeps the newest frame in a buffer of its own, because the one that came goes on to the renderer or back. */
export class FrameKeeper {
  #buffer = new ArrayBuffer(0);

  keep(buffer: ArrayBuffer): Frame {
    if (this.#buffer.byteLength !== buffer.byteLength) this.#buffer = new ArrayBuffer(buffer.byteLength);
    new Uint8Array(this.#buffer).set(new Uint8Array(buffer));
    return decodeFrame(this.#buffer);
  }
}

/** Takes one message; frames go through keeper and are handed on to spent. */
export function receive(store: Store, message: FromWorker, keeper: FrameKeeper, spent: (buffer: ArrayBuffer) => void): void {
  const { state } = store;
  switch (message.type) {
    case "ready":
      return store.set({
        engine: message.engine,
        names: message.names ?? [],
        ...(message.systems.length > state.systems.length ? { systems: message.systems } : {}),
      });
    case "opened":
      return opened(store, message);
    case "layout":
      return store.set({ grid: makeGrid(message.layout) });
    case "scenario":
      return store.set({
        scenario: { ...(state.scenario ?? message.scenario), faults: message.scenario.faults },
        resolvedScenario: message.scenario,
        push: true,
      });
    case "branches":
      return store.set({
        branches: message.branches,
        branch: message.current,
        head: message.branches[message.current]?.head ?? state.head,
        ended: undefined,
      });
    case "frame":
      store.set({ frame: keeper.keep(message.buffer) });
      return spent(message.buffer);
    case "picture":
      return store.set({ picture: message });
    case "columns":
      state.series.append(message.reset, message.at, message.columns);
      return store.set({ series: state.series });
    case "status":
      return status(store, message.status);
    case "node":
      return takeReport(store, message);
    case "cards":
      return store.set({ cards: message.cards });
    case "scored":
      return takeScored(store, message);
    case "level_of_detail":
      return store.set({ left: message.left });
    case "decision":
      return store.set({ why: message });
    case "story":
      return store.set({ story: message.story });
    case "accounts":
      return store.set({ accounts: message.accounts, accountsLeft: message.rest });
    case "graphs":
      return store.set({ graphs: message.graphs, graphsLeft: message.rest });
    case "graphpicture":
      return store.set({ graph: take(state.graph, message) });
    case "incidents":
      return store.set({ incidents: message.incidents });
    case "lines":
      return store.set({ lines: message.lines, counted: message.story });
    case "course": {
      const course = message.reset || !state.course ? new Course() : state.course;
      course.take(message);
      return store.set({ course });
    }
    case "progress": {
      const { files, phase, done, total } = message;
      return store.set({ session: loading(state.session, { files, phase, done, total }) });
    }
    case "trouble":
      return trouble(store, message.trouble);
    case "cancelled":
      return cancelled(store);
    case "ended":
      return store.set({ ended: message.report });
  }
}

function trouble(store: Store, told: Trouble): void {
  const { session } = store.state;
  if (told.class === "gone") return gone(store, told);
  const request = session.is === "opening" ? session.request : undefined;
  store.set({
    trouble: {
      ...told,
      files: request?.files ?? [],
      map: String(request?.scenario.workload?.map ?? ""),
      ...(told.class === "missing" && request ? { again: request } : {}),
    },
    session: returned(session),
  });
}

/** What was asked for does not come; where nothing ran before, restart asks for it again. */
function cancelled(store: Store<"run" | "page">): void {
  const { session, scenario } = store.state;
  const first = scenario || session.is !== "opening" ? undefined : session.request;
  store.set({
    session: returned(session),
    notice: first ? "Cancelled: restart it, or choose a scenario" : "Cancelled",
    ...(first ? { scenario: first.scenario, base: first.base, traceFiles: first.files } : {}),
  });
}

/** The engine is no more: what it was asked for, or played, becomes what is asked of the next one. */
function gone(store: Store, told: Trouble): void {
  const { session, status } = store.state;
  store.set({
    trouble: told,
    silent: false,
    session: broken(session, present(store.state)),
    ...(status ? { status: { ...status, playing: false, reached: 0 } } : {}),
  });
}

/** What runs, as a request that leads to the same moment. */
export function present({
  scenario,
  base,
  traceFiles,
  status,
  selected,
  reducedMotion,
  branches,
  branch,
  question,
}: State<"run" | "reported" | "look" | "chosen">): Request | undefined {
  const at = status?.at ?? 0;
  return (
    scenario && {
      base,
      scenario,
      files: traceFiles,
      push: false,
      at,
      digest: at > 0 ? (status?.digest ?? "") : "",
      play: status?.playing ?? !reducedMotion,
      shared: false,
      selected,
      fork: forkOf({ branches, branch }),
      ...(question ? { question } : {}),
    }
  );
}

/** The systems. A system that plays a program has the settings of that program. */
function described(systems: SystemInfo[], { scenario, settings }: Extract<FromWorker, { type: "opened" }>): SystemInfo[] {
  return settings ? systems.map((one) => (one.id === scenario.system ? { ...one, settings } : one)) : systems;
}

function opened(store: Store, message: Extract<FromWorker, { type: "opened" }>): void {
  const { session } = store.state;
  if (session.is !== "opening") return reopened(store, message);
  const { request } = session;
  store.state.series.forget();
  const stoodIn = message.scenario.system !== request.scenario.system; // for one that cannot play the files: its own layer tells the most
  const own = stoodIn ? store.state.systems.find(({ id }) => id === message.scenario.system)?.layers[0]?.id : undefined;
  const wanted = own ?? store.state.fill;
  const layer = wanted === FORMULA || message.layers.some(({ id }) => id === wanted) ? wanted : (message.layers[0]?.id ?? "");
  store.set({
    session: arrive(session),
    systems: described(store.state.systems, message),
    resolvedScenario: message.scenario,
    hasMachines: message.hasMachines,
    shape: message.shape,
    replayed: request.shared,
    question: request.question ?? "",
    choices: [...message.choices, ...message.files.flatMap(({ notes }) => notes)],
    scenario: truth(request, message.scenario),
    base: request.base,
    push: request.push,
    traceFiles: request.files,
    files: message.files,
    card: request.any === true && message.files[0]?.held !== undefined,
    layers: message.layers,
    scored: undefined,
    kept: new Uint8Array(),
    grid: makeGrid(message.layout),
    fill: layer,
    frame: store.state.preview ? store.state.frame : undefined, // until the run has one of the same moment
    ...nothingPlayed(),
    trouble: undefined,
    silent: false,
    report: undefined,
    cursor: -1,
    selected: request.selected < message.layout.x.length ? request.selected : -1,
    followed: undefined,
  });
  const held = message.files[0]?.held;
  if (request.any && held && request.at === 0) beginAt(store, held);
  if (store.state.selected >= 0) inspect(store);
}

/** Files that were just opened are watched from their first work on, at a speed at which something happens. */
function beginAt(store: Store<"reported">, held: Held): void {
  const speed = speedFor(held, SPEEDS);
  if (speed !== undefined) setSpeed(store, speed);
  if (firstWork(held) > 0) store.send({ type: "seek", at: firstWork(held) });
}

/** The same run from its start again, on the way back to an earlier time. */
function reopened(store: Store<"run" | "reported" | "chosen">, message: Extract<FromWorker, { type: "opened" }>): void {
  store.set({
    session: arrive(store.state.session),
    layers: message.layers,
    scored: undefined,
    grid: makeGrid(message.layout),
    ended: undefined,
  });
  if (store.state.selected >= 0) inspect(store);
}

/** The scenario as links tell it: as it was asked for, but with what files made of its workload, system and settings. */
function truth(request: Request, resolved: Scenario): Scenario {
  if (request.files.length === 0) return request.scenario;
  const { settings: _, ...asked } = request.scenario;
  const { system, settings, cluster, workload, until } = resolved;
  return { ...asked, system, ...(settings ? { settings } : {}), cluster, workload, until };
}

function status(store: Store<"run" | "reported" | "page">, now: Status): void {
  const { session, head, series } = store.state;
  const then = stands(session, now);
  series.live(now.at, now.present);
  store.set({ status: now, head: Math.max(head, now.at), ...(then === session ? {} : { session: then }) });
  if (then !== session && verdictOf(then) === "differs" && verdictOf(session) !== "differs" && !(then.is === "running" && then.landed))
    store.set({
      notice: `This run differs from its link, which says digest ${askedOf(session)} at ${duration(now.at)}; here it is ${now.digest.slice(0, 8)}. Another version of Parley, another file, or a link changed by hand.`,
    });
  const arrived = session.is === "running" && session.arrival && then.is === "running" && !then.arrival ? session.arrival : undefined;
  if (arrived?.play && !now.playing && !now.ended) store.send({ type: "play" });
}

/** The digest that a run is to have at its link's moment. */
function askedOf(session: Session): string {
  return session.is === "running" ? (session.arrival?.digest ?? "") : "";
}
