// The address bar: read at the start and when the viewer goes back, written
// whenever something changes that a link carries.
import { atMostEvery } from "../base/dom.ts";
import { opensFirst } from "../base/first.ts";
import { SECOND } from "../base/format.ts";
import type { Scenario } from "../base/scenario.ts";
import {
  type Address,
  comparisonText,
  DEFAULT_BASE,
  decodeAddress,
  encodeAddress,
  MOST_LENGTH,
  type Place,
  VIEW_KEYS,
} from "../model/address.ts";
import { forkOf } from "../model/courses.ts";
import { faultTimes } from "../model/faults.ts";
import { FORMULA } from "../model/formula.ts";
import { aimOf } from "../model/look.ts";
import { namesIn, needOf } from "../model/need.ts";
import { FIRST_SPEED, loadBase, open, openAddress } from "../model/run.ts";
import { linkTo } from "../model/scenario.ts";
import { all, type State, type Store } from "../model/store.ts";
import { firstTab, systemOf } from "../model/systems.ts";
import { withoutUnread } from "../model/unread.ts";

/** What this page leaves at the addresses that it wrote: they survive a reload and the way back, and are not somebody else's. */
const OWN = "own";

/** The present state as an address. */
export function addressOf(state: State): Address {
  const { scenario, status, base, fill, place, palette, filter, score, whole, tab, more, show, paused, presenting } = state;
  const system = systemOf(state);
  return {
    ...(scenario ? linkTo(scenario, fill, base, state.bases[base]) : { settings: {} }),
    fork: forkOf(state),
    need: needOf(state.files),
    at: status?.at,
    digest: status && status.at > 0 ? status.digest : undefined,
    group: state.group,
    selected: state.selected,
    place,
    drawing: state.draw,
    filter,
    score: fill === FORMULA ? score : undefined,
    palette,
    whole: whole || undefined,
    camera: aimOf(state),
    speed: status && status.speed !== FIRST_SPEED ? status.speed : undefined,
    tab: system && tab !== firstTab(system) ? tab : undefined,
    ask: state.asked[place],
    card: (state.question !== "" && state.question === state.base) || undefined,
    ...(place === "compare" ? state.comparison : {}),
    more,
    embed: document.documentElement.classList.contains("embed") || undefined,
    show,
    paused: paused || undefined,
    present: presenting || undefined,
  };
}

/** A moment of a scenario soon after its first fault: a still picture of it says something. 0 without a fault. */
function healingAt(scenario: Scenario | undefined): number {
  const [first] = faultTimes({ scenario, resolvedScenario: undefined, systems: [], grid: undefined });
  return first === undefined ? 0 : first + 20 * SECOND;
}

