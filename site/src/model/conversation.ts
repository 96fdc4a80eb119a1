// A conversation as pictures need it: who stands in the sequence diagram, which
// messages are drawn, and the offers of each item by round.
import type { Conversation, Line } from "../base/messages.ts";

/** An arrow between two parties, by their places. */
export interface Arrow {
  from: number;
  to: number; // -1: all
  text: string;
  kind: "plain" | "no" | "take";
}

const SHOWN = 8; // parties of a diagram

/** The parties of a diagram, up to a limit, and its messages: those of the decisive messages first, then those who say most. */
export function diagramOf(
  { messages }: Pick<Conversation, "messages">,
  most = SHOWN,
): { parties: string[]; arrows: Arrow[]; left: number } {
  const first: string[] = [];
  const often = new Map<string, number>();
  for (const { from, to, minor } of messages) {
    for (const who of [from, to]) {
      if (who === "") continue;
      if (!minor && !first.includes(who)) first.push(who);
      often.set(who, (often.get(who) ?? 0) + 1);
    }
  }
  const others = [...often.keys()].filter((who) => !first.includes(who)).sort((a, b) => (often.get(b) ?? 0) - (often.get(a) ?? 0));
  const parties = [...first, ...others].slice(0, most);
  const drawn = messages.filter(({ from, to }) => parties.includes(from) && (to === "" || parties.includes(to)));
  const arrows = drawn.map(
    ({ from, to, text, no, minor }): Arrow => ({
      from: parties.indexOf(from),
      to: to === "" ? -1 : parties.indexOf(to),
      text,
      kind: no ? "no" : minor ? "plain" : "take",
    }),
  );
  return { parties, arrows, left: messages.length - drawn.length };
}

/** The offers of one item: by round what was asked for and every bid, and who leads after it. */
export interface Offers {
  item: string;
  rounds: { number: number; asked: number; bids: { by: string; price: number }[]; refusals: { by: string; why: string }[]; best: number }[]; // best: the lowest bid so far; Infinity if there is none
  deal: { by: string; price: number } | undefined;
}

/** The items of a conversation in their order. */
export function offersOf({ rounds, deals }: Conversation): Offers[] {
  const items = new Map<string, Offers>();
  for (const { item, number, askingPrice: asked, bids } of rounds) {
    const offers = items.get(item) ?? { item, rounds: [], deal: deals.find((deal) => deal.item === item) };
    items.set(item, offers);
    const named = bids.filter(({ why }) => !why);
    const best = Math.min(offers.rounds.at(-1)?.best ?? Infinity, ...named.map(({ price }) => price));
    offers.rounds.push({ number, asked, bids: named, refusals: bids.flatMap(({ by, why }) => (why ? [{ by, why }] : [])), best });
  }
  return [...items.values()];
}

/** The prices that a picture of offers spans: all bids and what was asked for, with a little room. */
export function spanOf(all: Offers[]): [low: number, high: number] {
  const prices = all.flatMap(({ rounds }) => rounds.flatMap(({ asked, bids }) => [asked, ...bids.map(({ price }) => price)]));
  if (prices.length === 0) return [0, 1];
  const low = Math.min(...prices);
  const high = Math.max(...prices);
  const room = Math.max(1e-9, (high - low) * 0.08, high * 0.02);
  return [Math.max(0, low - room), high + room];
}

/** Every party with what it answered in each round, those with the lowest last price first. */
export function answersOf({ rounds }: Offers): { by: string; answers: string[] }[] {
  const last = new Map<string, number>();
  for (const { bids, refusals } of rounds) {
    for (const { by, price } of bids) last.set(by, price);
    for (const { by } of refusals) if (!last.has(by)) last.set(by, Infinity);
  }
  const names = [...last.keys()].sort((a, b) => (last.get(a) ?? 0) - (last.get(b) ?? 0) || (a < b ? -1 : 1));
  return names.map((by) => ({
    by,
    answers: rounds.map(({ bids, refusals }) => {
      const bid = bids.find((one) => one.by === by);
      return bid ? String(bid.price) : (refusals.find((one) => one.by === by)?.why ?? "–");
    }),
  }));
}

/** The groups that the latest lines are about, the newest first. */
export function groupsOf(lines: Line[]): number[] {
  return [...new Set(lines.flatMap(({ ref }) => (ref ? [ref] : [])))];
}
