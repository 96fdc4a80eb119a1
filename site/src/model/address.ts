// What stands after # in the address: the scenario and the place in it, so
// that a link reopens what its sender saw. URLSearchParams syntax, sorted keys,
// defaults left out. Everything read from a link is checked and clamped.
import { duration, parseDuration } from "../base/format.ts";
import { pack, unpack } from "../base/pack.ts";
import { PALETTES, type PaletteName } from "../base/palette.ts";
import type { Scenario } from "../base/scenario.ts";
import { faultOf, faultText, type LinkFault, MOST_FAULTS, NO_FAULTS } from "./faultkey.ts";

/** A setting that a key of its own can hold. */
export type Scalar = string | number | boolean;

/** The places of the page. */
export const PLACES = ["watch", "compare", "sweep", "plan", "cluster", "papers", "gallery"] as const;
export type Place = (typeof PLACES)[number];

/** What nodes stand together by on the stage. */
export const GROUPS = ["rack", "site", "machine", "attribute", "zone"] as const;
export type Group = (typeof GROUPS)[number];

/** The parts of the page that a frame shows. */
export const SHOWN = ["map", "lesson", "story", "charts", "gantt", "graph", "bids"] as const;
export type Shown = (typeof SHOWN)[number];

/** The address in parts. What is undefined is the default. */
export interface Address {
  base?: string; // s: a scenario of the gallery
  name?: string; // name
  system?: string; // sys
  nodes?: number; // n
  seed?: number; // seed
  settings: Record<string, Scalar>; // x.<setting>
  faults?: LinkFault[]; // f, once for each: 6m.rack.137.down; empty for no faults
  fork?: number; // fork: the number of the fault, from 1, that began this course in the past of another, which has those before it
  packed?: Scenario; // z: the whole scenario, where keys cannot say it
  need?: string; // private trace files, "|" between them: "sha256:16 digits,name", or the name alone
  at?: number; // simulated µs
  digest?: string; // d: the first 32 bits at that time, 8 hex digits
  fill?: string; // the layer's id
  group?: Group; // group: what nodes stand together by
  selected?: number; // sel=node.4711
  place?: Place; // p: where on the page
  drawing?: "2d" | "gl"; // draw: the page's own drawing, even where a graphics card is there; the renderer, even where none is
  may?: string[]; // may=settings.fill,seed: the fields that a class may change
  embed?: true; // embed=1: a part of the page alone, for a frame in another page
  show?: Shown[]; // show=map,charts: the parts that embed shows; undefined: the map
  paused?: true; // paused=1: the run opens paused
  present?: true; // present=1: a lesson in large type
  filter?: string; // which nodes are looked at, as it was typed
  score?: string; // the formula that fills the cells
  palette?: PaletteName; // pal: the colours of the cells
  whole?: true; // scale=full: the colours run from 0 to 100 %
  camera?: CameraKey; // cam=node.4711-3.5
  speed?: number; // simulated seconds a second; max, which is 0 here, is as fast as it goes
  tab?: string; // what the drawer shows
  rivals?: string[]; // with=central.best-fit+yield: what the scenario is compared with
  until?: number; // the end of the comparison, µs
  seeds?: number; // how many each system is played with
  started?: true; // run=1: its sender had started it
  beside?: Beside; // how the systems are watched side by side; undefined: they are not
  besideAt?: number; // moment: the simulated µs that they stand at
  card?: true; // card=1: the gallery's question about the scenario is shown
  ask?: string; // ask: the packed question of the place: about a dump (asked.ts), what is planned or varied (placelink.ts)
  more?: [key: string, value: string][]; // that this page does not know: they stay in the link
}

/** Where a viewer looks, whatever the size of the window: the node in the middle, and how many times larger a cell is than when all of them are shown. */
export interface CameraKey {
  node: number;
  zoom: number;
}

/** The ways in which systems lie side by side. */
export const VIEWS = ["split", "swipe", "difference"] as const;
export type Beside = (typeof VIEWS)[number];

export const DEFAULT_BASE = "google-cell";
export const VERSION = 1;
export const MIN_NODES = 10;
export const MAX_NODES = 1_000_000; // that a link may name
export const TAB_NODES = 250_000; // that a tab has the memory for; core/play/remote refuses more
const MOST_SEED = Number.MAX_SAFE_INTEGER;
export const MOST_NAME = 120; // characters
const MOST_TEXT = 200;
export const FIELD = /^(?=.{1,64}$)[a-z0-9_]+(\.[a-z0-9_]+)*$/i; // the path of a setting or of another field
export const MOST_FORMULA = 1000; // core/formula reads no more
const MOST_FORK = 10_000;
const MOST_NEED = 1000;
const MOST_SPEED = 86_400;
export const MOST_RIVALS = 5; // beside the scenario's own system: more lines cannot be told apart
export const MOST_SEEDS = 30;
export const LEAST_ZOOM = 0.5; // times what shows all cells
export const MOST_ZOOM = 1000;
const MOST_MAY = 1000; // characters of the fields
const MOST_MORE = 20; // keys that are not known
const LONGEST_TIME = 3650 * 24 * 3600 * 1_000_000;

