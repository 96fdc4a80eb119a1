// The comparison in the address: what a link says of it is chosen, started or watched
// as soon as the run is there, and what the viewer chooses is told to the address.
import { duration, parseDuration } from "../../../base/format.ts";
import { type Compared, comparisonText, MOST_RIVALS } from "../../../model/address.ts";
import { forkOf } from "../../../model/courses.ts";
import { same } from "../../../model/scenario.ts";
import { all, type State, type Store } from "../../../model/store.ts";
import type { Comparison } from "./compare.ts";
import type { Pair } from "./pair.ts";

/** What a link calls the course that the one on the page was forked from. */
const PARENT = "parent";

/** The id of that course here; undefined where there is none. */
const parentOf = ({ branches, branch }: State<"reported">) =>
  forkOf({ branches, branch }) ? `course.${branches[branch].parent}` : undefined;

/** What a link says of the comparison as it is. A course of the run is known here alone, unless it is the parent. */
export function comparedOf(store: Store<"run" | "reported">, comparison: Comparison, pair: Pair): Compared {
  const { scenario } = store.state;
  const { chosen, until, seeds, runs, to } = comparison.state;
  const linked = (ids: string[]) => ids.map((id) => (id === parentOf(store.state) ? PARENT : id)).filter((id) => !id.startsWith("course."));
  const own = (its: unknown) => its === scenario || same(its, scenario);
  const started = runs.length > 0 && linked(runs.slice(1).map(({ id }) => id)).length === runs.length - 1 && own(runs[0].scenario);
  const { sides, view, target } = pair.state;
  const beside = sides.length > 0 && sides.some(({ rival }) => own(rival.scenario));
  const many = Number(seeds);
  const ids = started
    ? linked(runs.slice(1).map(({ id }) => id))
    : chosen || beside
      ? linked(comparison.chosen().map(({ id }) => id))
      : undefined;
  return {
    ...(ids?.length ? { rivals: ids } : {}),
    until: started ? to : parseDuration(until),
    seeds: started ? runs[0].repeats.length + 1 : Number.isInteger(many) && many > 0 ? many : undefined,
    ...(started ? { started } : {}),
    ...(beside ? { beside: view, besideAt: target } : {}),
  };
}

/** Keeps address and comparison alike; returns the way to stop. */
export function followLink(store: Store<"engine" | "run" | "reported" | "page">, comparison: Comparison, pair: Pair): () => void {
  let known = comparisonText(comparedOf(store, comparison, pair)); // what both say
  let waiting: Compared | undefined; // until its run is there
  const tell = () => {
    if (waiting) return;
    const now = comparedOf(store, comparison, pair);
    const text = comparisonText(now);
    if (text === known) return;
    known = text;
    store.set({ comparison: now });
  };
  const follow = () => {
    if (!waiting || store.state.session.is !== "running" || !store.state.status || !comparison.contest()) return;
    const wanted = waiting;
    waiting = undefined;
    open(store, comparison, pair, wanted);
    known = comparisonText(wanted);
    tell();
  };
  const hear = () => {
    const text = comparisonText(store.state.comparison);
    if (text === known && !waiting) return;
    waiting = store.state.comparison;
    follow();
  };
  return all(
    store.watch(["comparison"], hear),
    store.watch(["session", "status", "systems", "scenario"], follow),
    store.watch(["scenario", "branches", "branch"], tell),
    comparison.watched.watch(["compare"], tell),
    pair.watched.watch(["sides", "view", "target"], tell),
  );
}

/** Chooses what a link says, and starts or watches it where its sender did. */
function open(store: Store<"run" | "reported" | "page">, comparison: Comparison, pair: Pair, wanted: Compared): void {
  const { until, seeds, started, beside, besideAt } = wanted;
  const rivals = wanted.rivals?.map((id) => (id === PARENT ? (parentOf(store.state) ?? id) : id));
  const text = (part: Compared) => comparisonText({ rivals: part.rivals, until: part.until, seeds: part.seeds, started: part.started });
  if (text(comparedOf(store, comparison, pair)) !== text(wanted)) {
    comparison.clear();
    comparison.set({ chosen: rivals, until: until === undefined ? "" : duration(until), seeds: seeds === undefined ? "" : String(seeds) });
    if (started) comparison.start();
  }
  const known = comparison.contest()?.others.map(({ id }) => id) ?? [];
  const lost = (rivals ?? []).filter((id) => !known.includes(id)).slice(0, MOST_RIVALS);
  if (lost.length > 0)
    store.set({
      notice: `The link compares with ${lost.map((id) => `“${id}”`).join(", ")}, which cannot play this scenario here; the rest is compared.`,
    });
  if (!beside) return pair.end();
  if (pair.state.sides.length === 0) comparison.watch(pair, besideAt);
  pair.lay(beside);
}
