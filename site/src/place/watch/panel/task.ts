// What a class may change of a scenario: the settings themselves, what was changed so
// far, and the link that is handed in.
import { h, nothing, render } from "../../../base/dom.ts";
import { words } from "../../../base/format.ts";
import type { Setting } from "../../../base/messages.ts";
import { changesOf } from "../../../model/may.ts";
import { set } from "../../../model/run.ts";
import type { Store } from "../../../model/store.ts";
import { settingValue, systemOf } from "../../../model/systems.ts";
import { settingField, told } from "./setting.ts";

export function mountTask(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  return store.watch(["scenario", "systems", "bases"], () => {
    const { scenario, base, bases } = store.state;
    const allowed = scenario?.may_change ?? [];
    element.hidden = allowed.length === 0;
    if (!scenario || allowed.length === 0) return render(nothing, element);
    const settings = systemOf(store.state)?.settings ?? [];
    const settingAt = (path: string) => settings.find(({ id }) => path === `settings.${id}`);
    const value = (setting: Setting | undefined, given: unknown) => {
      const plain = given ?? setting?.default;
      if (setting) return told(setting, plain);
      if (plain === undefined) return "left out";
      return typeof plain === "object" ? "another list" : String(plain);
    };
    const original = bases[base];
    const differing = original ? changesOf(original, scenario) : [];
    const changes = differing.filter((one) => one.allowed);
    const given = differing.filter((one) => !one.allowed).map(({ path }) => path.replace(/^settings\./, "").replaceAll(/[._]/g, " "));
    const others = allowed.filter((path) => !settingAt(path)).map((path) => words(path.replace(/^.*\./, "")));
    render(
      [
        h("h2", {}, "You may change"),
        ...settings
          .filter(({ id }) => allowed.includes(`settings.${id}`))
          .map((setting) => settingField(setting, settingValue(setting, scenario), (next) => set(store, setting.id, next), "task")),
        others.length === 0
          ? undefined
          : h("p.quiet", {}, `${settings.length > 0 && allowed.length > others.length ? "And" : "You may change"}: ${others.join(", ")}.`),
        original
          ? changes.length > 0
            ? h(
                "ul.changed",
                { "aria-label": "Changed" },
                ...changes.map(({ path, from, to }) => {
                  const setting = settingAt(path);
                  return h("li", {}, `${setting?.name ?? words(path)}: ${value(setting, from)} → ${value(setting, to)}`);
                }),
              )
            : h("p.quiet", {}, "Nothing is changed yet.")
          : h("p.quiet", {}, "Your teacher sees what you changed."),
        given.length === 0 ? undefined : h("p.quiet", {}, `The exercise differs from the gallery's scenario in: ${given.join(", ")}.`),
        h("div.buttons", {}, h("button.btn.primary", { type: "button", id: "hand-in", "data-command": "share" }, "Hand in: copy the link")),
      ],
      element,
    );
  });
}
