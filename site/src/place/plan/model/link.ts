// The planner's instance in the address: what is planned and by which algorithm.
import { type Asking, fits } from "../../../model/placelink.ts";
import { emptyPlanner, type Planner, type PlannerState } from "./planner.ts";

/** What is planned, as a link has it. */
export function instanceOf({ kind, chosen, load, workers, names, hosts, jobs, raw, graph }: PlannerState) {
  const by = { kind, algorithm: chosen[kind] };
  if (kind === "load") return { ...by, load, workers, names };
  if (kind === "graph") return { ...by, graph };
  return raw ? { ...by, raw } : { ...by, hosts, jobs };
}

const EMPTY = { ...emptyPlanner(), names: [""] };
const SAMPLES = [
  instanceOf(EMPTY),
  instanceOf({ ...EMPTY, kind: "jobs" }),
  instanceOf({ ...EMPTY, kind: "jobs", raw: { name: "", text: "" } }),
  instanceOf({ ...EMPTY, kind: "graph" }),
];

/** The planner as a place whose question a link has. */
export function askingPlan(planner: Planner): Asking {
  return {
    place: "plan",
    name: "plan",
    tell: () => {
      const instance = instanceOf(planner.state);
      return JSON.stringify(instance) === JSON.stringify(instanceOf(emptyPlanner())) ? undefined : instance;
    },
    take: (value = instanceOf(emptyPlanner())) => {
      const sample = SAMPLES.find((one) => fits(value, one) && value.kind === one.kind);
      if (!sample) return false;
      const instance = value as Record<string, unknown> & { algorithm: string };
      const { chosen } = planner.state;
      planner.open({
        raw: undefined,
        grid: undefined,
        ...Object.fromEntries(Object.keys(sample).map((key) => [key, instance[key]])),
        chosen: { ...chosen, [sample.kind]: instance.algorithm },
      });
      return true;
    },
    watch: (listener) => planner.watched.watch(["planner"], listener),
  };
}
