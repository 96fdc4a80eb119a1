// The courses of a run: the first, and those that began when somebody acted in the
// past of another. Each is kept, has a name, and can be gone back to or compared.
import { duration } from "../base/format.ts";
import type { Branch, SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { actInWords } from "./faults.ts";
import type { Grid } from "./grid.ts";
import type { Rival } from "./rivals.ts";
import type { State } from "./store.ts";
import { systemOf } from "./systems.ts";

/** What a course is called: "branch at 6m: rack 137 is down". */
export function courseName({ parent, at, act, target, value }: Branch, system: SystemInfo | undefined, grid?: Grid): string {
  if (parent < 0) return "original";
  return `branch at ${duration(at)}: ${actInWords({ kind: act, target, value }, system, grid)}`;
}

/** The names of all courses; empty while there is but one. */
export function courseNames(state: Pick<State, "branches" | "systems" | "scenario" | "resolvedScenario"> & { grid?: Grid }): string[] {
  const system = systemOf({ systems: state.systems, scenario: state.scenario ?? state.resolvedScenario });
  const names = state.branches.map((branch) => courseName(branch, system, state.grid));
  return names.length > 1 ? names.map((name, i) => (names.indexOf(name) < i ? `${name}, again` : name)) : [];
}

/** The number of the act, from 1, that began the course that is played; undefined of the first. */
export function forkOf({ branches, branch }: Pick<State, "branches" | "branch">): number | undefined {
  const course = branches[branch];
  return course && course.parent >= 0 ? course.shared + 1 : undefined;
}

/** The other courses of the run on the page, as what it can be compared with. */
export function otherCourses(state: Pick<State, "branches" | "branch" | "systems" | "scenario" | "resolvedScenario">): Rival[] {
  const { scenario, branches, branch } = state;
  if (!scenario) return [];
  return courseNames(state).flatMap((name, i) =>
    i === branch ? [] : [{ id: `course.${i}`, name, scenario: withFaults(scenario, branches[i].scenario) }],
  );
}

function withFaults({ faults: _, ...scenario }: Scenario, { faults }: Scenario): Scenario {
  return faults && faults.length > 0 ? { ...scenario, faults } : scenario;
}
