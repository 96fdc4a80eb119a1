// What is asked at a place, in the address: what a link says is taken when the place opens,
// and what the viewer asks there is packed into the link.
import { MOST_PACKED, pack, unpack } from "../base/pack.ts";
import type { Place } from "./address.ts";
import { all, type Store } from "./store.ts";

/** A place whose question a link can have. */
export interface Asking {
  place: Place;
  name: string; // of the question: "instance"
  tell: () => unknown; // as a link has it; undefined: as the place opens by itself
  take: (value: unknown) => boolean; // false: it is no such question; undefined: as the place opens by itself
  watch: (listener: () => void) => () => void;
}

const MOST = 10_000; // of a list

/** Whether a value has the shape of a sample: its texts and flags, its keys, and lists of what the sample's begins with. */
export function fits<T>(value: unknown, sample: T): value is T {
  if (Array.isArray(sample)) return Array.isArray(value) && value.length <= MOST && value.every((one) => fits(one, sample[0]));
  if (typeof sample !== "object" || sample === null) return typeof value === typeof sample;
  const found = (value ?? {}) as Record<string, unknown>;
  return Object.entries(sample).every(([key, one]) => fits(found[key], one));
}

const PAUSE = 400; // ms without a change before it is packed

/** Keeps place and address alike from now on; resolves when what the link says was taken, to the way to stop. */
export async function followAsked(store: Store<"page">, { place, name, tell, take, watch }: Asking): Promise<() => void> {
  let known: string | undefined; // what both say
  let timer = 0;
  let full = false; // the question is too large for a link, which was said
  const hear = async () => {
    const text = store.state.asked[place];
    if (text === known) return;
    known = text;
    const taken = await Promise.resolve(text && unpack(text)).then(take, () => false);
    if (!taken) store.set({ notice: `The link's ${name} cannot be read: it is damaged. Ask its sender for another link.` });
  };
  const write = async () => {
    const value = tell();
    let text = value === undefined ? undefined : await pack(value);
    const large = text !== undefined && text.length > MOST_PACKED;
    if (large) text = undefined;
    if (large && !full) store.set({ notice: `This ${name} is too large for a link: save it as a file to share it.` });
    full = large;
    if (text === known) return;
    known = text;
    store.set({ asked: { ...store.state.asked, [place]: text } });
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void write(), PAUSE) as unknown as number;
  };
  await hear();
  return all(
    () => clearTimeout(timer),
    store.watch(["asked"], () => void hear()),
    watch(soon),
  );
}
