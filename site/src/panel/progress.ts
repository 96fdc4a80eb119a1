// What is under way: files being read, with bytes, percent, rate and Cancel, a
// run's first moment, or the run being played forward to a time.
import { h, html, render, type TemplateResult } from "../base/dom.ts";
import { bytes, clock, count, digits, percent } from "../base/format.ts";
import type { FileProgress } from "../base/messages.ts";
import { startingCard } from "../model/question.ts";
import { type Loading, loadingOf } from "../model/session.ts";
import type { Store } from "../model/store.ts";
import { type Opened, showDialog } from "./dialog.ts";

const PATIENCE = 400; // ms before a short seek or start is worth a dialog
const TITLES = { reading: "Reading your files", starting: "Starting the run", seeking: "Playing forward" };

export function mountProgress(_element: HTMLElement, store: Store<"run" | "engine">): () => void {
  let dialog: Opened | undefined;
  let due = 0;
  const bar = h("progress", { max: 100, "aria-label": "Done" });
  const sum = h("p.num", { role: "status" });
  const list = h("ul.files");
  const show = () => {
    due = 0;
    const loading = loadingOf(store.state.session);
    if (!loading || dialog || startingCard(store.state)) return; // a card tells it in its own place
    const cancel = () => store.send({ type: "cancel" });
    const opened = showDialog(
      "progress",
      TITLES[loading.phase],
      [bar, sum, list, h("div.buttons.end", {}, h("button.btn", { type: "button", onclick: () => opened.close() }, "Cancel"))],
      () => {
        dialog = undefined;
        if (loadingOf(store.state.session)) cancel();
      },
    );
    dialog = opened;
    opened.element.tabIndex = -1;
    opened.element.focus(); // not a button: a Space meant for Play would cancel
    draw();
  };
  const draw = () => {
    const loading = loadingOf(store.state.session);
    if (!loading) return;
    if (loading.total > 0) bar.value = percent(loading.done, loading.total);
    else bar.removeAttribute("value");
    sum.textContent = told(loading);
    render(loading.files.map(line), list);
  };
  return store.watch(["session"], () => {
    const loading = loadingOf(store.state.session);
    if (!loading) {
      clearTimeout(due);
      due = 0;
      const open = dialog;
      dialog = undefined;
      return open?.close();
    }
    if (dialog) draw();
    else if (!due) due = window.setTimeout(show, loading.phase === "reading" ? 0 : PATIENCE);
  });
}

function told({ phase, done, total, files }: Loading): string {
  const share = `${percent(done, total)} %`;
  const rate = files.reduce((sum, file) => sum + file.rate, 0);
  switch (phase) {
    case "reading":
      return `${bytes(done)} of ${bytes(total)} · ${share}${rate > 0 ? ` · ${bytes(rate)}/s` : ""}`;
    case "starting":
      return total > 0 ? `${count(done)} of about ${count(total)} tasks have arrived · ${share}` : `${count(done)} tasks have arrived`;
    case "seeking":
      return `${clock(done)} of ${clock(total)} · ${share}`;
  }
}

function line(file: FileProgress): TemplateResult {
  const share = file.total > 0 ? ` · ${digits(Math.min(100, (100 * file.bytes) / file.total))} %` : "";
  return html`<li><b>${file.file}</b><span class="quiet">${file.format || "…"}</span><span class="num">${count(file.rows)} rows${share}</span></li>`;
}
