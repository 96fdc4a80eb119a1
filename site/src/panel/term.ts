// Words of the field with what they mean, on hover and focus: one tooltip for the
// whole page, above dialogs as well.
import { h, html, nothing, say, type Words } from "../base/dom.ts";
import type { Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";
import { pieces } from "../model/terms.ts";

const GAP = 6;

/** A text whose words of the field are explained; only words are reached by Tab that were not met before. */
export function explained(text: string, store: Store<"engine" | "run">, met: Set<string> | "none" = new Set()): Words {
  return pieces(text, systemOf(store.state)?.terms ?? []).map(({ text: word, means }) => {
    if (!means) return word;
    const first = met !== "none" && !met.has(means);
    if (met !== "none") met.add(means);
    return html`<span class="term" data-means=${means} tabindex=${first ? 0 : nothing}>${word}</span>`;
  });
}

/** Shows what data-means says of whatever is pointed at or has the focus; the element is only where the tooltip belongs. */
export function mountTerms(element: HTMLElement): void {
  const tip = h("div.means", { id: "means", role: "tooltip", popover: "manual" });
  element.append(tip);
  let on: HTMLElement | undefined;
  const hide = () => {
    if (!on) return;
    on.removeAttribute("aria-describedby");
    on = undefined;
    tip.hidePopover();
  };
  const show = (event: Event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-means]") : null;
    if (!target || target === on) return target ? undefined : hide();
    hide();
    on = target;
    tip.textContent = target.dataset.means ?? "";
    target.setAttribute("aria-describedby", tip.id);
    tip.showPopover();
    place();
  };
  const place = () => {
    if (!on) return;
    const { left, top, bottom } = on.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) return hide();
    const { offsetHeight: height, offsetWidth: width } = tip;
    tip.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    tip.style.top = `${bottom + GAP + height <= innerHeight ? bottom + GAP : Math.max(GAP, top - height - GAP)}px`;
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", place, true);
  const follow = () => {
    if (on?.isConnected) say(tip, on.dataset.means ?? "");
    else hide();
  };
  new MutationObserver(follow).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-means"],
  });
}
