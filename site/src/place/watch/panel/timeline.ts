// The timeline: a range input over a painted band of load, overload and marks, which
// say what they are under the pointer and at the playhead, and the controls of the run.
import { atMostEvery, h, say } from "../../../base/dom.ts";
import { clock, duration, SECOND, speed } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import { courseNames } from "../../../model/courses.ts";
import { FIRST_SPEED, horizon, seek } from "../../../model/run.ts";
import { SPEEDS, setSpeed } from "../../../model/speed.ts";
import { all, type Store } from "../../../model/store.ts";
import { type Mark, marksOf, nextMark, wordsAround } from "../model/marks.ts";
import { Scrub } from "../model/scrub.ts";
import { paintBand } from "./band.ts";

const REACH = 4; // pixels beside a mark where it is told

export function mountTimeline(element: HTMLElement, store: Store<"engine" | "run" | "reported">): () => void {
  const button = (command: string, label: string, picture: Parameters<typeof icon>[0]) =>
    h("button.btn.square", { type: "button", "data-command": command, "aria-label": label, title: label }, icon(picture));
  const play = button("play", "Play", "play");
  const pace = h("select", {
    "aria-label": "Speed",
    class: "num",
    title: "Simulated seconds a second",
    onchange: () => setSpeed(store, Number(pace.value)),
  });
  for (const step of SPEEDS) pace.append(h("option", { value: step }, speed(step)));
  const slowed = h(
    "button.btn.quiet.slowed",
    {
      type: "button",
      "data-command": "careful",
      hidden: true,
      title: "Time slows while a fault heals. Click to keep full speed from now on.",
    },
    h("b.num"),
    " slowed",
    h("span"),
  );
  const canvas = h("canvas", { "aria-hidden": "true" });
  const scrub = new Scrub((at) => seek(store, at));
  let marks: Mark[] = [];
  const told = h("div.marktip", { hidden: true, "aria-hidden": "true" }); // the range says it itself
  const reach = () => (REACH * horizon(store.state)) / Math.max(1, canvas.clientWidth);
  const tell = (at: number) => {
    const words = wordsAround(marks, at, reach());
    told.hidden = words === "";
    say(told, words);
    const share = at / Math.max(1, horizon(store.state));
    const { left, width } = band.getBoundingClientRect();
    const middle = left + share * width - told.offsetWidth / 2;
    told.style.left = `${Math.round(Math.max(8, Math.min(innerWidth - told.offsetWidth - 8, middle)) - left)}px`;
    return words;
  };
  const value = (at: number, until: number) => {
    const words = range.matches(":focus-visible") ? tell(at) : wordsAround(marks, at, reach());
    const text = [`${clock(at)} of ${duration(until)}`, ...words.split("\n").filter(Boolean)].join(". ");
    if (range.getAttribute("aria-valuetext") !== text) range.setAttribute("aria-valuetext", text);
  };
  const range = h("input", {
    type: "range",
    min: 0,
    step: "any",
    value: 0,
    "aria-label": "Simulated time",
    "aria-description": "Shift and an arrow go to the next mark",
    oninput: () => {
      dragging = true;
      const at = Number(range.value) * SECOND;
      say(time, clock(at));
      value(at, store.state.status?.until ?? at);
      if (at <= store.state.head) scrub.wish(at); // the stage follows; what was never played is played when the pointer lets go
    },
    onpointermove: (event: PointerEvent) => {
      const { left, width } = range.getBoundingClientRect();
      tell(((event.clientX - left) / width) * horizon(store.state));
    },
    onpointerleave: () => (told.hidden = true),
    onblur: () => (told.hidden = true),
    onfocus: () => range.matches(":focus-visible") && tell(Number(range.value) * SECOND),
    onkeydown: (event: KeyboardEvent) => {
      const end = Number(range.max);
      const move = {
        ArrowRight: end / 100,
        ArrowUp: end / 100,
        ArrowLeft: -end / 100,
        ArrowDown: -end / 100,
        PageUp: end / 10,
        PageDown: -end / 10,
        Home: -end,
        End: end,
      }[event.key];
      if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const from = Number(range.value);
      const mark = event.shiftKey ? nextMark(marks, from * SECOND, move < 0) : undefined;
      if (event.shiftKey && !mark) return;
      if (mark) return goTo(mark.at / SECOND);
      const head = store.state.head / SECOND;
      const to = from + move;
      goTo(from < head && to > head && event.key !== "End" ? head : to); // a key does not step over the furthest moment
    },
    onchange: () => {
      dragging = false;
      scrub.end(Number(range.value) * SECOND);
    },
  });
  const goTo = (seconds: number) => {
    range.value = String(seconds);
    seek(store, Number(range.value) * SECOND);
  };
  const time = h("button.btn.quiet.time", { type: "button", "data-command": "go-to", title: "Go to a time (T)" }, "00:00:00");
  const live = h(
    "button.btn.live",
    { type: "button", "data-command": "live", title: "Jump to the latest moment" },
    "Live",
    h("kbd", {}, "L"),
  );
  const label = h("small.num");
  const courses = h("select", {
    id: "course",
    "aria-label": "Course of the run",
    title: "Branches: changing the past starts a new branch",
    onchange: () => store.send({ type: "switch", branch: Number(courses.value) }),
  });
  const beside = h("button.btn.quiet", { type: "button", "data-command": "compare", title: "Compare the courses" }, "Compare");
  const choice = h("span.controls.courses", { hidden: true }, courses, beside);
  let dragging = false;
  const band = h("div.band", {}, canvas, label, range);
  element.replaceChildren(
    h("span.controls", {}, play, button("step", "One step further", "step"), button("restart", "Restart", "restart")),
    h("span.controls.pace", {}, button("slower", "Slower", "slower"), pace, button("faster", "Faster", "faster"), slowed),
    h("div.bandroom", {}, told, band),
    choice,
    time,
    live,
  );
  const repaint = atMostEvery(250, () => {
    marks = marksOf(store.state);
    paintBand(canvas, store.state, marks);
    if (store.state.status && !dragging) value(store.state.status.at, store.state.status.until);
  });
  const resize = new ResizeObserver(repaint);
  resize.observe(canvas);
  const themes = new MutationObserver(repaint);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  let playing: boolean | undefined;
  pace.value = String(FIRST_SPEED);
  return all(
    () => resize.disconnect(),
    () => themes.disconnect(),
    store.watch(["series", "scenario", "status", "head", "incidents"], repaint),
    store.watch(["branches", "branch", "systems"], () => {
      const names = courseNames(store.state);
      choice.hidden = names.length === 0;
      courses.replaceChildren(...names.map((name, i) => h("option", { value: i }, name)));
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
      const stretched = (status.slowed ?? 0) < 1;
      say(slowed.children[0], stretched ? "⅙×" : `${status.slowed}×`);
      say(slowed.children[1], stretched ? " in the first second" : " while it heals");
      if (playing !== status.playing) {
        playing = status.playing;
        play.setAttribute("aria-label", playing ? "Pause" : "Play");
        play.title = `${playing ? "Pause" : "Play"} (Space)`;
        play.replaceChildren(icon(playing ? "pause" : "play"));
      }
      const end = horizon(store.state);
      range.max = String(end / SECOND);
      say(label, duration(end));
      if (!dragging) {
        range.value = String(status.at / SECOND);
        value(status.at, status.until);
        say(time, clock(status.at));
      }
      scrub.came(status.at);
      live.classList.toggle("past", status.at < head); // there is somewhere to return to
      live.setAttribute("aria-pressed", String(status.playing && status.at >= head));
      if (document.activeElement !== pace) pace.value = String(SPEEDS.includes(status.speed) ? status.speed : SPEEDS.at(-1));
    }),
  );
}
