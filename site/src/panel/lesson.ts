// The lesson of a scenario with notes: its steps, the text of the present one, Back and
// Next. Page Up and Page Down do the same.
import { fill, h } from "../base/dom.ts";
import { clock } from "../base/format.ts";
import { goToStep, type Moment, stepAt, stepsOf, stopAt, titleOf } from "../model/lesson.ts";
import { all, type Store } from "../model/store.ts";
import { explained } from "./term.ts";

export function mountLesson(element: HTMLElement, store: Store): () => void {
  let steps: Moment[] = [];
  let begun = false; // the viewer went to a step: the run stops at the others
  let shown = -2;
  let before = 0;
  const go = (to: number) => {
    begun = true;
    before = steps[to].us;
    goToStep(store, steps[to]);
  };
  const list = h("ol.steps");
  const text = h("p", { "aria-live": "polite" });
  const back = h("button.btn", { type: "button", id: "lesson-back", title: "Page Up", onclick: () => go(shown - 1) }, "Back");
  const next = h("button.btn.primary", { type: "button", id: "lesson-next", title: "Page Down", onclick: () => go(shown + 1) });
  fill(element, h("h2", {}, "Lesson"), list, text, h("div.buttons", {}, back, next));
  const draw = () => {
    element.hidden = steps.length === 0;
    back.disabled = shown < 1;
    next.disabled = shown + 1 >= steps.length;
    fill(next, begun || shown >= 0 ? "Next" : "Start");
    fill(text, ...(shown >= 0 ? explained(steps[shown].text, store) : []));
    fill(
      list,
      ...steps.map((step, i) =>
        h(
          "li",
          { class: i < shown ? "done" : "" },
          h(
            "button",
            { type: "button", id: `lesson-${i}`, "aria-current": i === shown ? "step" : undefined, onclick: () => go(i) },
            h("b.num", {}, String(i + 1)),
            h("span", {}, titleOf(step)),
            h("time.num", {}, clock(step.us)),
          ),
        ),
      ),
    );
  };
  return all(
    store.watch(["scenario"], () => {
      const now = stepsOf(store.state.scenario);
      if (JSON.stringify(now) === JSON.stringify(steps)) return;
      steps = now;
      begun = false;
      shown = stepAt(steps, store.state.status?.at ?? 0);
      draw();
    }),
    store.watch(["status"], () => {
      const { status } = store.state;
      if (!status || steps.length === 0) return;
      if (begun && status.playing && stopAt(steps, before, status.at) >= 0) store.send({ type: "pause" });
      before = status.at;
      const at = stepAt(steps, status.at);
      if (at === shown) return;
      shown = at;
      draw();
    }),
  );
}
