// The question of a card of the gallery that was opened, and its answer: the finding that was
// recorded of this very run, once the run has come to its moment.
import { clock, number, parseDuration, percent, SECOND } from "../base/format.ts";
import type { Scenario } from "../base/scenario.ts";
import { same } from "./scenario.ts";
import { loadingOf } from "./session.ts";
import type { Entry, State } from "./store.ts";

/** What is said of a question now. */
export interface Pinned {
  card: Entry;
  is: "starting" | "waiting" | "answered" | "changed";
  words: string;
  share: number; // of the way to the answer, or of the start
}

type Known = Pick<State, "session" | "question" | "gallery" | "status" | "scenario" | "base" | "bases">;

/** The card on whose start the viewer waits: its run is not there yet. */
export function startingCard({ session, question, gallery }: Pick<State, "session" | "question" | "gallery">): Entry | undefined {
  const id = session.is === "opening" ? session.request.question : session.is === "running" && session.arrival ? question : undefined;
  return id ? gallery.find((entry) => entry.id === id) : undefined;
}

/** The question that is shown; undefined if there is none. */
export function pinnedOf(state: Known): Pinned | undefined {
  const starting = startingCard(state);
  if (starting) return { card: starting, is: "starting", ...started(state, starting) };
  const { question, gallery, status, scenario, base, bases } = state;
  const card = question ? gallery.find((entry) => entry.id === question) : undefined;
  if (!card) return undefined;
  const { opens, moment } = card;
  const at = status?.at ?? 0;
  const share = Math.max(0, Math.min(1, (at - opens) / (moment - opens)));
  if (base !== card.id || changed(scenario, bases[card.id], moment))
    return { card, is: "changed", words: `This run was changed before ${clock(moment)}, so the recorded answer is not about it.`, share };
  if (at >= moment) return { card, is: "answered", words: card.finding, share: 1 };
  return { card, is: "waiting", words: waits(at, moment, status), share };
}

/** Whether a run is another one up to a moment than that of the gallery's scenario. */
function changed(scenario: Scenario | undefined, base: Scenario | undefined, moment: number): boolean {
  if (!scenario || !base) return false;
  const parts = ({ system, seed, cluster, workload, settings, faults }: Scenario) => ({
    ...{ system, seed, cluster, workload, settings },
    faults: (faults ?? []).length,
  });
  const [mine, its] = [parts(scenario), parts(base)];
  const later = (scenario.faults ?? []).slice(base.faults?.length ?? 0);
  const first = (scenario.faults ?? []).slice(0, base.faults?.length ?? 0);
  return (
    !same({ ...mine, faults: 0 }, { ...its, faults: 0 }) ||
    !same(first, base.faults ?? []) ||
    later.some(({ at }) => (parseDuration(String(at)) ?? 0) < moment)
  );
}

function started({ session }: Pick<State, "session">, { opens }: Entry): { words: string; share: number } {
  const loading = loadingOf(session);
  if (!loading || loading.total <= 0) return { words: `The run starts and is played to ${clock(opens)}.`, share: 0 };
  const share = Math.min(1, loading.done / loading.total);
  const done = `${percent(loading.done, loading.total)} %`;
  if (loading.phase === "seeking") return { words: `The run is played to ${clock(opens)}: ${clock(loading.done)}, ${done}.`, share };
  return { words: `The run starts: ${done} of its tasks have arrived.`, share };
}

const LONG = 600; // seconds of watching that are counted down

function waits(at: number, moment: number, status: State["status"]): string {
  if (!status?.playing) return `The answer comes at ${clock(moment)}. Play the run to see it.`;
  const speed = status.slowed || status.speed;
  const left = speed > 0 ? Math.ceil((moment - at) / SECOND / speed) : 0;
  if (left === 0 || left > LONG) return `The answer comes at ${clock(moment)}.`;
  return `The answer comes in ${number(left, "second")}, at ${clock(moment)}.`;
}
