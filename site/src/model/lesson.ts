// A lesson: the notes of a scenario, which a reader steps through on the timeline.
import { parseDuration } from "../base/format.ts";
import type { Scenario, Step } from "../base/scenario.ts";
import { cellsOfRack } from "./grid.ts";
import { select, showCells } from "./look.ts";
import { seek } from "./run.ts";
import type { Store } from "./store.ts";

/** A step with its moment in µs. */
export interface Moment extends Step {
  us: number;
}

/** The steps of a scenario in the order of time; those without a readable moment are left out. */
export function stepsOf(scenario: Scenario | undefined): Moment[] {
  const notes = scenario?.notes;
  if (!Array.isArray(notes)) return [];
  return notes.flatMap((step) => {
    const us = parseDuration(String(step.at));
    return us === undefined ? [] : [{ ...step, us }];
  });
}

/** The step at which a moment stands: the last that has come; -1 before the first. */
export function stepAt(steps: Moment[], at: number): number {
  return steps.findLastIndex(({ us }) => us <= at);
}

/** The step at which a run that plays is to stop: one with a pause that came since the moment before; -1 if none. */
export function stopAt(steps: Moment[], before: number, at: number): number {
  return steps.findIndex(({ us, pause }) => pause === true && before < us && us <= at);
}

/** The first sentence of a step, as its title. */
export function titleOf({ text }: Step): string {
  return /^.*?[.:?](?= |$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text;
}

/** Goes to a step: its moment, its place on the map, its tab. */
export function goToStep(store: Store, step: Moment): void {
  if (step.pause) store.send({ type: "pause" });
  seek(store, step.us);
  if (step.show) store.set({ tab: step.show });
  const [kind, number] = (step.focus ?? "").split(".");
  const { grid } = store.state;
  if (kind === "rack" && grid) showCells(store, cellsOfRack(grid, Number(number)));
  else if (kind === "node") showCells(store, [Number(number)]);
  if (!step.focus) select(store, -1);
}
