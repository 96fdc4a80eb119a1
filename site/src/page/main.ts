// The page: one state, one worker, the panels around them.
import { find, h } from "../base/dom.ts";
import { recall } from "../base/memory.ts";
import type { FromWorker, ToWorker } from "../base/messages.ts";
import { BREAKPOINTS } from "../base/tokens.ts";
import { scriptAddress } from "../base/trusted.ts";
import { FrameKeeper, receive } from "../model/engine.ts";
import { Engines } from "../model/engines.ts";
import { followFormulas } from "../model/formula.ts";
import { followLesson } from "../model/lesson.ts";
import { refusal } from "../model/may.ts";
import type { Preview } from "../model/preview.ts";
import { FIRST_SPEED, loadGallery, loadSystems, open, revive } from "../model/run.ts";
import { followCareful } from "../model/slow.ts";
import { emptyState, Store } from "../model/store.ts";
import { later } from "../panel/later.ts";
import { mountProgress } from "../panel/progress.ts";
import { mountSilence } from "../panel/silence.ts";
import { mountStatus } from "../panel/status.ts";
import { mountTerms } from "../panel/term.ts";
import { mountToast } from "../panel/toast.ts";
import { mountTopbar } from "../panel/topbar.ts";
import { mountTrouble } from "../panel/trouble.ts";
import { mountInspector } from "../place/watch/panel/inspector.ts";
import { mountSetup } from "../place/watch/panel/setup.ts";
import { mountStage } from "../place/watch/panel/stage.ts";
import { mountTimeline } from "../place/watch/panel/timeline.ts";
import { makeCommands } from "./actions.ts";
import { startCovers } from "./covers.ts";
import { listenForFiles } from "./files.ts";
import { bind } from "./keys.ts";
import { startLocation } from "./location.ts";
import { showPreview } from "./opening.ts";
import { mountPlaces } from "./places.ts";
import { Renderer } from "./renderer.ts";
import { exportAll, share, shareShort } from "./share.ts";
import { startCluster, startLab, startLooker, startPlanner, startSimulation, startSweep } from "./simulation.ts";
import { startTheme } from "./theme.ts";
import { startTitle } from "./title.ts";
import "./page.css";

const store = new Store(
  emptyState(),
  (message: ToWorker) => {
    const notice = refusal(store.state, message);
    if (notice) store.set({ notice });
    else engines.send(message);
  },
  (scenario, files) => startSimulation(engines.partFor(scenario, files)),
);
const SETTLED = 3000; // ms after the first picture that the page's own files have had their turn
const LOOK = 500; // ms between two looks for an engine that is silent
const stage = find("#stage");
const renderer = new Renderer(stage, store);
const keeper = new FrameKeeper();
let preview: Preview | undefined;
const spent = (buffer: ArrayBuffer) => {
  if (!renderer.draw(buffer)) store.send({ type: "frame", buffer });
};
const hear = (message: FromWorker) => {
  if (message.type === "ready" || message.type === "opened") performance.mark(`parley-${message.type}`);
  const told = preview ? preview.lets(message) : message;
  if (told) receive(store, told, keeper, spent);
};
const engines = new Engines(
  (part) => startSimulation(part, (download) => store.set({ download })),
  hear,
  (silent) => store.set({ silent }),
  () => performance.now(),
  FIRST_SPEED,
  (system) => store.state.systems.some(({ id, program }) => id === system && program === true),
);
setInterval(() => !document.hidden && engines.look(), LOOK);

/** Tries again what did not start, or does not answer: a request, the engine, or else what the address says. */
function again(): void {
  const { trouble } = store.state;
  if (trouble?.again) return open(store, trouble.again.scenario, trouble.again);
  engines.end();
  if (!revive(store)) dispatchEvent(new PopStateEvent("popstate"));
}

/** Asks what the columns of a table mean, and opens it. */
function explain(file: File, map: string): void {
  import("../panel/mapper.ts").then(
    ({ showMapper }) => showMapper(store, file, map, startLooker()),
    () => store.set({ notice: "Could not load the dialog about columns: the server is unreachable. Open the file again." }),
  );
}

