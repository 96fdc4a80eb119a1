// What was planned: the chosen algorithm's plan as figures, chart and tables, and all
// algorithms side by side with the bound that none of them can beat.
import { h, nothing, render, say, svg, type TemplateResult } from "../../../base/dom.ts";
import { coming, count, digits, number } from "../../../base/format.ts";
import type { JobsPlan } from "../../../base/messages.ts";
import { gradient, rampColours } from "../../../base/palette.ts";
import { tokensOf } from "../../../base/tokens.ts";
import { courseTables } from "../../../panel/course.ts";
import { figures, Gantt } from "../../../panel/gantt.ts";
import { dark, time } from "../../../panel/ganttdraw.ts";
import { nameOf, type Planner, SLOW } from "../model/planner.ts";
import { type Planned, RELAXED, type Trial } from "../model/plans.ts";

const PATIENCE = 400; // ms before a plan under way is worth a word
const LISTED = 200; // rows of a table
const HOSTS = 120; // drawn
const WIDEST = 3; // times the best: longer bars are cut

export function outcomeOf(planner: Planner): { element: HTMLElement; draw: () => void; tick: () => void; end: () => void } {
  const chart = new Gantt("The plan", () => {});
  const hosts = h("div.hosts");
  const note = h("p.summary", { role: "status" });
  const doing = h("span", {});
  const busy = h(
    "p.doing",
    { hidden: true },
    h("progress", { "aria-label": "Planning" }),
    " ",
    doing,
    " ",
    h("button.btn", { type: "button", onclick: () => planner.cancel() }, "Cancel"),
  );
  const retry = h("button.btn", { type: "button", id: "plan-retry", hidden: true, onclick: () => planner.plan() }, "Try again");
  const beside = h("div.beside");
  const tables = h("div.tables");
  const element = h(
    "div.outcome",
    { tabindex: 0, role: "region", "aria-label": "Plan" },
    note,
    retry,
    busy,
    beside,
    chart.element,
    hosts,
    tables,
  );
  let shown: unknown;
  let listed: unknown;
  const tick = () => {
    const { asked, asking, download } = planner.state;
    const waited = asked > 0 ? performance.now() - asked : 0;
    busy.hidden = waited < PATIENCE;
    if (!busy.hidden) say(doing, download ? coming(download) : `${asking} plans … ${Math.floor(waited / 1000)} s`);
  };
  const draw = () => {
    const { plan, why, trials } = planner.state;
    tick();
    retry.hidden = !planner.gone;
    note.classList.toggle("bad", why !== "");
    if (why) render(why, note);
    if (trials !== listed) {
      listed = trials;
      sideBySide(beside, planner);
    }
    if (plan === shown) return;
    shown = plan;
    chart.element.hidden = !plan?.course;
    hosts.hidden = plan?.kind !== "jobs";
    tables.hidden = !plan;
    if (!plan) return;
    const names = (worker: number) => nameOf(planner.state, worker);
    const parts = PARTS[plan.kind](plan as never, planner, names);
    render(parts.note, note);
    render(parts.tables, tables);
    if (plan.kind === "jobs") render(hostBars(plan.result, planner), hosts);
    if (plan.course) chart.show({ course: plan.course, moments: parts.moments, now: plan.course.latest, names, tells: parts.tells });
  };
  return { element, draw, tick, end: () => chart.end() };
}

interface Parts {
  note: (Node | string)[];
  tables: (Node | TemplateResult)[];
  moments: { at: number; name: string; kind: "real" | "formula" }[];
  tells?: (piece: number) => string;
}

type Of<K extends Planned["kind"]> = Extract<Planned, { kind: K }>;

const planned = (wall: number) => `planned in ${digits(wall / 1000)} ms`;

/** How far a figure is from its bound. */
const beyond = (reached: number, bound: number) =>
  bound > 0 ? `${digits(Math.max(0, 100 * (reached / bound - 1)))} % above the bound` : "";

