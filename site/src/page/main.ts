// The page: one state, one worker, the panels around them.
import "./page.css";
import { find } from "../base/dom.ts";
import { recall } from "../base/memory.ts";
import type { FromWorker, ToWorker } from "../base/protocol.ts";
import { FrameKeeper, receive } from "../model/engine.ts";
import { Lab } from "../model/lab.ts";
import { Planner } from "../model/planner.ts";
import { emptyState, Store } from "../model/store.ts";
import { FIRST_SPEED, loadGallery } from "../model/run.ts";
import { mountDrawer } from "../panel/drawer.ts";
import { mountInspector } from "../panel/inspector.ts";
import { mountProgress } from "../panel/progress.ts";
import { mountSetup } from "../panel/setup.ts";
import { mountStage } from "../panel/stage.ts";
import { mountStatus } from "../panel/status.ts";
import { mountTimeline } from "../panel/timeline.ts";
import { mountToast } from "../panel/toast.ts";
import { mountTopbar } from "../panel/topbar.ts";
import { mountTrouble } from "../panel/trouble.ts";
import { makeCommands } from "./actions.ts";
import { listenForFiles } from "./files.ts";
import { bind } from "./keys.ts";
import { startLocation } from "./location.ts";
import { Renderer } from "./renderer.ts";
import { share } from "./share.ts";
import { startLab, startSimulation } from "./simulation.ts";
import { startTheme } from "./theme.ts";

const engine = startSimulation();
const store = new Store(emptyState(), (message: ToWorker) => engine.send(message));
const lab = new Lab(store, startLab);
const planner = new Planner(store, startLab);
const stage = find("#stage");
const renderer = new Renderer(stage, store);
const keeper = new FrameKeeper();
const spent = (buffer: ArrayBuffer) => {
  if (!renderer.draw(buffer)) store.send({ type: "frame", buffer });
};
engine.listen((message: FromWorker) => {
  if (message.type === "ready" || message.type === "opened") performance.mark(`parley-${message.type}`);
  receive(store, message, keeper, spent);
});

store.set({ calm: matchMedia("(prefers-reduced-motion: reduce)").matches, keys: recall("keys") !== "off" });
store.send({ type: "speed", speed: FIRST_SPEED });
startLocation(store);
startTheme();
const choose = listenForFiles(store);
bind(makeCommands(store, { choose, share: () => void share(store) }), store);
mountStage(stage, store);
mountTimeline(find("#timeline"), store);
mountStatus(find("#status"), store);
mountTopbar(find("#topbar"), store);
mountSetup(find("#setup"), store);
mountInspector(find("#inspector"), store);
mountToast(find("#toast"), store);
mountTrouble(document.body, store, choose);
mountProgress(document.body, store);
loadGallery(store).catch((error: Error) => store.set({ notice: error.message }));

// What is heavy waits until the first picture of the run is on the screen.
const stop = store.watch(["frame"], () => {
  if (!store.state.frame) return;
  stop();
  requestAnimationFrame(() =>
    setTimeout(() => {
      mountDrawer(find("#drawer"), store, lab, planner);
      if (!store.state.plain) whenIdle(() => renderer.start());
    }),
  );
});

/** Runs work that holds the thread for a moment when nothing else wants it, at the latest in two seconds. */
function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 500);
}