/** Lengths of an address: longer than plain is worth a note, longer than most is no link any more. */
export const PLAIN_LENGTH = 2000;
export const MOST_LENGTH = 8000;

/** What a link says of a comparison. */
export type Compared = Pick<Address, "rivals" | "until" | "seeds" | "started" | "beside" | "besideAt">;

/** Writes an address without its #. */
export async function encodeAddress(address: Address): Promise<string> {
  const keys = new URLSearchParams();
  const put = (key: string, value: Scalar | undefined) => {
    if (value !== undefined && value !== "") keys.set(key, String(value));
  };
  put("v", VERSION);
  if (address.base !== DEFAULT_BASE) put("s", address.base);
  put("name", address.name);
  put("sys", address.system);
  put("n", address.nodes);
  put("seed", address.seed);
  for (const [name, value] of Object.entries(address.settings)) put(`x.${name}`, value);
  if (address.faults?.length === 0) put("f", NO_FAULTS);
  for (const fault of address.faults ?? []) keys.append("f", faultText(fault));
  put("may", address.may?.join());
  if (address.packed) put("z", await pack(address.packed));
  put("fork", address.fork);
  put("need", address.need);
  if (address.at !== undefined && address.at > 0) put("at", duration(address.at));
  put("d", address.digest?.slice(0, 8));
  put("fill", address.fill);
  if (address.group !== "rack") put("group", address.group);
  if (address.selected !== undefined && address.selected >= 0) put("sel", `node.${address.selected}`);
  if (address.place !== "watch") put("p", address.place);
  put("draw", address.drawing);
  put("embed", address.embed && 1);
  put("show", address.show?.join());
  put("paused", address.paused && 1);
  put("present", address.present && 1);
  putView(put, address);
  putComparison(put, address);
  put("ask", address.ask);
  put("card", address.card && 1);
  for (const [key, value] of address.more ?? []) keys.append(key, value);
  keys.sort();
  return keys.toString();
}

type Put = (key: string, value: Scalar | undefined) => void;

/** Writes how the run is looked at. */
function putView(put: Put, { filter, score, palette, whole, camera, speed, tab }: Address): void {
  put("filter", filter);
  put("score", score);
  if (palette !== PALETTES[0]) put("pal", palette);
  put("scale", whole && "full");
  put("cam", camera && `node.${camera.node}-${camera.zoom}`);
  put("speed", speed === 0 ? "max" : speed);
  put("tab", tab);
}

/** The keys of a comparison as they stand in a link; "" for none. */
export function comparisonText(compared: Compared): string {
  const keys = new URLSearchParams();
  putComparison((key, value) => value !== undefined && value !== "" && keys.set(key, String(value)), compared);
  return keys.toString();
}

function putComparison(put: Put, { rivals, until, seeds, started, beside, besideAt }: Compared): void {
  put("with", rivals?.join(" "));
  put("until", until ? duration(until) : undefined);
  put("seeds", seeds);
  put("run", started && 1);
  put("beside", beside);
  put("moment", besideAt ? duration(besideAt) : undefined);
}

/** An address without what says how the page shows it: in a frame, or to a hall. */
export function bare({ embed: _, show: _show, paused: _paused, present: _present, ...address }: Address): Address {
  return address;
}

/** The keys of a view and a comparison: a link without them plays the same run. */
export const VIEW_KEYS = [
  "fork",
  "at",
  "d",
  "p",
  "present",
  "sel",
  "fill",
  "group",
  "filter",
  "score",
  "pal",
  "scale",
  "cam",
  "speed",
  "tab",
  "with",
  "until",
  "seeds",
  "run",
  "beside",
  "moment",
  "ask",
  "card",
];

/** The keys of a link, beside x.NAME of settings. */
const KEYS = ["v", "s", "name", "sys", "n", "seed", "f", "may", "z", "need", "draw", "embed", "show", "paused", ...VIEW_KEYS];

/** What became of a link's values. */
export interface Told {
  problems: string[]; // what could not be read and is left out, in a sentence each
  notes: string[]; // what was taken otherwise than it stands there, or kept without being understood
}