const PARTS = {
  load: ({ result, course, wall }: Of<"load">, planner: Planner, names: (worker: number) => string): Parts => {
    const off = 100 * (result.makespan_predicted_s / result.makespan_s - 1);
    const all = result.order.length === planner.state.workers.length;
    const facts = [
      beyond(result.makespan_s, result.bound_s),
      number(result.rounds, "round"),
      `${all ? "all" : `${result.order.length} of`} ${planner.state.workers.length} workers, idle ${digits(result.idle_pct)} %`,
      Math.abs(off) < 0.005
        ? ""
        : `the formula predicts ${seconds(result.makespan_predicted_s)} s (${off >= 0 ? "+" : "−"}${digits(Math.abs(off))} %)`,
      [result.algorithm, result.policy].filter(Boolean).join(" "),
      planned(wall),
    ];
    const moments = [
      { at: result.makespan_s, name: "simulated end", kind: "real" as const },
      { at: result.makespan_predicted_s, name: "by the formula", kind: "formula" as const },
    ];
    return {
      note: [
        h("b.num", { id: "plan-makespan" }, `${seconds(result.makespan_s)} s`),
        ` simulated · ${facts.filter(Boolean).join(" · ")}`,
        ...(result.warning ? [h("br", {}), h("span.bad", { id: "plan-warning" }, `Warning: ${result.warning}.`)] : []),
      ],
      tables: course ? courseTables(course, course.latest, names) : [h("p.quiet", {}, "The plan has too many pieces to draw.")],
      moments: Math.abs(off) < 0.1 ? moments.slice(0, 1) : moments,
    };
  },
  jobs: ({ result, wall }: Of<"jobs">, planner: Planner): Parts => {
    const { jobs } = planner.state;
    if (!result.feasible)
      return {
        note: [
          h("b", { id: "plan-makespan" }, "No placement"),
          ` ${result.proven ? "exists: that is proven" : "was found: the memory needs do not fit as this algorithm places them"} · ${result.algorithm} · ${planned(wall)}`,
        ],
        tables: [],
        moments: [],
      };
    const gap = result.bound > 0 ? 100 * (1 - result.min_yield / result.bound) : 0;
    const rows = result.place
      .slice(0, LISTED)
      .map((at, j) => [j, result.cpu[j][0].toFixed(3), (result.cpu[j][0] / Number(jobs[j]?.cpu ?? NaN)).toFixed(3), at.join(" ")]);
    return {
      note: [
        h("b.num", { id: "plan-makespan" }, result.min_yield.toFixed(4)),
        ` smallest yield · ${gap < 0.005 ? "at the bound" : `${digits(gap)} % below the bound ${result.bound.toFixed(4)}`}${result.proven ? ", proven the best" : ""} · ${result.avg_yield.toFixed(4)} on average · ${result.algorithm} · ${planned(wall)}`,
      ],
      tables:
        result.algorithm !== "lp"
          ? [
              figures(
                "Jobs",
                ["job", "CPU a task", "its yield", "hosts of its tasks"],
                rows,
                result.place.length > LISTED ? `and ${count(result.place.length - LISTED)} more jobs` : "",
              ),
            ]
          : [h("p.quiet", {}, "The relaxed program splits jobs among hosts: there is no placement to show.")],
      moments: [],
    };
  },
  graph: ({ result, course, wall }: Of<"graph">): Parts => {
    const { schedule } = result;
    const facts = [
      beyond(result.makespan_s, result.bound_s),
      `speed-up ${result.speedup.toFixed(2)}, schedule length ratio ${result.slr.toFixed(3)}, idle ${digits(result.idle_pct)} %`,
      `${number(result.tasks, "task")}, ${count(result.arcs)} dependencies, ${number(result.processors, "processor")}`,
      `${digits(result.travelled_bytes / 1e6)} MB travel`,
      result.algorithm,
      planned(wall),
    ];
    const busy = new Map<number, { tasks: number; seconds: number }>();
    for (const { processor, start_s: from, finish_s: to } of schedule) {
      const of = busy.get(processor) ?? { tasks: 0, seconds: 0 };
      busy.set(processor, { tasks: of.tasks + 1, seconds: of.seconds + to - from });
    }
    return {
      note: [
        h("b.num", { id: "plan-makespan" }, `${seconds(result.makespan_s)} s`),
        ` makespan · ${facts.filter(Boolean).join(" · ")}`,
        ...(result.notes ?? []).slice(0, 3).flatMap((one) => [h("br", {}), `Note: ${one}.`]),
      ],
      tables: [
        ...(course ? [] : [h("p.quiet", {}, "The plan has too many tasks to draw.")]),
        figures(
          "Processors",
          ["processor", "tasks", "busy, s", "idle"],
          [...busy]
            .sort(([a], [b]) => a - b)
            .slice(0, LISTED)
            .map(([at, of]) => [
              at,
              of.tasks,
              time(of.seconds, 1),
              result.makespan_s > 0 ? `${Math.round(100 * (1 - of.seconds / result.makespan_s))} %` : "–",
            ]),
          "",
        ),
        figures(
          "Tasks",
          ["task", "processor", "from, s", "to, s"],
          schedule
            .slice(0, LISTED)
            .map(({ task, processor, start_s: from, finish_s: to }) => [task, processor, time(from, 1), time(to, 1)]),
          schedule.length > LISTED ? `and ${count(schedule.length - LISTED)} more tasks` : "",
        ),
      ],
      moments: [{ at: result.makespan_s, name: "end", kind: "real" }],
      tells: (piece) => {
        const { task, processor, start_s: from, finish_s: to } = schedule[piece];
        return `${task} on processor ${processor}: ${time(from, 1)} – ${time(to, 1)} s`;
      },
    };
  },
};

