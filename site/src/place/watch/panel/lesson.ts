// The lesson of a scenario with notes: its steps, the text of the present one, Back and
// Next. Page Up and Page Down do the same.
import { html, nothing, render } from "../../../base/dom.ts";
import { clock } from "../../../base/format.ts";
import { goToStep, partsOf } from "../../../model/lesson.ts";
import { same } from "../../../model/scenario.ts";
import type { Store } from "../../../model/store.ts";
import { explained } from "../../../panel/term.ts";

/** key begins the ids of its buttons. */
export function mountLesson(element: HTMLElement, store: Store, key = "lesson"): () => void {
  return store.watch(["lesson", "step", "scenario"], () => {
    const { lesson, step, scenario, base, bases } = store.state;
    element.hidden = lesson.length === 0;
    const go = (id: string, to: number, name: string, title: string) => html`<button type="button"
      class="btn ${id === "next" ? "primary" : ""}" id=${`${key}-${id}`} title=${title} ?disabled=${!lesson[to]}
      @click=${() => goToStep(store, to)}>${name}</button>`;
    const changed = bases[base] && scenario && !same({ ...bases[base], ...UNPLAYED }, { ...scenario, ...UNPLAYED });
    const steps = lesson.map(
      (one, i) => html`<li class=${i < step ? "done" : ""}><button type="button" id=${`${key}-${i}`}
        aria-current=${i === step ? "step" : nothing} @click=${() => goToStep(store, i)}><b class="num">${i + 1}</b><span>${partsOf(one)[0]}</span><time
        class="num">${clock(one.us)}</time></button></li>`,
    );
    render(
      html`<h2>Lesson</h2><ol class="steps">${steps}</ol>
        <p aria-live="polite">${step >= 0 ? explained(lesson[step].text, store) : nothing}</p>
        ${changed ? html`<p class="quiet">You changed the run. The numbers in these steps are those of the run without your changes.</p>` : nothing}
        <div class="buttons">${go("back", step - 1, "Back", "Page Up")}${go("next", step + 1, step < 0 ? "Start" : "Next", "Page Down")}<button
          type="button" class="btn" id=${`${key}-present`} data-command="present" title="Large type, full screen">Present</button></div>`,
      element,
    );
  });
}

/** What a link may change without another result. */
const UNPLAYED = { name: "", view: undefined, may_change: undefined };
