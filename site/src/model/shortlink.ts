// Short links: a host that has api/links keeps a scenario under a short name
// (tools/links). Nothing is sent before the viewer says so.
import type { Scenario } from "../base/scenario.ts";
import { type Address, bare, encodeAddress } from "./address.ts";

/** What a host keeps. */
export interface Keeper {
  most_bytes: number;
  kept_days: number;
  picture_bytes?: number; // of a picture for previews; undefined: it keeps none
}

/** What would be sent. */
export interface Parcel {
  place: string; // the keys of the link that say where the run stands and how it is looked at
  body: string; // the scenario
}

const NONE = "This host keeps no short links: it only serves the page.";

/** What is sent of a scenario that is looked at from an address. */
export async function parcelOf(scenario: Scenario, address: Address, fill: string): Promise<Parcel> {
  const {
    base: _,
    name: _name,
    system: _system,
    nodes: _nodes,
    seed: _seed,
    faults: _faults,
    packed: _packed,
    may: _may,
    more: _more,
    ...place
  } = bare(address);
  return { place: await encodeAddress({ ...place, settings: {}, fill }), body: JSON.stringify(scenario) };
}

/** Asks the host of the page what it keeps; nothing of the scenario is in the question. An error says in a sentence why nothing can be kept. */
export async function askKeeper(page: string): Promise<Keeper> {
  const { status, value } = await ask(page, "api/links", {});
  const { most_bytes, kept_days, picture_bytes } = value;
  if (status === 200 && typeof most_bytes === "number" && typeof kept_days === "number")
    return { most_bytes, kept_days, ...(typeof picture_bytes === "number" && { picture_bytes }) };
  throw new Error(NONE);
}

/** Sends the parcel, and before it the picture that previews of the link show, if there is one; returns the short link. An error is the host's sentence. */
export async function send(page: string, { place, body }: Parcel, picture?: Blob): Promise<string> {
  const shown = picture && (await post(page, "api/pictures", "image/png", picture)).id;
  return new URL((await post(page, `api/links?${place}${shown ? `&picture=${shown}` : ""}`, "application/json", body, "s/")).path, page)
    .href;
}

/** Sends what the host keeps under a name of its own. */
async function post(
  page: string,
  to: string,
  type: string,
  body: BodyInit,
  under = "api/pictures/",
): Promise<{ id: string; path: string }> {
  const { status, value } = await ask(page, to, { method: "POST", headers: { "Content-Type": type }, body });
  const { id, path, error } = value;
  if (status === 201 && typeof id === "string" && /^[\w-]{11}$/.test(id) && path === under + id) return { id, path };
  throw new Error(typeof error === "string" ? error.slice(0, 300) : NONE);
}

/** Asks and reads JSON; what is none is an empty object. */
async function ask(page: string, path: string, how: RequestInit): Promise<{ status: number; value: Record<string, unknown> }> {
  let answer: Response;
  try {
    answer = await fetch(new URL(path, page), {
      ...how,
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      redirect: "error",
    });
  } catch {
    throw new Error("The host of this page does not answer: there is no network, or it is gone.");
  }
  const value = (await answer.json().catch(() => undefined)) as unknown;
  return { status: answer.status, value: typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {} };
}
