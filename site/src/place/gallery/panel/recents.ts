// The runs that this browser keeps: the switch for it, the cards, and the way to
// forget all of it.
import { h, render, say } from "../../../base/dom.ts";
import { bytes, number } from "../../../base/format.ts";
import { remember } from "../../../base/memory.ts";
import { decodeAddress } from "../../../model/address.ts";
import { type Keeper, type Keeping, type KeptRun, whyNot } from "../../../model/kept.ts";
import { namesIn } from "../../../model/need.ts";
import { open, openAddress } from "../../../model/run.ts";
import type { Store } from "../../../model/store.ts";

export function mountRecents(element: HTMLElement, store: Store, keeper: Keeper): () => void {
  const choose = (keeping: Keeping) => {
    remember("keep", keeping);
    store.set({ keeping });
  };
  const runs = h("input", { id: "keep-runs", type: "checkbox", onchange: () => choose(runs.checked ? "runs" : "") });
  const files = h("input", {
    id: "keep-files",
    type: "checkbox",
    onchange: () => {
      choose(files.checked ? "files" : "runs");
      if (!files.checked) void keeper.forgetFiles().then(draw, fail);
    },
  });
  const played = h("span");
  const withFiles = h("label.check", {}, files, " Keep the trace files that they play too", played);
  const held = h("span.quiet", { role: "status" });
  const forget = h(
    "button.btn",
    {
      type: "button",
      id: "forget",
      onclick: () => {
        choose("");
        keeper.forget().then(draw, fail);
      },
    },
    "Forget everything",
  );
  const list = h("div.kept", { id: "recents" });
  element.replaceChildren(
    h("h2", {}, "Recent runs"),
    h("div.keeping", {}, h("label.check", {}, runs, " Keep my last runs in this browser"), withFiles, held, forget),
    list,
  );
  const fail = (error: unknown) => say(held, whyNot(error));
  const show = async (run: KeptRun) => {
    const { address, problems } = await decodeAddress(run.link);
    const { need, packed, at = 0, digest = "" } = address;
    if (problems.length > 0) return store.set({ notice: problems.join(" ") });
    const mine = need ? await keeper.files(need).catch(() => undefined) : undefined;
    store.set({ place: "watch" });
    if (need && packed && mine) return open(store, packed, { files: mine, at, digest, play: false, selected: address.selected ?? -1 });
    if (need && packed)
      return store.set({
        expected: { scenario: packed, at, digest },
        notice: `This run plays ${namesIn(need)}, which this browser does not keep. Open the files here to see it.`,
      });
    return openAddress(store, address, true);
  };
  const card = (run: KeptRun) =>
    h(
      "button.question",
      {
        type: "button",
        id: `recent-${run.id}`,
        onclick: () => void show(run).catch((error: Error) => store.set({ notice: error.message })),
      },
      run.picture ? h("img", { src: run.picture, alt: "" }) : h("span"),
      h("strong", {}, run.title),
      h("span", {}, run.about),
      h("small", {}, new Date(run.saved).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })),
    );
  let ended = false;
  const draw = async () => {
    try {
      const kept = await keeper.runs();
      const size = await keeper.size();
      if (ended) return;
      const total = size.runs + size.files;
      forget.hidden = total === 0;
      say(
        held,
        total === 0
          ? "Nothing is kept. What you keep stays in this browser; it is never sent."
          : `${number(kept.length, "run")}, ${bytes(size.runs)}${size.files > 0 ? `, and ${bytes(size.files)} of files` : ""} in this browser alone`,
      );
      render(kept.map(card), list);
    } catch (error) {
      if (ended) return;
      forget.hidden = true;
      fail(error);
    }
  };
  const stop = store.watch(["keeping", "traceFiles"], () => {
    const { keeping, traceFiles } = store.state;
    runs.checked = keeping !== "";
    files.checked = keeping === "files";
    withFiles.hidden = keeping === "";
    say(played, traceFiles.length > 0 ? ` (of this run: ${bytes(traceFiles.reduce((sum, { size }) => sum + size, 0))})` : "");
  });
  const timer = setInterval(() => store.state.keeping !== "" && !element.contains(document.activeElement) && void draw(), 2000);
  void draw();
  return () => {
    ended = true;
    stop();
    clearInterval(timer);
  };
}
