// The settings of the running system, as it describes them. A change starts the
// run again with it.
import { h, render } from "../../../base/dom.ts";
import type { Setting } from "../../../base/messages.ts";
import { may } from "../../../model/may.ts";
import { set } from "../../../model/run.ts";
import type { Store } from "../../../model/store.ts";
import { settingValue, systemOf } from "../../../model/systems.ts";
import { settingField } from "./setting.ts";

export function mountPolicy(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  const opened = new Set<string>(); // groups that the viewer unfolded
  return store.watch(["systems", "scenario"], () => {
    const system = systemOf(store.state);
    element.hidden = !system;
    if (!system) return;
    const field = (setting: Setting) => {
      const made = settingField(setting, settingValue(setting, store.state.scenario), (value) => set(store, setting.id, value));
      if (!may(store.state.scenario, `settings.${setting.id}`))
        for (const input of made.querySelectorAll("input, select")) input.setAttribute("disabled", "");
      return made;
    };
    render(
      [
        h("h2", {}, "Policy"),
        h("p.quiet", {}, system.about, " ", h("button.link", { type: "button", id: "how", "data-command": "how" }, "How it works")),
        ...groupsOf(system.settings).map(([group, settings]) => {
          if (group === "") return h("div", {}, ...settings.map(field));
          const changed = settings.filter((setting) => settingValue(setting, store.state.scenario) !== setting.default).length;
          const details = h(
            "details",
            { open: opened.has(group), ontoggle: () => void (details.open ? opened.add(group) : opened.delete(group)) },
            h("summary", {}, group, changed > 0 && h("small", {}, ` · ${changed} changed`)),
            ...settings.map(field),
          );
          return details;
        }),
      ],
      element,
    );
  });
}

/** Settings by their headings, in the order of the description. */
export function groupsOf(settings: Setting[]): [group: string, settings: Setting[]][] {
  const groups = new Map<string, Setting[]>([["", []]]);
  for (const setting of settings) groups.set(setting.group ?? "", [...(groups.get(setting.group ?? "") ?? []), setting]);
  return [...groups];
}
