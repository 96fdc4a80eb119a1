// On a phone the inspector, the settings and the drawer lie over other parts of the page.
// What is covered takes no focus, so that the focus is always seen.
import { find } from "../base/dom.ts";
import { BREAKPOINTS } from "../base/tokens.ts";
import type { Store } from "../model/store.ts";

const HIGHEST = 0.46; // of the window: the inspector, which grows with what it tells

export function startCovers(store: Store<"run" | "chosen">): void {
  const narrow = matchMedia(`(max-width: ${BREAKPOINTS.phone}px)`);
  const [stage, inspector, timeline, drawer] = ["#stage", "#inspector", "#timeline", "#drawer"].map((part) => find(part));
  const update = () => {
    const settings = narrow.matches && document.body.classList.contains("show-setup");
    const sheet = narrow.matches && (store.state.selected >= 0 || store.state.card);
    stage.inert = inspector.inert = settings;
    drawer.inert = settings || sheet;
    const top = drawer.getBoundingClientRect().bottom - HIGHEST * innerHeight;
    const covered = (part: Element) => sheet && top < part.getBoundingClientRect().bottom;
    timeline.inert = settings || covered(timeline);
    const over =
      document.body.classList.contains("show-drawer") && getComputedStyle(drawer).position === "absolute"
        ? drawer.getBoundingClientRect()
        : undefined;
    const below = (part: Element) => {
      const { right, bottom } = part.getBoundingClientRect();
      return over !== undefined && right > over.left + 1 && bottom > over.top + 1;
    };
    if (below(timeline)) timeline.inert = true;
    for (const part of stage.querySelectorAll<HTMLElement>(".legend, .tools > *")) part.inert = covered(part) || below(part);
  };
  const sizes = new ResizeObserver(update);
  for (const part of [timeline, drawer]) sizes.observe(part);
  narrow.addEventListener("change", update);
  new MutationObserver(update).observe(document.body, { attributeFilter: ["class"] });
  store.watch(["selected", "card"], update);
}
