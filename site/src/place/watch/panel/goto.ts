// Going to a time: typed as 6h12m40s, 6:12:40 or 3 d 06:12.
import { h, say } from "../../../base/dom.ts";
import { clock, parseDuration } from "../../../base/format.ts";
import { seek } from "../../../model/run.ts";
import type { Store } from "../../../model/store.ts";
import { showDialog } from "../../../panel/dialog.ts";

export function showGoTo(store: Store<"reported">): void {
  const { status } = store.state;
  if (!status) return;
  const input = h("input", { id: "time", class: "num", autocomplete: "off", "aria-describedby": "time-hint" });
  input.value = clock(status.at);
  const hint = h(
    "p.quiet",
    { id: "time-hint", role: "status" },
    `From 0 to ${clock(status.until)}; 6h12m40s or 6:12:40. Going back plays the run again from its start.`,
  );
  const form = h(
    "form",
    { method: "dialog" },
    h("div.field", {}, h("label", { for: "time" }, "Time"), input),
    hint,
    h("div.buttons.end", {}, h("button.btn.primary", { type: "submit" }, "Go")),
  );
  const { close } = showDialog("goto", "Go to a time", [form]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const at = parseDuration(input.value);
    if (at === undefined) return say(hint, `“${input.value.slice(0, 40)}” is no time: write 6h12m40s or 6:12:40.`);
    close();
    seek(store, at);
  });
  input.select();
}