/** All algorithms with what each reached and how far that is from the bound, as far as they have answered. */
function sideBySide(element: HTMLElement, planner: Planner): void {
  const { trials, known, kind, chosen, why } = planner.state;
  const found = trials.filter((trial) => !Number.isNaN(trial.reached));
  const reached = found.map((trial) => trial.reached);
  if (reached.length === 0 || why) return render(nothing, element);
  const more = kind === "jobs"; // the larger, the better
  const best = more ? Math.max(...found.filter(placed).map((trial) => trial.reached)) : Math.min(...reached);
  const bound = more
    ? Math.min(1, ...trials.map((trial) => trial.bound).filter((x) => x > 0))
    : Math.max(...trials.map((trial) => trial.bound).filter((x) => !Number.isNaN(x)));
  const end = more ? Math.max(bound, best) : Math.min(Math.max(...reached), WIDEST * best);
  const rows = known[kind].map((algorithm) => {
    const trial = trials.find((one) => one.algorithm === algorithm);
    const name = h(
      "button.btn.quiet",
      {
        type: "button",
        "aria-pressed": String(algorithm === chosen[kind]),
        id: `plan-by-${algorithm}`,
        onclick: () => planner.choose(algorithm),
      },
      algorithm,
    );
    const there = trial !== undefined && !Number.isNaN(trial.reached);
    const gap = there ? Math.max(0, 100 * (more ? 1 - trial.reached / bound : trial.reached / bound - 1)) : NaN;
    const first = there && placed(trial) && Math.abs(trial.reached / best - 1) < 1e-9;
    return h(
      "tr",
      { class: [trial?.old && "old", algorithm === chosen[kind] && "chosen"].filter(Boolean).join(" ") },
      h("th", { scope: "row" }, name),
      h("td.reach", {}, there ? bar(trial.reached / end, bound / end, first) : ""),
      h(
        "td.n",
        {},
        there ? (more ? trial.reached.toFixed(4) : `${seconds(trial.reached)} s`) : "–",
        first ? h("span", { title: more ? "the largest" : "the shortest" }, " ★") : "",
      ),
      h("td.n", {}, there ? (gap < 0.005 ? "at the bound" : `${more ? "−" : "+"}${digits(gap)} %`) : ""),
      h("td.quiet.detail", {}, trial ? trial.why || trial.detail : SLOW.includes(algorithm) ? "may take long: choose it to try" : "…"),
      h("td.n.quiet.took", {}, trial && !Number.isNaN(trial.wall) ? `${digits(trial.wall / 1000)} ms` : ""),
    );
  });
  const head = (text: string, look: string, hidden = false) =>
    h("th", { scope: "col", class: look }, hidden ? h("span.hidden", {}, text) : text);
  render(
    [
      h(
        "table.full",
        {},
        h(
          "caption",
          {},
          `Side by side: ${more ? "no plan reaches more than" : "no plan takes less than"} ${more ? bound.toFixed(4) : `${seconds(bound)} s`}`,
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head("algorithm", ""),
            head("how far", "reach", true),
            head(more ? "smallest yield" : "makespan", "n"),
            head("from the bound", "n"),
            head("more", "detail", true),
            head("planned in", "n took"),
          ),
        ),
        h("tbody", {}, ...rows),
      ),
    ],
    element,
  );
}

