// The Gantt tab: the course of the running load beside what was planned, with
// the same as tables. It belongs to systems that hand out a divisible load.
import { atMostEvery, h, render, say, type TemplateResult } from "../base/dom.ts";
import { digits, number, SECOND } from "../base/format.ts";
import { Course, roundRows, workerRows } from "../model/course.ts";
import { focus, select } from "../model/look.ts";
import { all, type Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";
import { figures, Gantt } from "./gantt.ts";
import { type Moment, time } from "./ganttdraw.ts";

const LISTED = 200; // rows of a table

export function mountGantt(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  const chart = new Gantt("What is sent and computed", (worker) => {
    select(store, worker);
    focus(store);
  });
  const note = h("p.quiet");
  const tables = h("div.tables");
  const shown = h("details", {}, h("summary", {}, "The same as tables"), tables);
  const body = h("div.course", {}, note, chart.element, shown);
  element.replaceChildren(body);
  const names = (worker: number) => `${systemOf(store.state)?.node ?? "node"} ${worker}`;
  const nothing = new Course();
  let listed: number | undefined;
  const draw = () => {
    const { course, status, grid } = store.state;
    const now = (status?.at ?? 0) / SECOND;
    const seen = course ?? nothing;
    if (seen.port && grid) seen.lane(grid.cells - 1); // also of workers to which nothing was sent yet
    chart.show({ course: seen, moments: moments(seen, now), now, names });
    say(note, summary(seen));
  };
  const list = () => {
    const { course, status } = store.state;
    if (!course || !shown.open || course.version === listed) return;
    listed = course.version;
    render(courseTables(course, (status?.at ?? 0) / SECOND, names, systemOf(store.state)?.group), tables);
  };
  shown.addEventListener("toggle", list);
  return all(() => chart.end(), store.watch(["course", "status", "light"], draw), store.watch(["course"], atMostEvery(1000, list)));
}

/** The workers and the rounds of a course as tables. */
export function courseTables(course: Course, now: number, names: (worker: number) => string, group = "round"): TemplateResult[] {
  const seconds = (at: number) => (Number.isNaN(at) ? "–" : time(at, Math.min(10, course.latest)));
  const end = Number.isNaN(course.finished) ? now : course.finished;
  const workers = workerRows(course, now);
  const rounds = roundRows(course);
  const more = (n: number, what: string) => (n > LISTED ? `and ${n - LISTED} more ${what}` : "");
  return [
    figures(
      group === "round" ? "Rounds" : "Graphs",
      [group, "pieces", "work units", "smallest", "largest", "from, s", "to, s"],
      rounds
        .slice(0, LISTED)
        .map(({ round, pieces, amount, least, most, from, to }) => [
          round > 0 ? round : "unplanned",
          pieces,
          digits(amount),
          digits(least),
          digits(most),
          seconds(from),
          seconds(to),
        ]),
      more(rounds.length, `${group}s`),
    ),
    figures(
      "Workers",
      ["worker", "pieces", "work units", "computes, s", "idle", "from, s", "to, s", "lost"],
      workers
        .slice(0, LISTED)
        .map(({ worker, pieces, amount, busy, first, last, lost }) => [
          names(worker),
          pieces,
          digits(amount),
          seconds(busy),
          end > 0 ? `${Math.round(100 * Math.max(0, 1 - busy / end))} %` : "–",
          seconds(first),
          seconds(last),
          digits(lost),
        ]),
      more(workers.length, "workers"),
    ),
  ];
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

function moments(course: Course, now: number): Moment[] {
  const list: Moment[] = [
    { at: numberOf(course.figures.makespan_planned_s), name: "planned end", kind: "planned" },
    { at: numberOf(course.figures.makespan_predicted_s), name: "by the formula", kind: "formula" },
    { at: course.finished, name: "real end", kind: "real" },
    { at: Number.isNaN(course.finished) ? now : NaN, name: "now", kind: "now" },
  ];
  const known = list.filter(({ at }) => at > 0);
  const [planned, formula] = known;
  return planned?.kind === "planned" && formula?.kind === "formula" && Math.abs(formula.at / planned.at - 1) < 1e-3
    ? known.filter((one) => one !== formula)
    : known;
}

function summary(course: Course): string {
  const { figures: told, whole, lost, pieces, finished } = course;
  if (pieces.length === 0) return told.algorithm === undefined ? "Nothing has been computed yet." : "Nothing has been sent yet.";
  if (told.algorithm === undefined)
    return [
      `${number(course.rounds, "graph")} so far`,
      `${number(pieces.length, "subtask")}, coloured by graph`,
      ...(course.intents.some((lane) => lane.length > 0) ? ["outlines above are what was planned"] : []),
      ...(lost > 0 ? [`✕ ${digits(lost)} work units were stopped or lost`] : []),
      ...(whole ? [] : ["only the first are kept"]),
    ].join(" · ");
  const rounds = numberOf(told.rounds);
  const planned = numberOf(told.makespan_planned_s);
  const parts = [
    `${String(told.algorithm)}${rounds > 0 ? `, ${number(rounds, "round")}` : ", on demand"}`,
    `planned ${time(planned, 10)} s${course.intents.some((lane) => lane.length > 0) ? " (outlines)" : ""}`,
  ];
  if (Number.isNaN(finished)) parts.push(`${Math.floor((100 * course.done) / course.load)} % computed`);
  else
    parts.push(
      `done after ${time(finished, 10)} s (${finished >= planned ? "+" : "−"}${digits(Math.abs(100 * (finished / planned - 1)))} %)`,
      `idle ${digits(numberOf(told.idle_pct))} %`,
    );
  if (lost > 0) parts.push(`✕ ${digits(lost)} work units were lost and sent again`);
  if (!whole) parts.push("only the first pieces are kept");
  return parts.join(" · ");
}
