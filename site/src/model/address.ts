// What stands after # in the address: the scenario and the place in it, so
// that a link reopens what its sender saw. URLSearchParams syntax, sorted keys,
// defaults left out. Everything read from a link is checked and clamped.
import { pack, unpack } from "../base/pack.ts";
import { duration, parseDuration } from "../base/format.ts";
import { faultOf, faultText, MOST_FAULTS, NO_FAULTS, type LinkFault } from "./faultkey.ts";
import type { Scenario } from "../base/scenario.ts";

/** A setting that a key of its own can hold. */
export type Scalar = string | number | boolean;

/** The places of the page. */
export const PLACES = ["watch", "compare", "plan", "papers", "gallery"] as const;
export type Place = (typeof PLACES)[number];

/** The address in parts. What is undefined is the default. */
export interface Address {
  base?: string; // s: a scenario of the gallery
  name?: string; // name
  system?: string; // sys
  nodes?: number; // n
  seed?: number; // seed
  settings: Record<string, Scalar>; // x.<setting>
  faults?: LinkFault[]; // f, once for each: 6m.rack.137.down; empty: none
  packed?: Scenario; // z: the whole scenario, where keys cannot say it
  need?: string; // private trace files, "|" between them: "sha256:16 digits,name", or the name alone
  at?: number; // simulated µs
  digest?: string; // d: the first 32 bits at that time, 8 hex digits
  fill?: string; // the layer's id
  selected?: number; // sel=node.4711
  place?: Place; // p: where on the page
  drawing?: "2d"; // draw: keep the page's own drawing, even where WebGL is there
  embed?: true; // embed=1: the stage and the timeline alone, for a frame in another page
}

export const DEFAULT_BASE = "google-cell";
export const VERSION = 1;
export const MIN_NODES = 10;
export const MAX_NODES = 1_000_000; // that a link may name
export const TAB_NODES = 250_000; // that a tab has the memory for; core/play/remote refuses more
const LONGEST_TIME = 3650 * 24 * 3600 * 1_000_000;

/** Lengths of an address: longer than plain is worth a note, longer than most is no link any more. */
export const PLAIN_LENGTH = 2000;
export const MOST_LENGTH = 8000;

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
  if (address.packed) put("z", await pack(address.packed));
  put("need", address.need);
  if (address.at !== undefined && address.at > 0) put("at", duration(address.at));
  put("d", address.digest?.slice(0, 8));
  put("fill", address.fill);
  if (address.selected !== undefined && address.selected >= 0) put("sel", `node.${address.selected}`);
  if (address.place !== "watch") put("p", address.place);
  put("draw", address.drawing);
  put("embed", address.embed && 1);
  keys.sort();
  return keys.toString();
}

/** The keys of a link, beside x.NAME of settings. */
const KEYS = ["v", "s", "name", "sys", "n", "seed", "f", "z", "need", "at", "d", "fill", "sel", "p", "draw", "embed"];

/** Reads an address, with or without its # and what stands before it. What cannot be read is left out and told in a sentence. */
export async function decodeAddress(link: string): Promise<{ address: Address; problems: string[] }> {
  const keys = new URLSearchParams(link.slice(link.indexOf("#") + 1));
  const address: Address = { settings: {} };
  const problems: string[] = [];
  const bad = (key: string, wanted: string) =>
    problems.push(`The link's ${key} is “${shorten(keys.get(key) ?? "")}”, which is not ${wanted}; the default is used.`);
  const version = keys.get("v");
  if (version !== null && version !== String(VERSION)) {
    problems.push(`The link is of version “${shorten(version)}”; this page reads version ${VERSION} and took from it what it knows.`);
  }
  const word = (key: string, pattern: RegExp, wanted: string): string | undefined => {
    const value = keys.get(key);
    if (value === null || value === "") return undefined;
    if (pattern.test(value)) return value;
    bad(key, wanted);
    return undefined;
  };
  const whole = (key: string, least: number, most: number): number | undefined => {
    const text = word(key, /^\d{1,16}$/, "a whole number");
    return text === undefined ? undefined : Math.min(most, Math.max(least, Number(text)));
  };
  address.base = word("s", /^[a-z0-9-]{1,64}$/, "a scenario's name");
  address.name = keys.get("name")?.slice(0, 120) || undefined;
  address.system = word("sys", /^[a-z]{1,32}$/, "a system");
  address.nodes = whole("n", MIN_NODES, MAX_NODES);
  address.seed = whole("seed", 0, Number.MAX_SAFE_INTEGER);
  address.fill = word("fill", /^[a-z0-9_.-]{1,64}$/i, "a layer");
  address.digest = word("d", /^[0-9a-f]{8,16}$/, "a digest")?.slice(0, 8);
  address.need = keys.get("need")?.slice(0, 1000) || undefined;
  const place = word("p", new RegExp(`^(${PLACES.join("|")})$`), `one of ${PLACES.join(", ")}`);
  if (place) address.place = place as Place;
  if (word("draw", /^2d$/, "2d")) address.drawing = "2d";
  if (word("embed", /^1$/, "1")) address.embed = true;
  const selected = word("sel", /^node\.\d{1,6}$/, "a node such as node.4711");
  if (selected) address.selected = Number(selected.slice(5));
  const at = keys.get("at");
  if (at) {
    address.at = parseDuration(at);
    if (address.at === undefined) bad("at", "a time such as 6h12m40s");
    else address.at = Math.min(LONGEST_TIME, address.at);
  }
  for (const [key, value] of keys) {
    if (/^x\.[a-z0-9_]{1,64}$/i.test(key)) {
      if (value !== "") address.settings[key.slice(2)] = scalar(value.slice(0, 200));
    } else if (!KEYS.includes(key)) problems.push(`The link says “${shorten(key)}”, which means nothing in a link; it is passed over.`);
  }
  address.faults = faultsOf(keys.getAll("f"), problems);
  const packed = keys.get("z");
  if (packed === "") problems.push("The link's z is empty: the scenario that it should hold is lost; the default scenario runs instead.");
  if (packed) {
    try {
      const value = await unpack(packed);
      if (!isScenario(value)) throw new Error("it holds no scenario");
      address.packed = value;
    } catch (error) {
      problems.push(`The link's z cannot be read: ${error instanceof Error ? error.message : String(error)}; the default scenario runs instead.`);
    }
  }
  return { address, problems };
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
      problems.push(`The link has more than ${MOST_FAULTS} faults: the first ${MOST_FAULTS} are taken.`);
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
