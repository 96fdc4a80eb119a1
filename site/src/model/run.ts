// What the page asks of the simulation: open this, change that, break a rack.
import { DAY, HOUR, MINUTE, number } from "../base/format.ts";
import type { SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { type Address, DEFAULT_BASE, MIN_NODES, type Scalar, TAB_NODES } from "./address.ts";
import type { Challenge } from "./challenge.ts";
import { present } from "./engine.ts";
import { roomOf } from "./look.ts";
import { allowedWords, may } from "./may.ts";
import type { Programs } from "./program.ts";
import { applyKeys, renamedFill, same, usualFill, withSetting } from "./scenario.ts";
import { asked, broken, type Request } from "./session.ts";
import { SPEEDS, setSpeed } from "./speed.ts";
import type { Entry, State, Store } from "./store.ts";

/** The speed that a run begins with: the default scenario's rack fails after six seconds of it. */
export const FIRST_SPEED = 60;

/** Fetches the list of the gallery. */
export async function loadGallery(store: Store<"engine">): Promise<void> {
  store.set({ gallery: (await fetched("gallery/cards.json", "The list of scenarios")) as Entry[] });
}

/** Fetches what all systems say of themselves; the first program has only some of them. */
export async function loadSystems(store: Store<"engine">): Promise<void> {
  store.set({ systems: (await fetched("systems.json", "The list of systems")) as SystemInfo[] });
}

/** Fetches the challenge with the recorded scores of known schedulers. */
export async function loadChallenge(): Promise<Challenge> {
  return (await fetched("challenge.json", "The challenge")) as Challenge;
}

/** Fetches the examples of programs, and the names that programs can use. */
export async function loadPrograms(): Promise<Programs> {
  return (await fetched("programs.json", "The examples of programs")) as Programs;
}

/** Fetches a scenario of the gallery, once. */
export async function loadBase(store: Store<"engine">, id: string): Promise<Scenario> {
  const known = store.state.bases[id];
  if (known) return known;
  const scenario = (await fetched(`scenarios/${id}.json`, `The scenario “${id}”`)) as Scenario;
  store.set({ bases: { ...store.state.bases, [id]: scenario } });
  return scenario;
}

/** Fetches a JSON file of the page; what names it in an error. */
export async function fetched(address: string, what: string): Promise<unknown> {
  const response = await fetch(address).catch(() => undefined);
  if (!response) throw new Error(`${what} could not be loaded: the server is unreachable.`);
  if (response.status === 404) throw new Error(`${what} is not in the gallery.`);
  if (!response.ok) throw new Error(`${what} could not be loaded: the server answers ${response.status}.`);
  return response.json().catch(() => {
    throw new Error(`${what} came broken.`);
  });
}

/** Starts a new engine with what was asked of the last one, or what it played; false when there is neither. */
export function revive(store: Store): boolean {
  const { session } = store.state;
  const request = session.is === "opening" ? session.request : session.is === "broken" ? session.again : present(store.state);
  store.set({ session: broken(session, request), silent: false, trouble: undefined });
  if (request) open(store, request.scenario, request);
  return request !== undefined;
}

/** Sends a request to the engine. The present run goes on until the engine has opened the new one. */
export function open(
  store: Store<"run" | "reported" | "look">,
  scenario: Scenario,
  options: Partial<Omit<Request, "scenario">> = {},
  choices?: ArrayBuffer,
): void {
  const request: Request = {
    base: "",
    files: [],
    push: true,
    at: 0,
    digest: "",
    play: store.state.status?.playing ?? !store.state.reducedMotion,
    shared: false,
    selected: -1,
    ...options,
    scenario,
  };
  store.set({ session: asked(store.state.session, request), wish: store.state.wish + 1 });
  const room = roomOf(store.state);
  store.send({
    type: "open",
    scenario,
    ...(room ? { room } : {}),
    ...(request.files.length > 0 ? { files: request.files } : {}),
    ...(request.any ? { any: true } : {}),
    ...(request.at > 0 ? { at: request.at } : {}),
    ...(request.fork ? { fork: request.fork } : {}),
    ...(choices ? { choices } : {}),
    play: request.play && !request.digest, // a digest is compared while the run stands still
  });
}

/** Loads a scenario of the gallery to open it; undefined where something else was wanted meanwhile. */
async function latest(store: Store<"engine" | "run">, id: string): Promise<Scenario | undefined> {
  const wish = store.state.wish + 1;
  store.set({ wish });
  const scenario = await loadBase(store, id);
  return store.state.wish === wish ? scenario : undefined;
}

/** Opens a scenario of the gallery. Where it does not come, what runs goes on. */
export async function openEntry(store: Store<"engine" | "run" | "reported" | "look" | "page">, id: string): Promise<void> {
  try {
    const scenario = await latest(store, id);
    if (!scenario) return;
    store.set({ fill: usualFill(scenario) });
    open(store, scenario, { base: id });
  } catch (error) {
    store.set({ notice: `${error instanceof Error ? error.message : String(error)} Choose it again to try again.` });
  }
}

/** Opens a card of the gallery at its moment: shortly before its finding, at the speed at which that is watched. */
export async function openCard(store: Store<"engine" | "run" | "reported" | "look" | "page">, card: Entry): Promise<void> {
  try {
    const recording = card.recorded ? recordingOf(card.id) : undefined;
    const scenario = await latest(store, card.id);
    if (!scenario) return;
    const { wish } = store.state;
    const choices = await recording;
    if (store.state.wish !== wish) return;
    store.set({ fill: usualFill(scenario) });
    if (store.state.status?.playing) store.send({ type: "pause" }); // what ran before is not in sight
    setSpeed(store, card.speed);
    open(store, scenario, { base: card.id, at: card.opens, play: !store.state.reducedMotion, question: card.id }, choices);
  } catch (error) {
    store.set({ notice: `${error instanceof Error ? error.message : String(error)} Choose it again to try again.` });
  }
}

const PATIENCE = 4000; // ms; without the recording the run searches

/** The recorded choices of a scenario's first moments; undefined if they do not come. */
export async function recordingOf(id: string): Promise<ArrayBuffer | undefined> {
  try {
    const response = await fetch(`choices/${id}.bin`, { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok || !response.body) return undefined;
    return await new Response(response.body.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
  } catch {
    return undefined;
  }
}

/** Whether the recorded choices of a gallery's scenario are those of a run that an address asks for; the engine checks it. */
function replays(address: Address): boolean {
  const { packed, system, nodes, seed, settings, need } = address;
  return !packed && system === undefined && nodes === undefined && seed === undefined && !need && Object.keys(settings).length === 0;
}

/** The gallery's card of a scenario; undefined if the gallery cannot be loaded, or has none. */
async function cardOf(store: Store<"engine">, id: string): Promise<Entry | undefined> {
  if (store.state.gallery.length === 0) await loadGallery(store).catch(() => undefined);
  return store.state.gallery.find((entry) => entry.id === id);
}

/** Opens what an address says; told is what was said of it so far. A moment that somebody else shared is stood at, to be compared and looked at. */
export async function openAddress(store: Store, address: Address, push: boolean, foreign = false, told = ""): Promise<void> {
  const base = address.packed ? "" : (address.base ?? DEFAULT_BASE);
  const loading = base === DEFAULT_BASE && replays(address) ? recordingOf(base) : undefined; // it is not worth a look at the gallery
  const listed = base && (address.card || base !== DEFAULT_BASE) ? cardOf(store, base) : undefined;
  let scenario = address.packed;
  if (!scenario) {
    const loaded = await latest(store, base); // wanted from now on, whenever the gallery comes
    if (!loaded) return;
    scenario = applyKeys(loaded, address);
  }
  const { wish } = store.state;
  const card = await listed;
  const asks = address.card === true && card !== undefined;
  const choices = await (loading ?? (card?.recorded && replays(address) ? recordingOf(base) : undefined));
  if (store.state.wish !== wish) return;
  const at = address.at ?? (asks ? card.opens : 0);
  const digest = at > 0 ? (address.digest ?? "") : "";
  const shared = foreign && digest !== "";
  const options = {
    push,
    at,
    digest,
    play: !store.state.reducedMotion && !shared && !address.paused,
    shared,
    selected: address.selected ?? -1,
    ...(asks ? { question: base } : {}),
  };
  const {
    fill,
    filter = "",
    score = "",
    palette = store.state.palette,
    whole = store.state.whole,
    camera: aim,
    tab = store.state.tab,
    more,
  } = address;
  store.set({
    fill: fill === undefined ? usualFill(scenario) : renamedFill(fill),
    draw: address.drawing,
    show: address.show,
    paused: address.paused ?? false,
    presenting: address.present ?? store.state.presenting,
    filter,
    score,
    palette,
    whole,
    aim,
    fitted: aim === undefined,
    tab,
    more,
    group: address.group ?? "rack",
  });
  const speed = address.speed ?? (asks ? card.speed : undefined);
  if (speed !== undefined) setSpeed(store, stepOf(speed));
  const acts = scenario.faults?.length ?? 0;
  const { fork = 0 } = address;
  if (fork > acts)
    store.set({
      notice:
        `${told} The link branches at act ${fork}, but its scenario has ${acts === 0 ? "none" : number(acts, "act")}: it opens without the original.`.trim(),
    });
  const asked = { ...options, base, ...(fork > 0 && fork <= acts ? { fork } : {}) };
  if (foreign && scenario.program !== undefined) store.set({ foreignProgram: { scenario, options: asked } });
  else open(store, scenario, asked, choices);
}

/** Runs a program that came with a link, or opens the first scenario in its place. */
export function decideProgram(store: Store<"engine" | "run" | "reported" | "look" | "page">, run: boolean): void {
  const { foreignProgram } = store.state;
  store.set({ foreignProgram: undefined });
  if (!foreignProgram) return;
  if (run) open(store, foreignProgram.scenario, foreignProgram.options);
  else if (!store.state.scenario) void openEntry(store, DEFAULT_BASE);
}

/** Opens the present scenario with something changed. */
export function change(
  store: Store<"run" | "reported" | "look" | "page">,
  what: { system?: string; nodes?: number; seed?: number; settings?: Record<string, unknown> },
): void {
  const { scenario, base, traceFiles } = store.state;
  if (!scenario) return;
  const paths = [
    ...["system", "seed"].filter((name) => name in what),
    ...("nodes" in what ? ["cluster.nodes"] : []),
    ...Object.keys(what.settings ?? {})
      .filter((name) => !same(what.settings?.[name], scenario.settings?.[name]))
      .map((name) => `settings.${name}`),
  ];
  if (paths.some((path) => !may(scenario, path) && !scenario.may_change?.some((allowed) => allowed.startsWith(`${path}.`))))
    return store.set({ notice: `In this exercise you may change: ${allowedWords(scenario)}.`, scenario: { ...scenario } }); // the fields show the run's values again
  const nodes = what.nodes === undefined ? undefined : Math.min(TAB_NODES, Math.max(MIN_NODES, Math.round(what.nodes)));
  const changed = applyKeys(scenario, { ...what, nodes, settings: what.settings ?? {} });
  open(store, changed, { base, files: traceFiles });
}

/** Opens the present scenario with one setting changed, which may stand inside others: "group.name". */
export function set(store: Store<"run" | "reported" | "look" | "page">, id: string, value: Scalar): void {
  change(store, { settings: withSetting(store.state.scenario?.settings, id, value) });
}

/** Runs the present scenario again from its start. */
export function restart(store: Store<"run" | "reported" | "look">): void {
  const { scenario, base, traceFiles, question } = store.state;
  if (scenario) open(store, scenario, { base, files: traceFiles, push: false, ...(question ? { question } : {}) });
}

/** Opens trace files in place of the workload, under the system that runs now or, where that cannot play them, another; with skip, rows that break the format are left out; map says which column of a table holds what. */
export function openFiles(store: Store<"engine" | "run" | "reported" | "look">, files: File[], { skip = false, map = "" } = {}): void {
  const { scenario, expected, reducedMotion } = store.state;
  if (files.length === 0) return;
  if (expected) {
    store.set({ expected: undefined });
    const shared = expected.at > 0 && expected.digest !== "";
    return open(store, expected.scenario, {
      files,
      at: expected.at,
      digest: expected.digest,
      play: !reducedMotion && !shared,
      shared,
      fork: expected.fork,
    });
  }
  const played: Scenario = {
    v: 1,
    name: files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`,
    system: scenario?.system ?? store.state.systems[0]?.id ?? "",
  };
  if (scenario?.seed !== undefined) played.seed = scenario.seed;
  if (scenario?.settings) played.settings = scenario.settings;
  if (skip || map) played.workload = { ...(skip ? { skip_bad_rows: true } : {}), ...(map ? { map } : {}) };
  open(store, played, { files, any: true, play: true });
}

/** The ends that the timeline may have. */
const HORIZONS = [10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY];

/** Where the timeline ends: a little beyond what was played, at most where the run ends. */
export function horizon({ status, head }: Pick<State, "head"> & { status?: { until: number } }): number {
  const until = status?.until ?? 0;
  return Math.min(until, HORIZONS.find((end) => end >= head * 1.2) ?? until);
}

/** Goes to a simulated time of this run. */
export function seek(store: Store<"reported">, at: number): void {
  const until = store.state.status?.until ?? at;
  store.send({ type: "seek", at: Math.min(until, Math.max(0, Math.round(at))) });
}

/** The step of the ladder that a speed is on, or the next one. */
function stepOf(speed: number): number {
  return (speed > 0 && SPEEDS.find((step) => step >= speed)) || 0;
}

/** One step along the ladder of speeds. */
export function faster(store: Store<"reported">, steps: number): void {
  const speed = store.state.status?.speed ?? 60;
  const rank = (s: number) => (s === 0 ? Infinity : s);
  let i = SPEEDS.findIndex((s) => rank(s) >= rank(speed));
  if (i < 0) i = SPEEDS.length - 1;
  setSpeed(store, SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i + steps))]);
}
