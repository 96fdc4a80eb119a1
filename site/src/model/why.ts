// Why a task is where it is, in words: the decision, what became of each
// candidate, and the messages that led there.
import { clock } from "../base/format.ts";
import type { Decision } from "../base/messages.ts";

export type Candidate = Decision["candidates"][number];

/** One sentence on a decision about a task that is on the node here; placer is who places new tasks. */
export function sentence(decision: Decision, name: string, here: number, placer: string): string {
  const { from, to } = decision;
  if (decision.told) return decision.told;
  const when = clock(decision.at);
  const forced = decision.forced ? " (forced)" : "";
  if (to < 0) return from < 0 ? `No node took task ${name} at ${when}.` : `Node ${from} looked for another node for task ${name} at ${when} and found nobody to take it.`;
  if (from < 0) return `Task ${name} was placed on node ${to} by ${placer} at ${when}${forced}.`;
  if (to === here) return `Task ${name} was moved from node ${from} to node ${to} at ${when}${forced}.`;
  return `Node ${from} told node ${to} to take task ${name} at ${when}${forced}; it is still on node ${here}.`;
}

/** What a candidate is called. */
export function nameOf({ name, node }: Candidate): string {
  return name ?? `node ${node}`;
}

/** The candidates, the best score first, or as the system ranks them. */
export function ranked({ candidates, ranked: given }: Decision): Candidate[] {
  if (given) return candidates;
  const first = (candidate: Candidate) => Number(candidate.answer === "chosen");
  return [...candidates].sort((a, b) => b.score - a.score || first(b) - first(a) || a.node - b.node);
}

/** What became of a candidate: a sign and words that say why it is not the one. */
export function answer(candidate: Candidate, decision: Decision): { sign: string; words: string } {
  const { sign, words } = usual(candidate, decision);
  return { sign, words: candidate.why ?? words };
}

function usual({ answer: given, score }: Candidate, decision: Decision): { sign: string; words: string } {
  switch (given) {
    case "chosen":
      return { sign: "★", words: decision.forced ? "chosen, by force" : "chosen" };
    case "accepted":
      if (score === 0) return { sign: "✓", words: "accepted, but scores nothing" };
      return { sign: "✓", words: decision.from < 0 ? "has room; another was chosen" : "accepted; another was chosen" };
    case "rejected":
      return { sign: "✗", words: "rejected: cannot take it" };
    case "refused":
      return { sign: "✗", words: "refused at the last moment" };
    case "silent":
      return { sign: "?", words: "did not answer" };
    case "forced":
      return { sign: "!", words: "takes it only by force" };
  }
  return { sign: "·", words: given };
}

/** One message behind a decision; a party is a node's number, or who stands between nodes by its role's name. */
export interface Step {
  from: number | string;
  to: number | string;
  text: string;
}

const DRAWN = 8; // candidates; the chosen one is always among them

/** The messages behind a decision, in order, with at most DRAWN of its candidates; none where nobody stands between the nodes and sends any. */
export function steps(decision: Decision, between: string | undefined): { parties: Step["from"][]; steps: Step[]; left: number } {
  const { from, to, forced } = decision;
  if (between === undefined) return { parties: [], steps: [], left: 0 };
  if (from < 0) return { parties: [between, to], steps: to < 0 ? [] : [{ from: between, to, text: forced ? "take this task, by force" : "take this task" }], left: 0 };
  const order = ranked(decision).sort((a, b) => Number(b.answer === "chosen") - Number(a.answer === "chosen"));
  const shown = order.slice(0, DRAWN);
  const list: Step[] = [
    { from, to: between, text: "where could it go?" },
    { from: between, to: from, text: `${order.length} ${order.length === 1 ? "candidate" : "candidates"}` },
  ];
  for (const { node } of shown) list.push({ from, to: node, text: "would you take it?" });
  for (const { node, answer: given } of shown) {
    if (given === "rejected") list.push({ from: node, to: from, text: "no" });
    else if (given === "accepted" || given === "refused" || (given === "chosen" && !forced)) list.push({ from: node, to: from, text: "yes" });
  }
  for (const { node, answer: given } of shown) {
    if (given === "refused") list.push({ from, to: node, text: "take it" }, { from: node, to: from, text: "no, not any more" });
  }
  if (to >= 0) list.push({ from, to, text: forced ? "take it, by force" : "take it" });
  return { parties: [from, between, ...shown.map(({ node }) => node)], steps: list, left: order.length - shown.length };
}

/** A party in words. */
export function party(who: Step["from"]): string {
  return typeof who === "string" ? `the ${who}` : `node ${who}`;
}
