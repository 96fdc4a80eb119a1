// The settings of the running system, as its own defaults describe them. A
// change starts the run again with it.
import { fill, h } from "../base/dom.ts";
import { words } from "../base/format.ts";
import { scalar, type Scalar } from "../model/address.ts";
import { change } from "../model/run.ts";
import { isScalar } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";
import { hasSlider, slider } from "./slider.ts";

const SHOWN = 5; // settings before the rest is folded away

export function mountPolicy(element: HTMLElement, store: Store): () => void {
  return store.watch(["systems", "scenario"], () => {
    const { systems, scenario } = store.state;
    const system = systems.find(({ id }) => id === scenario?.system);
    element.hidden = !system;
    if (!system) return;
    const fields = Object.entries(system.settings)
      .filter((entry): entry is [string, Scalar] => isScalar(entry[1]))
      .map(([name, usual]) => {
        const set = scenario?.settings?.[name];
        return field(name, usual, isScalar(set) ? set : usual, system.choices?.[name], (value) => change(store, { settings: { [name]: value } }));
      });
    fill(
      element,
      h("h2", {}, "Policy"),
      ...fields.slice(0, SHOWN),
      fields.length > SHOWN && h("details", {}, h("summary", {}, `${fields.length - SHOWN} more settings`), ...fields.slice(SHOWN)),
    );
  });
}

function field(name: string, usual: Scalar, value: Scalar, choices: string[] | undefined, set: (value: Scalar) => void): HTMLElement {
  const id = `setting-${name}`;
  const changed = value !== usual;
  const label = h("label", { for: id, title: changed ? `The usual value is ${usual}` : undefined, class: changed ? "changed" : "" }, words(name.replace(/_us$/, " (s)")));
  if (hasSlider(name)) return slider(name, Number(usual), Number(value), set);
  if (choices) {
    const menu = h("select", { id, onchange: () => set(menu.value) }, ...choices.map((choice) => h("option", { value: choice }, words(choice))));
    menu.value = String(value);
    return h("div.field", {}, label, menu);
  }
  if (typeof usual === "boolean") {
    const box = h("input", { id, type: "checkbox", onchange: () => set(box.checked) });
    box.checked = value === true;
    return h("div.field", {}, label, box);
  }
  const number = typeof usual === "number";
  const scale = number && name.endsWith("_us") ? 1e6 : 1; // times are shown in seconds
  const input = h("input", {
    id, type: number ? "number" : "text", step: "any", class: "num",
    onchange: () => input.value !== "" && set(number ? Number(input.value) * scale : scalar(input.value)),
  });
  input.value = String(scale === 1 ? value : Number(value) / scale);
  return h("div.field", {}, label, input);
}
