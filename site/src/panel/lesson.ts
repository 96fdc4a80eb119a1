// The lesson of a scenario with notes: its steps, the text of the present one, Back and
// Next. Page Up and Page Down do the same.
import { fill, h } from "../base/dom.ts";
import { clock } from "../base/format.ts";
import { goToStep, partsOf } from "../model/lesson.ts";
import { same } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";
import { explained } from "./term.ts";

/** key begins the ids of its buttons. */
export function mountLesson(element: HTMLElement, store: Store, key = "lesson"): () => void {
  return store.watch(["lesson", "step", "scenario"], () => {
    const { lesson, step, scenario, base, bases } = store.state;
    element.hidden = lesson.length === 0;
    const go = (id: string, to: number, name: string, title: string) =>
      h(
        id === "next" ? "button.btn.primary" : "button.btn",
        {
          type: "button",
          id: `${key}-${id}`,
          title,
          disabled: !lesson[to],
          onclick: () => goToStep(store, to),
        },
        name,
      );
    const changed = bases[base] && scenario && !same({ ...bases[base], ...UNPLAYED }, { ...scenario, ...UNPLAYED });
    fill(
      element,
      h("h2", {}, "Lesson"),
      h(
        "ol.steps",
        {},
        ...lesson.map((one, i) =>
          h(
            "li",
            { class: i < step ? "done" : "" },
            h(
              "button",
              { type: "button", id: `${key}-${i}`, "aria-current": i === step ? "step" : undefined, onclick: () => goToStep(store, i) },
              h("b.num", {}, String(i + 1)),
              h("span", {}, partsOf(one)[0]),
              h("time.num", {}, clock(one.us)),
            ),
          ),
        ),
      ),
      h("p", { "aria-live": "polite" }, ...(step >= 0 ? explained(lesson[step].text, store) : [])),
      changed && h("p.quiet", {}, "You changed the run. The numbers in these steps are those of the run without your changes."),
      h(
        "div.buttons",
        {},
        go("back", step - 1, "Back", "Page Up"),
        go("next", step + 1, step < 0 ? "Start" : "Next", "Page Down"),
        h("button.btn", { type: "button", id: `${key}-present`, "data-command": "present", title: "Large type, full screen" }, "Present"),
      ),
    );
  });
}

/** What a link may change without another result. */
const UNPLAYED = { name: "", view: undefined, may_change: undefined };
