// What another scheduler would have made of the same fault: its run from the start, out of
// sight, up to the present moment.
import { duration } from "../../../base/format.ts";
import type { Incident } from "../../../base/messages.ts";
import { type Playing, Pool } from "../../../model/pool.ts";
import { contestOf, type Rival, usualChoice } from "../../../model/rivals.ts";
import type { State, Store } from "../../../model/store.ts";
import { keyOf } from "./sentence.ts";

/** Returns the scheduler that is asked: the first one of another system, else of another policy. */
export function otherOf({ scenario, systems, shape, traceFiles }: State<"engine" | "run">): Rival | undefined {
  const contest = contestOf(scenario, systems, { shape, files: traceFiles.length > 0 });
  return contest?.others.find(({ id }) => usualChoice(contest).includes(id));
}

let playing: Playing | undefined;

/** Plays another scheduler up to the present, and keeps the state's alternative up to date; another question ends this one. */
export function askOther(store: Store<"engine" | "run" | "reported">, fault: Incident): void {
  playing?.end();
  const { state } = store;
  const other = otherOf(state);
  const tell = (line: string) => store.set({ alternative: { fault: keyOf(fault), name: other?.name ?? "another scheduler", line } });
  if (!other) return tell("No other system can play this scenario.");
  const until = state.status?.at ?? fault.at;
  let came: Incident | undefined;
  tell("Replaying …");
  playing = new Pool(store.begin, false).play({ ...other.scenario, until: duration(until) }, state.traceFiles, (message) => {
    if (message.type === "incidents")
      came = message.incidents.find(({ at, subject }) => at === fault.at && subject === fault.subject) ?? came;
    if (message.type === "status") tell(`Replaying: ${Math.floor((100 * message.status.at) / Math.max(1, until))} %`);
    if (message.type === "trouble") tell(message.trouble.sentence);
    if (message.type !== "ended") return;
    playing?.end();
    tell(came?.cost ?? "Nothing failed there.");
  });
}
