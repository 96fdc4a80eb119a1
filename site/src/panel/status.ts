// The line at the bottom: whether it runs, how fast, and what it costs.
import { find, h, say } from "../base/dom.ts";
import { bytes, clock, coming, count, digits, short } from "../base/format.ts";
import { engineDown, loadingOf, verdictOf } from "../model/session.ts";
import { all, type Store } from "../model/store.ts";

const PATIENCE = 10_000; // ms without a byte of the engine's program before the viewer is offered another try

/** again starts the engine anew. */
export function mountStatus(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  again: () => void,
): () => void {
  const light = h("i.light");
  const mode = h("b", {}, "starting");
  const value = (name: string, after = "", kind = "") => {
    const number = h("b.num", {}, "–");
    return { number, item: h("span", { class: kind }, name && `${name} `, number, after) };
  };
  const reached = value("", " real time", "run");
  const possible = value("up to", "", "wide run");
  const events = value("", " events/s", "wide run");
  const memory = value("memory", "", "wide run");
  memory.item.title =
    "Memory of the simulation. It grows until snapshots of earlier moments fill a sixteenth of this device's memory. Beside them 12,500 nodes need about 300 MB: at full speed they stop below 1 GB where the device has 8 GB.";
  const seed = value("seed", "", "wide run");
  const digest = value("digest", "", "wide run");
  const engine = value("", "", "wide");
  const left = h("span.warn", { hidden: true, title: "This device draws slowly, so some effects are off. The simulation is unaffected." });
  const verdict = h("span.verdict");
  const keeps = h("span");
  const privacy = h(
    "span.privacy",
    { title: "The browser blocks this page from contacting any other site." },
    keeps,
    " · ",
    h("b", {}, "0 bytes sent"),
  );
  const spoken = h("span.hidden", { "aria-live": "polite" });
  const retry = h("button.btn", { type: "button", id: "retry", hidden: true, onclick: again }, "Try again");
  const welcome = h("span.download.num", { role: "status" });
  find(".welcome").append(welcome);
  element.replaceChildren(
    h("span", {}, light, " ", mode),
    verdict,
    retry,
    reached.item,
    possible.item,
    events.item,
    memory.item,
    privacy,
    left,
    h("span.grow"),
    seed.item,
    digest.item,
    engine.item,
    spoken,
  );

  const report = () => {
    const { status, series, frame } = store.state;
    if (!status || !frame) return;
    const busy = series.last("cpu_used_pct");
    spoken.textContent = [
      clock(status.at),
      busy === undefined ? "" : `${Math.round(busy)} % busy`,
      series.last("overloaded_pct") === undefined ? "" : `${count(status.counts.overloaded ?? 0)} overloaded`,
      `${count(status.counts.down ?? 0)} down`,
    ]
      .filter(Boolean)
      .join(", ");
  };
  const timer = setInterval(() => store.state.status?.playing && report(), 10_000);
  let stalled = 0;
  return all(
    () => clearInterval(timer),
    () => clearTimeout(stalled),
    store.watch(["keeping"], () => say(keeps, `your files stay in this ${store.state.keeping === "files" ? "browser" : "tab"}`)),
    store.watch(["download", "session"], () => {
      const { download, session } = store.state;
      const gone = engineDown(session);
      clearTimeout(stalled);
      retry.hidden = !gone;
      if (gone) say(welcome, "The simulation is not running.");
      else say(welcome, download ? coming(download) : "");
      if (!download || gone) return;
      stalled = window.setTimeout(() => {
        retry.hidden = false;
        say(
          welcome,
          `${coming(download)}. Nothing has arrived for ${PATIENCE / 1000} seconds: wait, or try again at the bottom of the page.`,
        );
      }, PATIENCE);
    }),
    store.watch(["status", "frame", "session"], () => {
      const { status, frame, session, scenario, grid } = store.state;
      const before = scenario && session.is !== "opening" && !grid ? "cancelled" : "starting"; // nothing was ever there to show
      const name = engineDown(session)
        ? "stopped"
        : (loadingOf(session)?.phase ?? (!status || !frame ? before : status.ended ? "ended" : status.playing ? "live" : "paused"));
      if (element.dataset.mode !== name) element.dataset.mode = name;
      say(mode, name);
      if (!status) return;
      say(reached.number, times(status.reached));
      say(possible.number, times(status.possible));
      say(events.number, short(status.eventsPerSecond));
      say(memory.number, bytes(status.memory));
      say(digest.number, status.digest.slice(0, 8));
    }),
    store.watch(["left"], () => {
      left.hidden = store.state.left === 0;
      say(left, "effects reduced");
    }),
    store.watch(["resolvedScenario", "engine"], () => {
      say(seed.number, String(store.state.resolvedScenario?.seed ?? 0));
      say(engine.number, store.state.engine);
    }),
    store.watch(["session"], () => {
      const now = verdictOf(store.state.session);
      const text = { "": "", checking: "checking the link …", reproduced: "✓ reproduced", differs: "✗ differs from the link" };
      verdict.dataset.verdict = now;
      say(verdict, text[now]);
    }),
  );
}

/** Simulated seconds a second; a dash before anything was measured, and one digit where the whole number is none. */
function times(rate: number): string {
  if (rate === 0) return "–";
  return rate < 1 ? `${digits(rate)}×` : `${count(rate)}×`;
}
