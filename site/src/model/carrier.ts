// A scenario inside a picture or a report, and out of it again: in an iTXt chunk of
// a PNG, in <metadata> of an SVG, in a script element of data in HTML.
import { parse } from "../base/pack.ts";
import type { Scenario } from "../base/scenario.ts";
import { isScenario } from "./address.ts";

/** What is carried: the scenario, and where its sender stood. */
export interface Carried {
  scenario: Scenario;
  at?: number; // simulated µs
  digest?: string;
  need?: string; // private files, as in a link
  fork?: number; // the number of the act that began this course in another's past, as in a link
}

const KEYWORD = "parley-scenario"; // of the chunk, and the id of the elements
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
export const MOST = 32 << 20; // bytes of a file that is looked into

/** A PNG with a text behind its head. */
export function pngWith(png: Uint8Array, carried: Carried): Uint8Array<ArrayBuffer> {
  const head = SIGNATURE.length + 25; // the signature and IHDR, which is always first
  const text = new TextEncoder().encode(`iTXt${KEYWORD}\0\0\0\0\0${JSON.stringify(carried)}`); // not compressed, no language, no translation
  const out = new Uint8Array(png.length + text.length + 8);
  const view = new DataView(out.buffer);
  out.set(png.subarray(0, head));
  view.setUint32(head, text.length - 4);
  out.set(text, head + 4);
  view.setUint32(head + 4 + text.length, crc(text));
  out.set(png.subarray(head), head + 8 + text.length);
  return out;
}

/** The text that pngWith put into a PNG; undefined where there is none. */
export function textOf(png: Uint8Array): string | undefined {
  if (!SIGNATURE.every((byte, i) => png[i] === byte)) return undefined;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > png.length) return undefined;
    const chunk = png.subarray(at + 4, end);
    const type = String.fromCharCode(...chunk.subarray(0, 4));
    const begin = `iTXt${KEYWORD}\0\0\0\0\0`;
    if (type === "iTXt" && String.fromCharCode(...chunk.subarray(0, begin.length)) === begin) {
      if (view.getUint32(end) !== crc(chunk)) throw new Error("its scenario was changed or damaged on the way");
      return new TextDecoder("utf-8", { fatal: true }).decode(chunk.subarray(begin.length));
    }
    at = end + 4;
  }
  return undefined;
}

/** JSON that may stand within an element of SVG or HTML. */
export function within(carried: Carried): string {
  return JSON.stringify(carried).replaceAll("&", "\\u0026").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

/** The metadata of an SVG. */
export function metadata(carried: Carried): string {
  return `<metadata id="${KEYWORD}">${within(carried)}</metadata>`;
}

/** Data within HTML, which no browser runs. */
export function dataElement(carried: Carried): string {
  return `<script type="application/json" id="${KEYWORD}">${within(carried)}</script>`;
}

/** What a picture or a report carries; undefined where it carries nothing. An error says in words what is wrong. */
export async function carriedBy(file: File): Promise<Carried | undefined> {
  if (!/\.(png|svg|html?)$/i.test(file.name) || file.size > MOST) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = SIGNATURE.every((byte, i) => bytes[i] === byte)
    ? textOf(bytes)
    : new RegExp(` id="${KEYWORD}">([^<]*)<`).exec(new TextDecoder().decode(bytes))?.[1];
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = parse(text, true);
  } catch {
    throw new Error("its scenario is cut off or damaged");
  }
  if (typeof value !== "object" || value === null || !("scenario" in value) || !isScenario(value.scenario))
    throw new Error("what it carries is no scenario");
  const { scenario, at, digest, need, fork } = value as Carried & Record<string, unknown>;
  return {
    scenario,
    at: typeof at === "number" && at >= 0 ? at : undefined,
    digest: typeof digest === "string" && /^[0-9a-f]{8,16}$/.test(digest) ? digest : undefined,
    need: typeof need === "string" ? need.slice(0, 1000) : undefined,
    ...(typeof fork === "number" && Number.isInteger(fork) && fork >= 1 && fork <= (scenario.faults?.length ?? 0) ? { fork } : {}),
  };
}

/** The checksum of PNG's chunks (ISO 3309). */
function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
