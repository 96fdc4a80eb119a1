// How a shared moment compares with what its sender saw, said on the stage while the
// run stands there.
import { h, nothing, render } from "../../../base/dom.ts";
import { duration } from "../../../base/format.ts";
import { type Landed, left } from "../../../model/session.ts";
import type { Store } from "../../../model/store.ts";

/** How it compares, in a sentence or two. */
export function arrivalWords({ asked, digest, at, found }: Landed): string {
  if (at !== asked) return `The run ends at ${duration(at)}, before the link's moment (${duration(asked)}).`;
  if (found.startsWith(digest)) return `Reproduced at ${duration(at)}, to the last bit.`;
  return `Not what the sender saw at ${duration(at)}: digest ${found.slice(0, 8)} here, ${digest} in the link. Another version of Parley, another file, or a link changed by hand.`;
}

export function mountArrival(element: HTMLElement, store: Store<"run">): () => void {
  const close = () => {
    const { session } = store.state;
    if (session.is === "running") store.set({ session: left(session) });
  };
  const landedOf = () => (store.state.session.is === "running" ? store.state.session.landed : undefined);
  let told: Landed | undefined;
  return store.watch(["session"], () => {
    const landed = landedOf();
    if (landed === told) return;
    told = landed;
    element.hidden = !landed;
    if (!landed) return render(nothing, element);
    const on = landed.at === landed.asked;
    element.dataset.same = String(on && landed.found.startsWith(landed.digest));
    render(
      [
        h("span", {}, arrivalWords(landed)),
        on
          ? h("button.btn.primary", { type: "button", id: "play-on", onclick: () => store.send({ type: "play" }) }, "Play from here")
          : undefined,
        h("button.btn.quiet.square", { type: "button", id: "arrival-close", "aria-label": "Close", onclick: close }, "×"),
      ],
      element,
    );
  });
}