/** Reads an address, with or without its # and what stands before it. */
export async function decodeAddress(link: string): Promise<{ address: Address } & Told> {
  const keys = new URLSearchParams(link.slice(link.indexOf("#") + 1));
  const address: Address = { settings: {} };
  const problems: string[] = [];
  const notes: string[] = [];
  const version = keys.get("v");
  if (version !== null && version !== String(VERSION)) {
    problems.push(`This link needs a newer Parley (version ${shorten(version)}). It opened as far as version ${VERSION} understands it.`);
  }
  for (const key of new Set(keys.keys())) {
    if (key !== "f" && (KEYS.includes(key) || key.startsWith("x.")) && keys.getAll(key).length > 1) {
      problems.push(`The link has ${shorten(key)} twice: remove one.`);
    }
  }
  const read = new Reader(keys, problems, notes);
  address.base = read.word("s", /^[a-z0-9-]{1,64}$/, "a scenario's name");
  address.name = read.text("name", MOST_NAME);
  address.system = read.word("sys", /^[a-z]{1,32}$/, "a system");
  address.nodes = read.whole("n", MIN_NODES, MAX_NODES);
  address.seed = read.whole("seed", 0, MOST_SEED);
  address.fill = read.word("fill", /^[a-z0-9_.-]{1,64}$/i, "a layer");
  address.digest = read.word("d", /^[0-9a-f]{8,16}$/, "a digest")?.slice(0, 8);
  address.need = read.text("need", MOST_NEED);
  address.place = read.choice("p", PLACES);
  address.group = read.choice("group", GROUPS);
  address.drawing = read.choice("draw", ["2d", "gl"]);
  for (const key of ["embed", "paused", "present"] as const) if (read.choice(key, ["1"])) address[key] = true;
  address.show = read.list("show", MOST_TEXT, new RegExp(`^(${SHOWN.join("|")})$`), "parts of the page such as map,charts") as
    | Shown[]
    | undefined;
  address.may = read.list("may", MOST_MAY, FIELD, "fields such as settings.fill,seed");
  const selected = read.word("sel", /^node\.\d{1,6}$/, "a node such as node.4711");
  if (selected) address.selected = Number(selected.slice(5));
  address.at = read.time("at");
  readView(read, address);
  readComparison(read, address);
  if (read.choice("card", ["1"])) address.card = true;
  address.ask = read.word("ask", /^1\.[\w-]{1,7000}$/, "a packed question");
  for (const [key, value] of keys) {
    if (key.startsWith("x.") && FIELD.test(key.slice(2))) {
      if (value !== "") address.settings[key.slice(2)] = scalar(read.cut(key, value, MOST_FORMULA));
    } else if (!KEYS.includes(key)) {
      const more = (address.more ??= []);
      if (/^[a-z0-9_.-]{1,32}$/i.test(key) && more.length < MOST_MORE) more.push([key, read.cut(key, value, MOST_TEXT)]);
      else problems.push(`The link says “${shorten(key)}”, which is not part of a link; it is ignored.`);
    }
  }
  if (address.more?.length === 0) delete address.more;
  if (address.more)
    notes.push(
      `The link also says ${[...new Set(address.more.map(([key]) => `“${key}”`))].join(", ")}, which this page does not know; it is kept in the address.`,
    );
  address.faults = faultsOf(keys.getAll("f"), problems);
  address.fork = read.whole("fork", 1, MOST_FORK);
  const packed = keys.get("z");
  if (packed === "") problems.push("The link's z is empty, so its scenario is lost; the default scenario runs instead.");
  if (packed) {
    try {
      const value = await unpack(packed);
      if (!isScenario(value)) throw new Error("it holds no scenario");
      address.packed = value;
    } catch (error) {
      problems.push(
        `The link's z cannot be read: ${error instanceof Error ? error.message : String(error)}; the default scenario runs instead.`,
      );
    }
  }
  return { address, problems: few(problems), notes: few(notes) };
}

const MOST_TOLD = 20; // sentences about one link

/** The first sentences of many and the last one, which is about its scenario, with a count of the others. */
function few(told: string[]): string[] {
  if (told.length <= MOST_TOLD) return told;
  return [...told.slice(0, MOST_TOLD - 2), `${told.length - MOST_TOLD + 1} more of its parts are like these.`, ...told.slice(-1)];
}

/** Reads the values of a link one by one, and keeps in sentences what it could not read and what it took otherwise than it stands there. */
class Reader {
  constructor(
    readonly keys: URLSearchParams,
    readonly problems: string[],
    readonly notes: string[],
  ) {}

  word(key: string, pattern: RegExp, wanted: string): string | undefined {
    const value = this.keys.get(key);
    if (value === null || value === "") return undefined;
    if (pattern.test(value)) return value;
    this.problems.push(`The link's ${key} is “${shorten(value)}”, which is not ${wanted}; the default is used.`);
    return undefined;
  }

