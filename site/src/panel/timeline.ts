// The timeline: a range input over a painted band of load and overload, and
// the controls of the run.
import { atMostEvery, fill, h, say } from "../base/dom.ts";
import { clock, duration, SECOND, speed } from "../base/format.ts";
import { icon } from "../base/icon.ts";
import { courseNames } from "../model/courses.ts";
import { FIRST_SPEED, horizon, seek, setSpeed, SPEEDS } from "../model/run.ts";
import { HEALING } from "../model/slow.ts";
import { all, type Store } from "../model/store.ts";
import { paintBand } from "./band.ts";

export function mountTimeline(element: HTMLElement, store: Store): () => void {
  const button = (command: string, label: string, picture: Parameters<typeof icon>[0]) =>
    h("button.btn.square", { type: "button", "data-command": command, "aria-label": label, title: label }, icon(picture));
  const play = button("play", "Play", "play");
  const pace = h("select", { "aria-label": "Speed", class: "num", title: "Simulated seconds a second", onchange: () => setSpeed(store, Number(pace.value)) });
  for (const step of SPEEDS) pace.append(h("option", { value: step }, speed(step)));
  const slowed = h("button.btn.quiet.slowed", { type: "button", "data-command": "careful", hidden: true, title: "Time slows while a fault heals. Click to go on at full speed, now and later." }, h("b.num", {}, `${HEALING}×`), h("span", {}, " while it heals"));
  const canvas = h("canvas", { "aria-hidden": "true" });
  const range = h("input", {
    type: "range", min: 0, step: "any", value: 0, "aria-label": "Simulated time",
    oninput: () => {
      dragging = true;
      const at = Number(range.value) * SECOND;
      say(time, clock(at));
      range.setAttribute("aria-valuetext", `${clock(at)} of ${duration(store.state.status?.until ?? at)}`);
    },
    onkeydown: (event: KeyboardEvent) => {
      const end = Number(range.max);
      const move = { ArrowRight: end / 100, ArrowUp: end / 100, ArrowLeft: -end / 100, ArrowDown: -end / 100, PageUp: end / 10, PageDown: -end / 10, Home: -end, End: end }[event.key];
      if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const from = Number(range.value);
      const head = store.state.head / SECOND;
      const to = from + move;
      range.value = String(from < head && to > head && event.key !== "End" ? head : to); // a key does not step over the furthest moment
      seek(store, Number(range.value) * SECOND);
    },
    onchange: () => {
      dragging = false;
      seek(store, Number(range.value) * SECOND);
    },
  });
  const time = h("button.btn.quiet.time", { type: "button", "data-command": "go-to", title: "Go to a time (T)" }, "00:00:00");
  const live = h("button.btn.live", { type: "button", "data-command": "live", title: "Play on from the furthest point" }, "Live", h("kbd", {}, "L"));
  const label = h("small.num");
  const courses = h("select", { id: "course", "aria-label": "Course of the run", title: "Courses of the run: acting in the past begins another one", onchange: () => store.send({ type: "switch", branch: Number(courses.value) }) });
  const beside = h("button.btn.quiet", { type: "button", "data-command": "compare", title: "Compare the courses" }, "Compare");
  const choice = h("span.controls.courses", { hidden: true }, courses, beside);
  let dragging = false;
  fill(
    element,
    h("span.controls", {}, play, button("step", "One step further", "step"), button("restart", "Restart", "restart")),
    h("span.controls.pace", {}, button("slower", "Slower", "slower"), pace, button("faster", "Faster", "faster"), slowed),
    h("div.band", {}, canvas, label, range),
    choice,
    time,
    live,
  );
  const repaint = atMostEvery(250, () => paintBand(canvas, store.state));
  const resize = new ResizeObserver(repaint);
  resize.observe(canvas);
  const themes = new MutationObserver(repaint);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  let playing: boolean | undefined;
  pace.value = String(FIRST_SPEED);
  return all(
    () => resize.disconnect(),
    () => themes.disconnect(),
    store.watch(["series", "scenario", "status", "head"], repaint),
    store.watch(["branches", "branch", "systems"], () => {
      const names = courseNames(store.state);
      choice.hidden = names.length === 0;
      fill(courses, ...names.map((name, i) => h("option", { value: i }, name)));
      courses.value = String(store.state.branch);
    }),
    store.watch(["frame", "preview"], () => {
      const { frame, preview } = store.state;
      if (!preview || !frame) return;
      range.max = String(horizon({ head: frame.at, status: { until: Infinity } }) / SECOND);
      range.value = String(frame.at / SECOND);
      say(time, clock(frame.at));
    }),
    store.watch(["status"], () => {
      const { status, head } = store.state;
      if (!status) return;
      slowed.hidden = !status.slowed;
      if (playing !== status.playing) {
        playing = status.playing;
        play.setAttribute("aria-label", playing ? "Pause" : "Play");
        play.title = `${playing ? "Pause" : "Play"} (Space)`;
        fill(play, icon(playing ? "pause" : "play"));
      }
      const end = horizon(store.state);
      range.max = String(end / SECOND);
      say(label, duration(end));
      if (!dragging) range.value = String(status.at / SECOND);
      if (!dragging) range.setAttribute("aria-valuetext", `${clock(status.at)} of ${duration(status.until)}`);
      if (!dragging) say(time, clock(status.at));
      live.setAttribute("aria-pressed", String(status.playing && status.at >= head));
      if (document.activeElement !== pace) pace.value = String(SPEEDS.includes(status.speed) ? status.speed : SPEEDS.at(-1));
    }),
  );
}
