// What is under way: files being read, with bytes, percent, rate and Cancel,
// or the run being played forward to a time.
import { fill, h } from "../base/dom.ts";
import { bytes, clock, count, digits, percent } from "../base/format.ts";
import type { FileProgress } from "../base/protocol.ts";
import type { Store } from "../model/store.ts";
import { showDialog, type Opened } from "./dialog.ts";

const PATIENCE = 400; // ms before a short seek is worth a dialog

export function mountProgress(_element: HTMLElement, store: Store): () => void {
  let dialog: Opened | undefined;
  let due = 0;
  const bar = h("progress", { max: 100, "aria-label": "Done" });
  const sum = h("p.num", { role: "status" });
  const list = h("ul.files");
  const show = () => {
    due = 0;
    const { loading } = store.state;
    if (!loading || dialog) return;
    const cancel = () => store.send({ type: "cancel" });
    const title = loading.phase === "reading" ? "Reading your files" : "Playing forward";
    const opened = showDialog(
      "progress",
      title,
      [bar, sum, list, h("div.buttons.end", {}, h("button.btn", { type: "button", onclick: () => opened.close() }, "Cancel"))],
      () => {
        dialog = undefined;
        if (store.state.loading) cancel();
      },
    );
    dialog = opened;
    draw();
  };
  const draw = () => {
    const { loading } = store.state;
    if (!loading) return;
    const share = percent(loading.done, loading.total);
    bar.value = share;
    const rate = loading.files.reduce((total, file) => total + file.rate, 0);
    sum.textContent =
      loading.phase === "reading"
        ? `${bytes(loading.done)} of ${bytes(loading.total)} · ${share} %${rate > 0 ? ` · ${bytes(rate)}/s` : ""}`
        : `${clock(loading.done)} of ${clock(loading.total)} · ${share} %`;
    fill(list, ...loading.files.map(line));
  };
  return store.watch(["loading"], () => {
    const { loading } = store.state;
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

function line(file: FileProgress): HTMLElement {
  const share = file.total > 0 ? ` · ${digits(Math.min(100, (100 * file.bytes) / file.total))} %` : "";
  return h("li", {}, h("b", {}, file.file), h("span.quiet", {}, file.format || "…"), h("span.num", {}, `${count(file.rows)} rows${share}`));
}
