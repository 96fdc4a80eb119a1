// A lesson: the notes of a scenario, which a reader steps through on the timeline.
import { parseDuration } from "../base/format.ts";
import type { Scenario, Step } from "../base/scenario.ts";
import { cellsOfRack } from "./grid.ts";
import { fitAll, select, showCells } from "./look.ts";
import { seek } from "./run.ts";
import { same } from "./scenario.ts";
import type { Moment, State, Store } from "./store.ts";
import { all } from "./watched.ts";

/** The steps of a scenario in the order of time; those without a readable moment are left out. */
export function stepsOf(scenario: Scenario | undefined): Moment[] {
  const notes = scenario?.notes;
  if (!Array.isArray(notes)) return [];
  return notes.flatMap((step) => {
    const us = parseDuration(String(step.at));
    return us === undefined ? [] : [{ ...step, us }];
  });
}

/** The steps of the present scenario; none where its system or its cluster is another than the one that they describe. */
export function lessonOf({ scenario, base, bases }: Pick<State, "scenario" | "base" | "bases">): Moment[] {
  const about = bases[base] ?? scenario;
  return about?.system === scenario?.system && same(about?.cluster, scenario?.cluster) ? stepsOf(scenario) : [];
}

/** The step of a moment: the last that has come, of several at once the chosen one or the first; -1 before the first. */
export function stepAt(steps: Moment[], at: number, chosen = -1): number {
  const last = steps.findLast(({ us }) => us <= at);
  if (!last) return -1;
  return steps[chosen]?.us === last.us ? chosen : steps.findIndex(({ us }) => us === last.us);
}

/** The step at which a run that plays is to stop: one with a pause that came since the moment before; -1 if none. */
export function stopAt(steps: Moment[], before: number, at: number): number {
  return steps.findIndex(({ us, pause }) => pause === true && before < us && us <= at);
}

/** The first sentence of a step as its title, and the rest. */
export function partsOf({ text }: Step): [title: string, rest: string] {
  const first = /^.*?[.:?](?= |$)/.exec(text)?.[0] ?? text;
  return [first.replace(/[.:]$/, ""), text.slice(first.length).trim()];
}

/** Goes to a step: its moment, its place on the map, its tab. */
export function goToStep(store: Store<"run" | "reported" | "look" | "chosen" | "page">, to: number): void {
  const step = store.state.lesson[to];
  if (!step) return;
  if (step.pause) store.send({ type: "pause" });
  seek(store, step.us);
  const { tab, presenting } = store.state;
  const stays = tab === "lesson" && !presenting; // where the lesson is a tab itself
  store.set({ step: to, heading: true, ...(step.show && !stays ? { tab: step.show } : {}) });
  const [kind, number] = (step.focus ?? "").split(".");
  const { grid } = store.state;
  if (presenting && step.show === "gantt")
    fitAll(store); // a strip of cells above the chart, which names what failed
  else if (kind === "rack" && grid) showCells(store, cellsOfRack(grid, Number(number)));
  else if (kind === "node") showCells(store, [Number(number)]);
  if (!step.focus) select(store, -1);
}

/** Keeps the step of the present moment, and stops a lesson that was begun where a step says so. */
export function followLesson(store: Store): () => void {
  let begun = false;
  let before = 0;
  return all(
    store.watch(["scenario", "bases"], () => {
      const lesson = lessonOf(store.state);
      if (JSON.stringify(lesson) === JSON.stringify(store.state.lesson)) return;
      begun = false;
      store.set({ lesson, step: stepAt(lesson, store.state.status?.at ?? 0), heading: false });
    }),
    store.watch(["status"], () => {
      const { status, lesson, step, heading } = store.state;
      if (!status || lesson.length === 0) return;
      if (heading) {
        begun = true;
        before = status.at;
        if (status.at === lesson[step].us || status.ended) store.set({ heading: false });
        return;
      }
      begun ||= store.state.presenting; // before a hall, a run that plays is the lesson
      const stop = begun && status.playing ? stopAt(lesson, before, status.at) : -1;
      before = status.seeking ? Number.POSITIVE_INFINITY : status.at; // a seek passes steps without stopping
      if (stop >= 0) return goToStep(store, stop); // also back to its very moment
      const now = stepAt(lesson, status.at, step);
      if (now === step) return;
      const show = store.state.presenting ? lesson[now]?.show : undefined;
      store.set({ step: now, ...(show ? { tab: show } : {}) });
    }),
  );
}
