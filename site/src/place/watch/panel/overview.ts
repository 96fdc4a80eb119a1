// The cluster as a whole, beside the map while no node is selected: how much of
// it is used, and how well its nodes are loaded.
import { atMostEvery, h, html, render, say } from "../../../base/dom.ts";
import { count, digits } from "../../../base/format.ts";
import { swatches } from "../../../base/palette.ts";
import { all, type Store } from "../../../model/store.ts";
import { ofTasks, systemOf } from "../../../model/systems.ts";
import { explained } from "../../../panel/term.ts";
import { mountIncident } from "./incident.ts";
import { mountLedger } from "./ledger.ts";
import { mountLesson } from "./lesson.ts";
import { mountTask } from "./task.ts";

export function mountOverview(element: HTMLElement, store: Store): () => void {
  const up = h("b.num", {}, "–");
  const classes = h("div.classes");
  const load = ["cpu_used_pct", "memory_used_pct", "cpu_requested_pct", "memory_requested_pct"].map((id) => {
    const part = h("i", { class: id.includes("used") ? "used" : "requested" });
    const value = h("b.num", {}, "–");
    return { id, part, value, name: h("span") };
  });
  const byClass = h("section", { "aria-label": "Nodes by class" }, h("h2", {}, "Nodes by class"), classes); // says nothing of nodes without tasks
  const story = h("div");
  const meters = ["CPU used", "Memory used", "CPU requested", "Memory requested"];
  const incident = h("section.pinned", { "aria-label": "The latest fault", hidden: true });
  const lesson = h("section.lesson", { "aria-label": "Lesson", hidden: true });
  const task = h("section.task", { "aria-label": "Exercise", hidden: true });
  const card = h("section.filecard", { id: "card", "aria-label": "Opened file", hidden: true });
  element.replaceChildren(
    card,
    lesson,
    task,
    incident,
    h("section.story", { "aria-label": "Story" }, h("h2", {}, "Story"), story),
    h(
      "section",
      { "aria-label": "Cluster as a whole" },
      h("h2", {}, "The cluster"),
      h("div.row", {}, h("span", {}, "Nodes up"), up),
      ...load.map(({ part, value, name }) => h("div.meter.long", {}, name, h("span.bar", {}, part), value)),
    ),
    byClass,
  );
  const update = atMostEvery(500, () => {
    const { frame, layers, series, shape } = store.state;
    for (const [i, { id, part, value, name }] of load.entries()) {
      say(name, i === 0 && shape === "jobs" && layers[0]?.devices ? layers[0].name : meters[i]); // processors are devices
      const percent = series.last(id);
      const row = part.closest<HTMLElement>(".meter");
      const values = series.tracks.get(id)?.values; // a workload without memory has no line for it
      if (row) row.hidden = values ? values.length > 0 && !values.some((value) => value > 0) : series.tracks.size > 0;
      if (percent === undefined) continue;
      part.style.width = `${Math.min(100, percent)}%`;
      say(value, `${Math.round(percent)} %`);
    }
    const i = layers.findIndex(({ id }) => id === "class");
    const values = frame?.layers[i];
    const names = layers[i]?.names;
    if (!values || !names) return;
    const tally = new Uint32Array(256);
    for (const value of values) tally[value]++;
    say(up, `${count(values.length - tally[Math.max(0, names.indexOf("down"))])} of ${count(values.length)}`);
    const looks = swatches(names, store.state.light);
    render(
      names.map((name, value) => {
        const { pattern, colour } = looks[value];
        const share = digits((100 * tally[value]) / Math.max(1, values.length));
        return html`<div class="row"><span><i class="swatch ${name === "down" ? "down" : pattern}" .style=${`--colour: #${colour}`}></i>${explained(name, store)}</span><b
          class="num">${count(tally[value])}<small> ${share} %</small></b></div>`;
      }),
      classes,
    );
  });
  let stopCard = () => {};
  const showCard = () => {
    // its script comes with the first file
    if (!store.state.card) return;
    stopWaiting();
    void import("./filecard.ts").then(
      ({ mountFileCard }) => (stopCard = mountFileCard(card, store)),
      () => store.set({ notice: "Could not show what was read from the files: the server is unreachable. The run continues." }),
    );
  };
  const stopWaiting = store.watch(["card"], () => queueMicrotask(showCard));
  return all(
    () => stopWaiting(),
    () => stopCard(),
    mountLesson(lesson, store),
    mountTask(task, store),
    mountIncident(incident, store),
    store.watch(["frame", "layers", "series"], update),
    mountLedger(story, store),
    store.watch(["systems", "scenario", "shape"], () => {
      byClass.hidden = !ofTasks(store.state.shape) || !systemOf(store.state)?.classes;
    }),
  );
}