/** Whether a trial is a plan that can be carried out: the relaxed program's is none. */
function placed({ detail }: Trial): boolean {
  return detail !== RELAXED;
}

/** A bar from 0 to a part of the whole, with the bound as a line across. */
function bar(part: number, bound: number, best: boolean): SVGElement {
  const percent = (x: number) => `${(100 * Math.min(1, Math.max(0, x))).toFixed(2)}%`;
  const drawing = svg("svg", { class: best ? "best" : "", "aria-hidden": "true" });
  drawing.append(
    svg("rect", { x: 0, y: 4, height: 10, width: percent(part) }),
    svg("line", { x1: percent(bound), x2: percent(bound), y1: 0, y2: 18 }),
  );
  return drawing;
}

/** Each host as two bars, what of its CPU and of its memory is given to whom, in the colours of the yields. */
function hostBars(result: JobsPlan, planner: Planner): HTMLElement[] {
  if (result.place.length === 0) return [];
  const { jobs, hosts } = planner.state;
  const parts = new Map<number, { job: number; cpu: number; mem: number; share: number }[]>();
  result.place.forEach((at, job) => {
    at.forEach((host, task) => {
      const cpu = result.cpu[job][task];
      const list = parts.get(host) ?? [];
      parts.set(host, list);
      list.push({ job, cpu, mem: Number(jobs[job].mem), share: cpu / Number(jobs[job].cpu) });
    });
  });
  const light = dark(tokensOf(document.body)("--ink")); // dark letters stand on light ground
  const colours = rampColours("dusk", light, 0, 255);
  const ramp = h("span.ramp", { "aria-hidden": "true" });
  ramp.style.background = gradient("dusk", light);
  const line = (host: number) => {
    const drawing = svg("svg", { "aria-hidden": "true" }); // the table of jobs says it
    for (const [what, y] of [
      ["cpu", 0],
      ["mem", 9],
    ] as const) {
      let x = 0;
      for (const part of parts.get(host) ?? []) {
        const width = 100 * part[what];
        const box = svg("rect", {
          x: `${x.toFixed(3)}%`,
          y,
          width: `${Math.max(0.2, width - 0.15).toFixed(3)}%`,
          height: 8,
          fill: colours[Math.round(255 * Math.min(1, Math.max(0, part.share)))],
          "fill-opacity": what === "cpu" ? 1 : 0.55,
        });
        box.append(
          svg(
            "title",
            {},
            `job ${part.job}: ${digits(width)} % of the ${what === "cpu" ? "CPU" : "memory"}, yield ${part.share.toFixed(3)}`,
          ),
        );
        drawing.append(box);
        x += width;
      }
    }
    return h("div.host", {}, h("span.num", {}, String(host)), h("span", {}), drawing as unknown as HTMLElement);
  };
  const all = Number(hosts);
  return [
    h("p.quiet", {}, "Each host: CPU above, memory below, in the colours of the yields, 0 ", ramp, " 1"),
    h("div.hostlist", {}, ...Array.from({ length: Math.min(all, HOSTS) }, (_, host) => line(host))),
    ...(all > HOSTS ? [h("p.quiet", {}, `and ${count(all - HOSTS)} more hosts`)] : []),
  ];
}

/** Seconds with four digits that matter. */
function seconds(at: number): string {
  return at >= 1e4 ? digits(at) : String(Number(at.toPrecision(4)));
}