  /** Values with commas between them, each once. */
  list(key: string, most: number, pattern: RegExp, wanted: string): string[] | undefined {
    const good = (this.keys.get(key) ?? "").split(",").every((part) => pattern.test(part));
    const text = this.word(key, good ? new RegExp(`^.{1,${most}}$`) : /^$/, wanted);
    return text === undefined ? undefined : [...new Set(text.split(","))];
  }

  choice<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    return this.word(key, new RegExp(`^(${words.join("|")})$`), `${words.length > 1 ? "one of " : ""}${words.join(", ")}`) as
      | Word
      | undefined;
  }

  whole(key: string, least: number, most: number): number | undefined {
    const text = this.word(key, /^\d{1,16}$/, "a whole number");
    if (text === undefined) return undefined;
    const held = Math.min(most, Math.max(least, Number(text)));
    if (String(held) !== text.replace(/^0+(?=\d)/, "")) this.held(key, text, String(held));
    return held;
  }

  /** A simulated time, µs. */
  time(key: string): number | undefined {
    const text = this.keys.get(key);
    const at = text ? parseDuration(text) : undefined;
    if (text && at === undefined) this.word(key, /^$/, "a time such as 6h12m40s");
    if (text && at !== undefined && at > LONGEST_TIME) this.held(key, text, duration(LONGEST_TIME));
    return at === undefined ? undefined : Math.min(LONGEST_TIME, at);
  }

  /** Any text of at most n characters. */
  text(key: string, most: number): string | undefined {
    return this.cut(key, this.keys.get(key) ?? "", most) || undefined;
  }

  cut(key: string, value: string, most: number): string {
    if (value.length <= most) return value;
    this.notes.push(`The link's ${shorten(key)} is longer than ${most} characters; only those are read.`);
    return value.slice(0, most).replace(/[\ud800-\udbff]$/, ""); // no half of a character
  }

  held(key: string, value: string, taken: string): void {
    this.notes.push(`The link's ${key} is ${shorten(value)}, which is out of range: ${taken} is used.`);
  }
}

/** Reads how the run is looked at. */
function readView(read: Reader, address: Address): void {
  address.filter = read.text("filter", MOST_FORMULA);
  address.score = read.text("score", MOST_FORMULA);
  address.palette = read.choice("pal", PALETTES);
  if (read.choice("scale", ["full"])) address.whole = true;
  address.tab = read.word("tab", /^[a-z0-9]{1,32}$/, "a tab of the drawer");
  const camera = read.word("cam", /^node\.\d{1,6}-\d{1,4}(\.\d{1,2})?$/, "a node and how large it is, such as node.4711-3.5");
  if (camera) {
    const [node, size] = camera.slice(5).split("-").map(Number);
    const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, size));
    if (zoom !== size) read.held("cam", camera, `node.${node}-${zoom}`);
    address.camera = { node, zoom };
  }
  address.speed = read.keys.get("speed") === "max" ? 0 : read.whole("speed", 1, MOST_SPEED);
}

/** Reads what the scenario is compared with. */
function readComparison(read: Reader, address: Address): void {
  const rivals = read.word("with", /^[a-z0-9_.-]{1,64}( [a-z0-9_.-]{1,64})*$/, "systems such as central.best-fit")?.split(" ");
  if (rivals && rivals.length > MOST_RIVALS)
    read.notes.push(`The link compares with more than ${MOST_RIVALS}: the first ${MOST_RIVALS} are used.`);
  address.rivals = rivals?.slice(0, MOST_RIVALS);
  address.until = read.time("until") || undefined;
  address.seeds = read.whole("seeds", 1, MOST_SEEDS);
  if (read.choice("run", ["1"])) address.started = true;
  address.beside = read.choice("beside", VIEWS);
  address.besideAt = read.time("moment") || undefined;
}

/** All faults of a link; undefined where it says nothing of them. */
function faultsOf(texts: string[], problems: string[]): LinkFault[] | undefined {
  let faults: LinkFault[] | undefined;
  for (const text of texts) {
    if (text === "") continue;
    const fault = faultOf(text);
    if (!fault && text !== NO_FAULTS) {
      problems.push(`The link's f is “${shorten(text)}”, which is not a fault such as 6m.rack.137.down; it is left out.`);
      continue;
    }
    faults ??= [];
    if (fault && faults.length === MOST_FAULTS) {
      problems.push(`The link has more than ${MOST_FAULTS} faults: the first ${MOST_FAULTS} are used.`);
      return faults;
    }
    if (fault) faults.push(fault);
  }
  return faults;
}

/** Whether a value looks like a scenario; the engine checks it strictly. */
export function isScenario(value: unknown): value is Scenario {
  return typeof value === "object" && value !== null && "v" in value && "system" in value && typeof value.system === "string";
}

/** A key's text as the value it stands for. */
export function scalar(text: string): Scalar {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function shorten(text: string): string {
  return text.length > 40 ? text.slice(0, 39) + "…" : text;
}
