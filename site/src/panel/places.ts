// The places of the page: each has its address and the whole window, and is loaded
// when it is first opened. Watch is the stage with all around it.
import { find, h } from "../base/dom.ts";
import type { Download } from "../base/format.ts";
import type { FromCluster, FromLab, FromPlanner, FromSweep, ToCluster, ToLab, ToPlanner, ToSweep } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { PLACES, type Place } from "../model/address.ts";
import type { Engine, Simulation } from "../model/engines.ts";
import { all, type Store } from "../model/store.ts";
import { later, type Mount, once } from "./later.ts";

/** Hears how much of a program has come; undefined: all of it. */
type Progress = (download: Download | undefined) => void;

/** Starts what works beside the simulation, each in workers of its own. */
export interface Starts {
  lab: () => Engine<ToLab, FromLab>;
  planner: (progress: Progress) => Engine<ToPlanner, FromPlanner>;
  sweep: (progress: Progress) => Engine<ToSweep, FromSweep>;
  cluster: (progress: Progress) => Engine<ToCluster, FromCluster>;
  simulation: (scenario: Scenario, files: boolean) => Simulation;
}

/** The model and the panel of each, which stay while the place is another. */
function makeBenches(store: Store, starts: Starts): Record<Exclude<Place, "watch">, () => Promise<Mount>> {
  return {
    compare: once(async () => {
      const [{ Comparison }, { coresFor }, { Pair }, { mountCompare }] = await Promise.all([
        import("../model/compare.ts"),
        import("../model/pool.ts"),
        import("../model/pair.ts"),
        import("./compare.ts"),
      ]);
      const comparison = new Comparison(store, starts.simulation, coresFor(navigator.hardwareConcurrency || 2));
      const pair = new Pair(
        starts.simulation,
        () => store.state,
        () => performance.now(),
      );
      return (element) => mountCompare(element, store, comparison, pair);
    }),
    sweep: once(async () => {
      const [{ Sweep }, { coresFor }, { openSweep }] = await Promise.all([
        import("../model/sweep.ts"),
        import("../model/pool.ts"),
        import("./sweep.ts"),
      ]);
      const sweep = new Sweep(store, starts.sweep, starts.simulation, coresFor((navigator.hardwareConcurrency || 2) + 1), () =>
        performance.now(),
      );
      return openSweep(store, sweep);
    }),
    plan: once(async () => {
      const [{ Planner }, { openPlanner }] = await Promise.all([import("../model/planner.ts"), import("./planner.ts")]);
      return openPlanner(store, new Planner(starts.planner));
    }),
    cluster: once(async () => {
      const [{ Cluster }, { mountCluster }] = await Promise.all([import("../model/cluster.ts"), import("./cluster.ts")]);
      const cluster = new Cluster(starts.cluster);
      return (element) => mountCluster(element, store, cluster);
    }),
    papers: once(async () => {
      const [{ Lab }, { openLab }] = await Promise.all([import("../model/lab.ts"), import("./lab.ts")]);
      return openLab(store, new Lab(starts.lab));
    }),
    gallery: once(async () => {
      const [{ mountGallery }, { ownKeeper }] = await Promise.all([import("./gallery.ts"), import("../model/kept.ts")]);
      return (element) => mountGallery(element, store, ownKeeper());
    }),
  };
}

const CLASSES = { watch: "", compare: "compare", sweep: "sweep", plan: "planner", cluster: "yours", papers: "lab", gallery: "gallery" };

export function mountPlaces(store: Store, starts: Starts): () => void {
  const nav = find("#places");
  const element = find("#place");
  const benches = makeBenches(store, starts);
  let unmount = () => {};
  let shown: Place = "watch";
  for (const place of PLACES) find(`#place-${place}`, nav).addEventListener("click", () => store.set({ place }));
  return all(
    () => unmount(),
    store.watch(["place"], () => {
      const { place } = store.state;
      for (const each of PLACES) {
        const button = find(`#place-${each}`, nav);
        if (each === place) button.setAttribute("aria-current", "page");
        else button.removeAttribute("aria-current");
      }
      if (place === shown) return;
      shown = place;
      unmount();
      unmount = () => {};
      document.body.dataset.place = place;
      element.hidden = place === "watch";
      if (place === "watch") return element.replaceChildren();
      const panel = h("div", { class: `panel ${CLASSES[place]}` });
      element.replaceChildren(h("h2.hidden", {}, find(`#place-${place}`, nav).textContent ?? ""), panel);
      element.scrollTop = 0;
      unmount = later(panel, benches[place]);
    }),
  );
}
