// Short links: a host that has api/links keeps a scenario under a short name
// (tools/links). Nothing is sent before the viewer says so.
import type { Scenario } from "../base/scenario.ts";
import { type Address, bare, encodeAddress } from "./address.ts";

/** What a host keeps. */
export interface Keeper {
  most_bytes: number;
  kept_days: number;
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
  if (status === 200 && typeof value.most_bytes === "number" && typeof value.kept_days === "number")
    return { most_bytes: value.most_bytes, kept_days: value.kept_days };
  throw new Error(NONE);
}

/** Sends the parcel; returns the short link. An error is the host's sentence. */
export async function send(page: string, { place, body }: Parcel): Promise<string> {
  const { status, value } = await ask(page, `api/links?${place}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  if (status === 201 && typeof value.path === "string" && /^s\/[\w-]{11}$/.test(value.path)) return new URL(value.path, page).href;
  throw new Error(typeof value.error === "string" ? value.error.slice(0, 300) : NONE);
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
