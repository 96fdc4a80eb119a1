// The places of the page: each has its address and the whole window, and is loaded
// when it is first opened. Watch is the stage with all around it.
import { find, h } from "../base/dom.ts";
import { PLACES, type Place } from "../model/address.ts";
import type { Starts } from "../model/engines.ts";
import { all, type Store } from "../model/store.ts";
import { later, type Mount, once } from "../panel/later.ts";

/** The model and the panel of each, which stay while the place is another: what openBench makes. */
const LOADS: Record<Exclude<Place, "watch">, () => Promise<{ openBench: (store: Store, starts: Starts) => Mount | Promise<Mount> }>> = {
  compare: () => import("../place/compare/panel/compare.ts"),
  sweep: () => import("../place/sweep/panel/sweep.ts"),
  plan: () => import("../place/plan/panel/planner.ts"),
  cluster: () => import("../place/cluster/panel/cluster.ts"),
  papers: () => import("../place/papers/panel/lab.ts"),
  gallery: () => import("../place/gallery/panel/gallery.ts"),
};

const CLASSES = { watch: "", compare: "compare", sweep: "sweep", plan: "planner", cluster: "yours", papers: "lab", gallery: "gallery" };

export function mountPlaces(store: Store, starts: Starts): () => void {
  const nav = find("#places");
  const element = find("#place");
  const benches: Partial<Record<Place, () => Promise<Mount>>> = {};
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
      benches[place] ??= once(async () => (await LOADS[place]()).openBench(store, starts));
      unmount = later(panel, benches[place]);
    }),
  );
}
