// The story as a ledger: one line an event, with its count, its look and its age, the
// newest first. Notes were counted by the run; faults are counted here.
import { clock, count, digits, number } from "../../../base/format.ts";
import type { Counted, Incident, Line } from "../../../base/messages.ts";
import { agentFaults, nodeName } from "../../../model/faults.ts";
import type { State } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";
import { endedWords, keyOf, waitingOf, waitingWords } from "./sentence.ts";

export type Look = "new" | "good" | "move" | "no" | "warn" | "bad";

/** What stands below a line when it is open: a number with its noun, or a note with its time. */
export type Detail = { count: string; words: string } | Line;

/** One line of the ledger. */
export interface Entry {
  key: string; // the same while it grows
  look: Look;
  count: string;
  words: string;
  at: number; // µs, of the latest of it
  details: Detail[];
  of?: Incident; // what the map shows of it
}

const LOOKS: readonly string[] = ["new", "good", "move", "no", "warn", "bad"] satisfies Look[];

type Told = Pick<State, "counted" | "incidents" | "scenario" | "systems" | "status" | "grid">;

/** Returns the newest lines up to now, at most n. */
export function ledger(state: Told, n: number): Entry[] {
  const now = state.status?.at ?? 0;
  const system = systemOf(state);
  const happenings = system?.story ?? [];
  const entries = [
    ...state.incidents.filter(({ at }) => at <= now).map((one) => faultEntry(one, nodeName(system))),
    ...agentFaults(state.scenario, now, system, state.grid).map(
      ({ at, what }): Entry => ({ key: `${what} ${at}`, look: "bad", count: "1", words: `fault: ${what}`, at, details: [] }),
    ),
    ...state.counted.flatMap((group): Entry[] => {
      const told = happenings.find(({ kind }) => kind === group.kind);
      return told && group.at <= now ? [noteEntry(group, told)] : [];
    }),
  ];
  return entries.sort((a, b) => b.at - a.at).slice(0, n);
}

function noteEntry({ kind, count: n, since, at, truncated, lines }: Counted, told: { one: string; many: string; look: string }): Entry {
  const rest = n - lines.length;
  return {
    key: `${kind} ${since}`,
    look: LOOKS.includes(told.look) ? (told.look as Look) : "new",
    count: `${rounded(n)}${truncated ? "+" : ""}`,
    words: n === 1 && !truncated ? told.one : told.many,
    at,
    details: [...lines, ...(rest >= 1 && since < (lines.at(-1)?.at ?? since) ? [{ count: "", words: `since ${clock(since)}` }] : [])],
  };
}

function faultEntry(one: Incident, node: string): Entry {
  const { lost, again, ended, noun, nodes, whole, back, healed, summary, cost, subject, at } = one;
  const place = `${whole ? "in" : "on"} ${subject.toLowerCase()}`;
  const waiting = waitingOf(one);
  const details: Detail[] = lost > 0 ? [{ count: count(again), words: "ran again" }] : [];
  if (waiting > 0) details.push({ count: count(waiting), words: waitingWords(one) });
  if (ended > 0) details.push({ count: count(ended), words: endedWords(one) });
  details.push({ count: "", words: lost > 0 ? `Cost: ${cost}` : summary });
  if (back > 0)
    details.push({
      count: count(back),
      words: `of ${number(nodes, node)} back${healed ? ` at ${clock(healed)}` : ""}`,
    });
  return {
    key: keyOf(one),
    look: "bad",
    count: count(lost > 0 ? lost : nodes),
    words:
      lost > 0 ? `${noun}${lost === 1 ? "" : "s"} stopped ${place}` : `${node}${nodes === 1 ? "" : "s"} failed: ${subject.toLowerCase()}`,
    at,
    details,
    of: one,
  };
}

const rounded = (n: number) => (n < 10 ? digits(n) : count(n));
