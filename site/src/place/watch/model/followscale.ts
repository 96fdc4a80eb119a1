// When the scale of the cells moves: with another run, at the moment that was asked
// for, or with another layer, and else while a run goes on only when a tenth of the
// nodes lie beyond its ends.
import { fitScale, tally, WHOLE, within } from "../../../model/scale.ts";
import { all, type Store } from "../../../model/store.ts";

const AGAIN = 1000; // ms between two looks at where the values are

/** Keeps the scale of what fills the cells. */
export function followScale(store: Store<"run" | "reported" | "look">): () => void {
  let fitted = "";
  let asked = Infinity; // µs: the moment that the run is on its way to
  const look = () => {
    const { frame, layers, fill, whole } = store.state;
    const layer = layers.findIndex(({ id }) => id === fill);
    if (!frame || frame.at >= asked) fitted = ""; // the same moment has the same colours, whatever was seen on the way
    if (frame && frame.at >= asked) asked = Infinity;
    if (!frame || layer < 0) return;
    const fixed = whole || layers[layer].names;
    const counts = fixed ? undefined : tally(frame, layers, layer);
    if (fitted === `${fill} ${whole}` && (!counts || within(counts, store.state.scale))) return;
    const scale = counts ? fitScale(counts) : WHOLE;
    store.set({ scale: scale ?? WHOLE });
    if (scale) fitted = `${fill} ${whole}`;
  };
  let looked = -Infinity;
  const follow = () => {
    const { frame } = store.state;
    if (frame && fitted && frame.at < asked && performance.now() - looked < AGAIN) return;
    looked = performance.now();
    look();
  };
  const expect = () => {
    const { session } = store.state;
    if (session.is === "running") asked = session.arrival?.at ?? asked;
    else asked = Infinity;
  };
  return all(store.watch(["session"], expect), store.watch(["layers", "fill", "whole"], look), store.watch(["frame"], follow));
}