store.watch(["foreignProgram"], () => {
  const text = store.state.foreignProgram?.scenario.program;
  if (text === undefined) return;
  import("../panel/foreign.ts").then(
    ({ showForeignProgram }) => showForeignProgram(store, text),
    () => store.set({ notice: "Could not load the dialog about the link's program: the server is unreachable. Open the link again." }),
  );
});
store.set({
  reducedMotion: matchMedia("(prefers-reduced-motion: reduce)").matches,
  keys: recall("keys") !== "off",
  careful: recall("careful") !== "off",
  keeping: keepingOf(recall("keep")),
});
followCareful(store);
followFormulas(store);
followLesson(store);
startLocation(
  store,
  showPreview(store).then((shown) => (preview = shown)?.until ?? 0),
);
startTheme(store);
startTitle(store);
document.body.classList.toggle("show-setup", recall("setup") === "open" && !matchMedia(`(max-width: ${BREAKPOINTS.phone}px)`).matches);
startCovers(store);
const choose = listenForFiles(store);
bind(
  makeCommands(store, {
    choose,
    explain,
    share: () => void share(store),
    shareShort: () => void shareShort(store),
    exportAll: () => void exportAll(store),
  }),
  store,
);
mountStage(stage, store);
mountTimeline(find("#timeline"), store);
mountStatus(find("#status"), store, again);
mountTopbar(find("#topbar"), store);
mountSetup(find("#setup"), store);
mountInspector(find("#inspector"), store);
mountPlaces(store, {
  lab: startLab,
  planner: startPlanner,
  sweep: startSweep,
  cluster: startCluster,
  simulation: store.begin,
});
if (document.documentElement.classList.contains("embed")) {
  const head = document.createElement("header");
  head.id = "framed";
  find("#stage").before(head);
  later(head, async () => {
    const { mountFramed } = await import("./framed.ts");
    return (element) => mountFramed(element, store);
  });
  if (document.documentElement.matches("[data-show~=lesson]"))
    import("../place/watch/panel/presenter.ts").then(
      ({ mountCaption }) => mountCaption(store),
      () => store.set({ notice: "Could not load the lesson: the server is unreachable. Load the page again." }),
    );
}
let presents = false;
let leave = () => {};
store.watch(["presenting", "lesson"], () => {
  const present = store.state.presenting && store.state.lesson.length > 0;
  if (present === presents) return;
  presents = present;
  leave();
  leave = () => {};
  if (!present) return;
  import("../place/watch/panel/presenter.ts").then(
    ({ mountPresenter }) => {
      if (presents) leave = mountPresenter(store);
    },
    () => store.set({ presenting: false, notice: "Could not load the large type: the server is unreachable. Try again." }),
  );
});
mountToast(find("#toast"), store);
mountTerms(find(document.documentElement.classList.contains("embed") ? "#timeline" : "#topbar"));
mountTrouble(document.body, store, choose, again, explain);
mountProgress(document.body, store);
mountSilence(document.body, store, again);
for (const list of [loadSystems, loadGallery])
  list(store).catch((error: Error) =>
    store.set({ notice: `${error.message} Reload the page to choose from it; your run is in the address.` }),
  );
find(".late").remove();
addEventListener("load", () => {
  if (!find<HTMLLinkElement>("link[rel=stylesheet]").sheet)
    store.set({ notice: "The page's styles (page.css) could not be loaded. Everything works; reload the page to get them." });
});

// What runs is written down only where the viewer asked for it.
let keeps = false;
store.watch(["keeping"], () => {
  if (keeps || store.state.keeping === "") return;
  keeps = true;
  Promise.all([import("./keep.ts"), import("../model/kept.ts")]).then(
    ([{ startKeeping }, { ownKeeper }]) => startKeeping(store, ownKeeper()),
    () => {
      keeps = false;
      store.set({ notice: "Runs are not kept this time: that part of the page could not be loaded." });
    },
  );
});

function keepingOf(text: string): "" | "runs" | "files" {
  return text === "runs" || text === "files" ? text : "";
}

// Later visits need no network: once the run is on the screen its build is kept, and then,
// unless the viewer saves data, the programs of all other places and systems.
async function keepOffline(): Promise<void> {
  try {
    const { serviceWorker } = navigator;
    await serviceWorker?.register(scriptAddress("offline.js"));
    const { active } = await serviceWorker.ready;
    while (active && active.state !== "activated")
      await new Promise((done) => active.addEventListener("statechange", done, { once: true }));
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (!connection?.saveData) whenIdle(() => active?.postMessage("keep the rest"));
  } catch {
    // A browser may forbid it, also to ask for it: then every visit asks the server.
  }
}

// What is heavy waits until the first picture of the run is on the screen.
const stop = store.watch(["frame", "preview"], () => {
  if (!store.state.frame || store.state.preview) return;
  stop();
  requestAnimationFrame(() =>
    setTimeout(() => {
      later(find("#drawer"), async () => {
        const { mountDrawer } = await import("../place/watch/panel/drawer.ts");
        return (element) => mountDrawer(element, store);
      });
      if (store.state.draw !== "2d") whenIdle(() => (store.state.draw === "gl" || hasGraphicsCard()) && renderer.start());
      setTimeout(() => whenIdle(() => void keepOffline()), SETTLED);
    }),
  );
});

/** Reports whether a graphics card draws WebGL. Where the processor does, a picture of the renderer takes it longer than the page's own. */
function hasGraphicsCard(): boolean {
  const gl = h("canvas").getContext("webgl2");
  const { UNMASKED_RENDERER_WEBGL: named } = gl?.getExtension("WEBGL_debug_renderer_info") ?? {};
  const name = String(gl?.getParameter(named ?? gl.RENDERER));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return gl !== null && !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Runs work that holds the thread for a moment when nothing else wants it, at the latest in two seconds. */
function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 500);
}
