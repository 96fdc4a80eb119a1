// The head of a frame in another page: the run's title, its system, and the way to the
// whole page.
import { find, h, say } from "../base/dom.ts";
import { bare, encodeAddress } from "../model/address.ts";
import type { Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";
import { addressOf } from "./location.ts";

export function mountFramed(element: HTMLElement, store: Store): () => void {
  const title = h("h1");
  if (!document.documentElement.matches("[data-show~=map]")) find("#drawer").setAttribute("role", "main"); // the map is not there
  const system = h("small");
  const open = h("a.btn", { target: "_blank", rel: "noopener", href: location.pathname }, "Open in Parley ↗");
  const here = async () => {
    open.href = `${location.origin}${location.pathname}#${await encodeAddress(bare(addressOf(store.state)))}`;
  };
  // the link leads to the moment at which it is followed
  for (const event of ["pointerdown", "focus", "pointerenter"]) open.addEventListener(event, () => void here());
  element.replaceChildren(title, system, open);
  return store.watch(["scenario", "systems"], () => {
    const { scenario } = store.state;
    say(title, scenario?.name ?? "Parley");
    say(system, systemOf(store.state)?.name ?? "");
    void here();
  });
}
