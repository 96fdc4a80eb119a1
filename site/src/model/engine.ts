// What the simulation's messages mean for the page's state.
import { decodeFrame, type Frame } from "../base/frame.ts";
import type { FromWorker, Scenario, Status, Trouble } from "../base/protocol.ts";
import { Course } from "./course.ts";
import { makeGrid } from "./grid.ts";
import type { Request, Store } from "./store.ts";

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
      return store.set({ engine: message.engine, systems: message.systems });
    case "opened":
      return opened(store, message);
    case "layout":
      return store.set({ grid: makeGrid(message.layout) });
    case "scenario":
      return store.set({ scenario: { ...(state.scenario ?? message.scenario), faults: message.scenario.faults }, echo: message.scenario, push: true });
    case "frame":
      store.set({ frame: keeper.keep(message.buffer) });
      return spent(message.buffer);
    case "columns":
      state.series.append(message.reset, message.at, message.columns);
      return store.set({ series: state.series });
    case "status":
      return status(store, message.status);
    case "node":
      return message.report.node === state.selected ? store.set({ report: message.report }) : undefined;
    case "decision":
      return store.set({ why: message });
    case "story":
      return store.set({ story: message.story });
    case "lines":
      return store.set({ lines: message.lines });
    case "course": {
      const course = message.reset || !state.course ? new Course() : state.course;
      course.take(message);
      return store.set({ course });
    }
    case "progress":
      return store.set({ loading: { files: message.files, phase: message.phase, done: message.done, total: message.total } });
    case "trouble":
      if (message.trouble.class === "gone") return gone(store, message.trouble);
      return store.set({ trouble: message.trouble, rejected: state.request?.files ?? [], loading: undefined, request: undefined, ...(state.verdict === "checking" ? { verdict: "" } : {}) });
    case "cancelled":
      return cancelled(store);
    case "ended":
      return store.set({ ended: message.report, loading: undefined });
  }
}

/** What was asked for does not come; where nothing ran before, restart asks for it again. */
function cancelled(store: Store): void {
  const { request, scenario, verdict } = store.state;
  const first = scenario ? undefined : request;
  store.set({
    loading: undefined, request: undefined, arrival: undefined, ...(verdict === "checking" ? { verdict: "" } : {}),
    notice: first ? "Cancelled: restart it, or choose a scenario" : "Cancelled",
    ...(first ? { scenario: first.scenario, base: first.base, dropped: first.files } : {}),
  });
}

/** The engine is no more: what it was asked for, or played, becomes what is asked of the next one. */
function gone(store: Store, trouble: Trouble): void {
  const { request, scenario, base, dropped, status, selected, calm } = store.state;
  const at = status?.at ?? 0;
  const again = scenario && { base, scenario, files: dropped, push: false, at, digest: at > 0 ? (status?.digest ?? "") : "", play: status?.playing ?? !calm, selected };
  store.set({
    trouble, gone: true, request: request ?? again, rejected: [], loading: undefined, arrival: undefined, verdict: "",
    ...(status ? { status: { ...status, playing: false, reached: 0 } } : {}),
  });
}

function opened(store: Store, message: Extract<FromWorker, { type: "opened" }>): void {
  const request = store.state.request;
  if (!request) return reopened(store, message);
  const layer = message.layers.some(({ id }) => id === store.state.fill) ? store.state.fill : (message.layers[0]?.id ?? "");
  store.set({
    echo: message.scenario,
    bringsMachines: message.bringsMachines,
    scenario: truth(request, message.scenario),
    base: request.base,
    push: request.push,
    dropped: request.files,
    files: message.files,
    layers: message.layers,
    grid: makeGrid(message.layout),
    fill: layer,
    frame: undefined,
    head: 0,
    lines: [],
    course: undefined,
    ended: undefined,
    trouble: undefined,
    gone: false,
    loading: undefined,
    report: undefined,
    cursor: -1,
    selected: request.selected < message.layout.x.length ? request.selected : -1,
    request: undefined,
    arrival: request.at > 0 ? request : undefined,
    verdict: request.digest ? "checking" : "",
  });
  if (store.state.selected >= 0) store.send({ type: "inspect", node: store.state.selected });
}

/** The same run from its start again, on the way back to an earlier time. */
function reopened(store: Store, message: Extract<FromWorker, { type: "opened" }>): void {
  store.set({ layers: message.layers, grid: makeGrid(message.layout), ended: undefined, verdict: "" });
  if (store.state.selected >= 0) store.send({ type: "inspect", node: store.state.selected });
}

/** The scenario as links tell it: as it was asked for, but with what files made of its workload. */
function truth(request: Request, echo: Scenario): Scenario {
  if (request.files.length === 0) return request.scenario;
  return { ...request.scenario, cluster: echo.cluster, workload: echo.workload, until: echo.until };
}

function status(store: Store, now: Status): void {
  const { arrival, head, loading } = store.state;
  const sought = loading?.phase === "seeking" && (now.at >= loading.total || now.ended);
  store.set({ status: now, head: Math.max(head, now.at), ...(sought ? { loading: undefined } : {}) });
  if (!arrival || (now.at < arrival.at && !now.ended)) return;
  store.set({ arrival: undefined, loading: undefined, verdict: arrival.digest ? verdict(arrival, now) : "" });
  if (arrival.play && !now.playing && !now.ended) store.send({ type: "play" });
}

function verdict(arrival: { at: number; digest: string }, now: Status): "reproduced" | "differs" | "" {
  if (now.at !== arrival.at) return ""; // the moment itself was not seen
  return now.digest.startsWith(arrival.digest) ? "reproduced" : "differs";
}
