// Keys and buttons run commands.
import { BREAKPOINTS } from "../base/tokens.ts";
import type { Commands } from "../model/commands.ts";
import { select } from "../model/look.ts";
import type { Store } from "../model/store.ts";
import { dialogOpen } from "../panel/dialog.ts";

/** Where the settings lie over the stage (layout.css). */
const SETUP_LIES_OVER = `(max-width: ${BREAKPOINTS.narrow}px)`;

/** Runs the command of any element that names one, and of any key outside text fields. */
export function bind(commands: Commands, store: Store<"reported" | "chosen" | "page">): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-command]") : null;
    const id = button?.getAttribute("data-command");
    if (id) commands.run(id);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || dialogOpen()) return;
    const [inner] = event.composedPath(); // of the editor what is in its shadow root
    const target = inner instanceof Element ? inner : document.body;
    const over = matchMedia(SETUP_LIES_OVER).matches || target.closest("#setup"); // as a column it stays until someone leaves it
    if (event.key === "Escape" && over && document.body.classList.contains("show-setup")) {
      document.body.classList.remove("show-setup");
      return document.querySelector<HTMLElement>("#topbar [data-command=setup]")?.focus();
    }
    if (event.key === "Escape" && !target.closest("input, select, textarea, [contenteditable]")) return select(store, -1);
    if (takes(target, event)) return;
    const command = commands.find(event, store.state.keys);
    if (!command) return;
    event.preventDefault();
    commands.run(command.id);
  });
}

/** Whether the focused element needs the key itself. */
function takes(target: Element, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  if (target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]")) return true;
  if (event.code === "Space") return target.closest("button, a, summary, input") !== null;
  return false;
}
