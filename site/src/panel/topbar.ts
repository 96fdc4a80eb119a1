// The bar at the top: which scenario and which system run, and the theme. Its
// buttons stand in index.html and run commands.
import { find, h } from "../base/dom.ts";
import { change, openEntry } from "../model/run.ts";
import { titleOf } from "../model/scenario.ts";
import { all, type Store } from "../model/store.ts";
import { offered, systemOf } from "../model/systems.ts";

export function mountTopbar(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  const scenarios = find<HTMLSelectElement>("#scenario", element);
  const systems = find<HTMLSelectElement>("#system", element);
  scenarios.onchange = () => {
    if (scenarios.value) void openEntry(store, scenarios.value);
  };
  systems.onchange = () => change(store, { system: systems.value });
  return all(
    store.watch(["gallery", "base", "bases", "scenario", "notice", "trouble"], () => {
      const { gallery, base, bases, scenario } = store.state;
      if (!scenario || gallery.length === 0) return;
      const own = gallery.some(({ id }) => id === base) ? [] : [h("option", { value: "" }, scenario.name ?? "Own scenario")];
      const called = ({ id, name }: { id: string; name: string }) => (id === base ? (titleOf(scenario, bases[base]) ?? name) : name);
      scenarios.replaceChildren(...own, ...gallery.map((one) => h("option", { value: one.id }, called(one))));
      scenarios.value = own.length > 0 ? "" : base;
    }),
    store.watch(["systems", "scenario", "trouble"], () => {
      if (store.state.systems.length === 0) return;
      const current = systemOf(store.state);
      const listed = offered(store.state.systems);
      if (current && !listed.includes(current)) listed.push(current);
      systems.replaceChildren(...listed.map(({ id, name }) => h("option", { value: id }, name)));
      systems.value = current?.id ?? "";
    }),
  );
}
