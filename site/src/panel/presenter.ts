// The present step of a lesson under the picture: for a hall in large type, with the keys
// of a remote control, and in a frame.
import { find, h, html, render } from "../base/dom.ts";
import { goToStep, partsOf } from "../model/lesson.ts";
import { all, type Store } from "../model/store.ts";

/** Keys beside Page Up and Page Down, which work everywhere. */
const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** The step, Back and Next, above the timeline, under a heading of a level; more is beside them. */
export function mountCaption(
  store: Store<"run" | "told" | "look" | "chosen" | "page">,
  heading: "h1" | "h2" = "h2",
  ...more: Node[]
): () => void {
  const element = h("section", { id: "caption", "aria-label": "Lesson" });
  find("#timeline").before(element);
  return all(
    () => element.remove(),
    store.watch(["lesson", "step"], () => {
      const { lesson, step, scenario } = store.state;
      element.hidden = lesson.length === 0;
      const [title, rest] = lesson[step] ? partsOf(lesson[step]) : [scenario?.name ?? "", scenario?.about ?? ""];
      const go = (id: string, to: number, name: string, label: string) => html`<button type="button"
        class="btn ${id === "next" ? "primary" : ""}" id=${`caption-${id}`} aria-label=${label} ?disabled=${!lesson[to]}
        @click=${() => goToStep(store, to)}>${name}</button>`;
      render(
        html`<p class="count"><b class="num">${step + 1}</b><small>of ${lesson.length}</small></p>
          <div aria-live="polite">${heading === "h1" ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}<p>${rest}</p></div>
          <div class="buttons">${go("back", step - 1, "◂", "Previous step")}${go("next", step + 1, "Next ▸", "Next step")}${more}</div>`,
        element,
      );
    }),
  );
}

/** The page as a hall sees it: picture, step and time alone. */
export function mountPresenter(store: Store<"run" | "told" | "look" | "chosen" | "page">): () => void {
  const root = document.documentElement;
  const leave = () => store.set({ presenting: false });
  root.classList.add("present");
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      return leave();
    }
    const field = event.target instanceof Element && event.target.closest("input, select, textarea");
    const step = field ? undefined : KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    goToStep(store, store.state.step + step);
  };
  const shrunk = () => !document.fullscreenElement && leave(); // Escape leaves the full screen first, without a key
  document.addEventListener("keydown", press, true);
  document.addEventListener("fullscreenchange", shrunk);
  return all(
    () => {
      document.removeEventListener("keydown", press, true);
      document.removeEventListener("fullscreenchange", shrunk);
      root.classList.remove("present");
      delete root.dataset.pane;
      if (document.fullscreenElement) void document.exitFullscreen();
    },
    mountCaption(
      store,
      "h1",
      h("button.btn.quiet", { type: "button", id: "present-leave", onclick: leave }, "Leave ", h("kbd", {}, "Esc")),
    ),
    store.watch(["lesson", "step"], () => (root.dataset.pane = store.state.lesson[store.state.step]?.show ?? "")),
  );
}
