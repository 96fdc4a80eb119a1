// The present step of a lesson under the picture: for a hall in large type, with the keys
// of a remote control, and in a frame.
import { find, h, html, render } from "../../../base/dom.ts";
import { clock } from "../../../base/format.ts";
import { BREAKPOINTS } from "../../../base/tokens.ts";
import { goToStep, partsOf } from "../../../model/lesson.ts";
import { horizon } from "../../../model/run.ts";
import { all, type Store } from "../../../model/store.ts";

/** Keys beside Page Up and Page Down, which work everywhere. */
const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Type sizes by token, as multiples of the smallest, which follows the window's height. */
const SIZES = { "--t-2xs": 1, "--t-xs": 1, "--t-s": 1.05, "--t-m": 1.15, "--t-l": 1.4, "--t-xl": 1.5, "--t-2xl": 2.3, "--t-3xl": 2.8 };
const LEAST = 54; // lines of the smallest type fit the window's height: 20 px at 1080
const HALL = matchMedia(`(min-width: ${BREAKPOINTS.phone + 1}px) and (min-height: ${BREAKPOINTS.low + 1}px)`);

/** The step, Back and Next, above the timeline, under a heading of a level; the step is told when its picture stands. */
export function mountCaption(store: Store<"run" | "reported" | "look" | "chosen" | "page">, heading: "h1" | "h2" = "h2"): () => void {
  const element = h("section", { id: "caption", "aria-label": "Lesson" });
  find("#timeline").before(element);
  return all(
    () => element.remove(),
    store.watch(["lesson", "step", "heading"], () => {
      const { lesson, step, scenario } = store.state;
      element.hidden = lesson.length === 0;
      element.ariaBusy = String(store.state.heading);
      if (store.state.heading) return; // on the way to its moment
      const [title, rest] = lesson[step] ? partsOf(lesson[step]) : [scenario?.name ?? "", scenario?.about ?? ""];
      const go = (id: string, by: number, name: string, label: string) => html`<button type="button"
        class="btn ${id === "next" ? "primary" : ""}" id=${`caption-${id}`} aria-label=${label} ?disabled=${!lesson[step + by]}
        @click=${() => goToStep(store, store.state.step + by)}>${name}</button>`;
      render(
        html`<p class="count"><b class="num">${step < 0 ? lesson.length : step + 1}</b><small>${step < 0 ? "steps" : `of ${lesson.length}`}</small></p>
          <div aria-live="polite">${heading === "h1" ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}<p>${rest}</p></div>
          <div class="buttons">${go("back", -1, "◂", "Previous step")}${go("next", 1, "Next ▸", "Next step")}</div>`,
        element,
      );
    }),
  );
}

/** The steps upon the timeline, and the way out at its end. */
function mountPins(store: Store<"run" | "reported" | "look" | "chosen" | "page">, leave: () => void): () => void {
  const pins = h("ol.pins", { "aria-label": "Steps" });
  const out = h("button.btn.quiet", { type: "button", id: "present-leave", onclick: leave }, "Leave ", h("kbd", {}, "Esc"));
  find("#timeline .bandroom").append(pins);
  find("#timeline").append(out);
  return all(
    () => pins.remove(),
    () => out.remove(),
    store.watch(["lesson", "step", "status", "head"], () => {
      const { lesson, step } = store.state;
      const whole = Math.max(1, horizon(store.state));
      const pin = (us: number, i: number) => html`<li .style=${`left:${((100 * us) / whole).toFixed(2)}%`}><button type="button"
        class=${i < step ? "num done" : "num"} aria-current=${i === step ? "step" : "false"} aria-label=${`Step ${i + 1}, ${clock(us)}`}
        @click=${() => goToStep(store, i)}>${i + 1}</button></li>`;
      render(html`${lesson.map(({ us }, i) => (us <= whole ? pin(us, i) : ""))}`, pins);
    }),
  );
}

/** The page as a hall sees it: picture, step and time alone. */
export function mountPresenter(store: Store<"run" | "reported" | "look" | "chosen" | "page">): () => void {
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
  const sized = () => {
    const least = Math.max(11, innerHeight / LEAST);
    for (const [name, times] of Object.entries(SIZES)) {
      if (HALL.matches && root.classList.contains("present")) root.style.setProperty(name, `${Math.round(least * times)}px`);
      else root.style.removeProperty(name);
    }
  };
  sized();
  addEventListener("resize", sized);
  document.addEventListener("keydown", press, true);
  document.addEventListener("fullscreenchange", shrunk);
  return all(
    () => {
      document.removeEventListener("keydown", press, true);
      document.removeEventListener("fullscreenchange", shrunk);
      root.classList.remove("present");
      removeEventListener("resize", sized);
      sized();
      delete root.dataset.pane;
      if (document.fullscreenElement) void document.exitFullscreen();
    },
    mountCaption(store, "h1"),
    mountPins(store, leave),
    store.watch(["lesson", "step"], () => (root.dataset.pane = store.state.lesson[store.state.step]?.show ?? "")),
  );
}