/** Opens what the address says and keeps it true from then on. Where it leaves the run to the page, that begins at a moment that is known soon. */
export function startLocation(store: Store, begins: Promise<number>): () => void {
  let compared = ""; // what is compared, and how
  let writing = Promise.resolve();
  let present = ""; // what the address says of the run
  let shown: Place = "watch"; // the place in the address
  let first = true; // nothing was read yet
  let reading = 0; // addresses that are being opened: nothing is written over them
  const known = new Map<string, File[]>(); // files that were opened before, by what links say of them, for the way back
  const write = (push: boolean) => {
    const written = writing.then(async () => {
      const { session, scenario, place } = store.state;
      const before = location.hash;
      if (reading > 0 || session.is === "opening" || !scenario || (session.is === "running" && session.arrival)) return; // the address still says where to go
      const text = await encodeAddress(addressOf(store.state));
      if (text.length > MOST_LENGTH || `#${text}` === before || location.hash !== before) return; // the viewer may have gone back meanwhile
      present = playing(text);
      const step = push || place !== shown; // a place that was opened before the address could be written is a step, too
      shown = place;
      if (step) history.pushState(OWN, "", `#${text}`);
      else history.replaceState(OWN, "", `#${text}`);
    });
    writing = written.catch(() => undefined); // a browser may forbid it for a while: the next change writes it
  };
  let arriving: { address: Address; foreign: boolean; told: string } | undefined; // what was asked of the engine and is not there yet
  const read = async () => {
    const foreign = history.state !== OWN && !(first && returning());
    const unasked = first && opensFirst(location.hash);
    first = false;
    const { address, problems, notes } = await decodeAddress(location.hash);
    const { need, packed, fork, at = 0, digest = "" } = address;
    const { place = "watch" } = address;
    const other =
      place !== store.state.place ||
      address.ask !== store.state.asked[place] ||
      (place === "compare" && comparisonText(address) !== comparisonText(store.state.comparison));
    const moved = other && store.state.scenario !== undefined && playing(location.hash) === present;
    present = playing(location.hash);
    shown = place;
    store.set({ place, asked: { ...store.state.asked, [place]: address.ask } });
    if (place === "compare") {
      const { rivals, until, seeds, started, beside, besideAt } = address;
      store.set({ comparison: { rivals, until, seeds, started, beside, besideAt } });
      compared = stateOf(store.state);
    }
    if (moved) return; // on the way through the places the run goes on
    const files = known.get(need ?? "") ?? (await keptFiles(store, need));
    if (packed && files) {
      return open(store, packed, { files, at, digest, fork, push: false, selected: address.selected ?? -1 });
    }
    if (need) {
      problems.push(`This link needs its sender's files (${namesIn(need)}). Open them here to see the run.`);
      store.set({ expected: packed && { scenario: packed, at, digest, fork } });
    }
    const told = [...problems, ...notes];
    if (told.length > 0) store.set({ notice: told.join(" ") });
    if (unasked) {
      const [at, base] = await Promise.all([begins, loadBase(store, DEFAULT_BASE).catch(() => undefined)]); // the failure is told when it is opened
      address.at = store.state.reducedMotion ? Math.max(at, healingAt(base)) : at;
    }
    if (unasked && store.state.wish > 0) return; // the viewer was faster
    arriving = { address: need ? { settings: {} } : address, foreign, told: told.join(" ") };
    await openAddress(store, arriving.address, false, foreign, arriving.told);
  };
  const openWithout = (sentence: string): boolean => {
    const left = arriving && withoutUnread(arriving.address, sentence);
    if (!arriving || !left) return false;
    const told = `${arriving.told} ${left.told}`.trim();
    arriving = { ...arriving, address: left.address, told };
    store.set({ trouble: undefined, notice: told });
    openAddress(store, left.address, false, arriving.foreign, told).catch((error: Error) => fallBack(store, error));
    return true;
  };
  const follow = () => {
    reading++;
    read()
      .catch((error: Error) => fallBack(store, error))
      .finally(() => reading--);
  };
  addEventListener("popstate", follow);
  follow();
  let opened = false;
  const note = atMostEvery(500, () => write(false));
  return all(
    () => removeEventListener("popstate", follow),
    store.watch(["files"], () => {
      const need = needOf(store.state.files);
      if (need) known.set(need, store.state.traceFiles);
    }),
    store.watch(["scenario"], () => {
      if (!store.state.scenario) return;
      arriving = undefined;
      write(opened && store.state.push);
      opened = true;
    }),
    store.watch(["place"], () => write(false)),
    store.watch(["asked"], () => (store.state.place === "cluster" ? opened && reading === 0 && write(true) : note())),
    store.watch(["trouble"], () => {
      if (store.state.trouble?.class === "gone" || store.state.trouble?.class === "missing") return; // they have a way to try again
      if (store.state.trouble && openWithout(store.state.trouble.sentence)) return;
      if (store.state.trouble && !store.state.scenario && store.state.session.is !== "opening") openDefault(store);
    }),
    store.watch(["comparison"], () => {
      const now = stateOf(store.state);
      if (now !== compared && opened && reading === 0) write(true);
      compared = now;
      note();
    }),
    store.watch(
      ["status", "fill", "group", "selected", "session", "filter", "score", "palette", "whole", "camera", "tab", "presenting"],
      note,
    ),
  );
}

/** The files that a link needs, where this browser keeps all of them. */
async function keptFiles({ state }: Store, need: string | undefined): Promise<File[] | undefined> {
  if (!need || state.keeping !== "files") return undefined;
  try {
    const { ownKeeper } = await import("../model/kept.ts");
    return await ownKeeper().files(need);
  } catch {
    return undefined; // then the viewer is asked for them
  }
}

/** Whether the page was loaded again, or come back to. */
function returning(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && (entry.type === "reload" || entry.type === "back_forward");
}

/** Whether a comparison is started and watched: steps that Back returns from. */
function stateOf({ comparison: { started, beside } }: State): string {
  return `${started ?? false} ${beside !== undefined}`;
}

/** What an address says of the run, without where it is and how it is looked at. */
function playing(address: string): string {
  const keys = new URLSearchParams(address.replace(/^#/, ""));
  for (const key of VIEW_KEYS) keys.delete(key);
  return keys.toString();
}

/** A link that cannot be followed still ends in the default scenario. */
function fallBack(store: Store, error: Error): void {
  store.set({ notice: `${error.message} The default scenario runs instead.` });
  if (!store.state.scenario) openDefault(store);
}

function openDefault(store: Store): void {
  openAddress(store, { settings: {} }, false).catch((error: Error) =>
    store.set({ notice: "", session: { is: "broken" }, trouble: { class: "missing", sentence: error.message } }),
  );
}
