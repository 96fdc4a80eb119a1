// Why a task is where it is, in words: the decision, and what became of each
// candidate. What candidates answer, and what agents tell one another, a system's
// description and its decisions say.
import { clock } from "../../../base/format.ts";
import type { Decision, SystemInfo } from "../../../base/messages.ts";

export type Candidate = Decision["candidates"][number];

/** What every system calls the candidate that was taken. */
export const CHOSEN = "chosen";

/** One sentence on a decision about a task that is on the node here; placer is who places new tasks. */
export function sentence(decision: Decision, name: string, here: number, placer: string, node = "node"): string {
  const { from, to } = decision;
  if (decision.summary) return decision.summary;
  const when = clock(decision.at);
  const forced = decision.forced ? " (forced)" : "";
  if (to < 0)
    return from < 0 ? `No ${node} took task ${name} at ${when}.` : `No other ${node} took task ${name} of ${node} ${from} at ${when}.`;
  if (from < 0) return `Task ${name} was placed on ${node} ${to} by ${placer} at ${when}${forced}.`;
  if (to === here) return `Task ${name} was moved from ${node} ${from} to ${node} ${to} at ${when}${forced}.`;
  return `Task ${name} was to move from ${node} ${from} to ${node} ${to} at ${when}${forced}; it is still on ${node} ${here}.`;
}

/** What a candidate is called. */
export function nameOf({ name, node }: Candidate, noun = "node"): string {
  return name ?? `${noun} ${node}`;
}

/** The candidates, the best score first, or as the system ranks them. */
export function ranked({ candidates, ranked: given }: Decision): Candidate[] {
  if (given) return candidates;
  const first = (candidate: Candidate) => Number(candidate.answer === CHOSEN);
  return [...candidates].sort((a, b) => b.score - a.score || first(b) - first(a) || a.node - b.node);
}

/** What became of a candidate: a sign and words, its own before those of the system's description. */
export function answer(candidate: Candidate, system: SystemInfo | undefined): { sign: string; words: string } {
  const known = system?.answers?.find(({ id }) => id === candidate.answer);
  return { sign: known?.sign ?? "·", words: candidate.why ?? known?.words ?? candidate.answer };
}
