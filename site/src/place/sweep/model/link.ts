// The sweep in the address: its fields and values, or its document where a hand wrote in it,
// and the figure that is looked at. The results are not in it.
import { type Asking, fits } from "../../../model/placelink.ts";
import type { Store } from "../../../model/store.ts";
import { documentOf, type Form, usualForm } from "./form.ts";
import type { Sweep } from "./sweep.ts";

const LOOKS = { metric: "", differences: false };
const BY_HAND = { document: "", ...LOOKS };
const BY_FORM = { form: { axes: [{ path: "", values: "" }], seeds: "", until: "", compare: false } as Form, ...LOOKS };

/** Sweep as a place whose question a link has. */
export function askingSweep(store: Store<"engine" | "run" | "reported">, sweep: Sweep): Asking {
  let stop = () => {};
  const usual = () => ({ form: usualForm(store.state), ...LOOKS });
  return {
    place: "sweep",
    name: "sweep",
    tell: () => {
      const { form, document, metric, differences } = sweep.state;
      if (!form) return document ? { document, metric, differences } : undefined;
      const now = { form, metric, differences };
      return JSON.stringify(now) === JSON.stringify(usual()) ? undefined : now;
    },
    take: (value = usual()) => {
      const byHand = fits(value, BY_HAND);
      if (!byHand && !fits(value, BY_FORM)) return false;
      const { metric, differences } = value;
      const { form, document = "" }: { form?: Form; document?: string } = value;
      sweep.set({ form: byHand ? undefined : form, document, metric, differences });
      stop();
      stop = store.watch(["systems", "scenario", "status"], () => {
        if (store.state.systems.length === 0 || !store.state.scenario || !store.state.status) return; // the form is about the run on the page
        queueMicrotask(() => stop());
        void sweep.write(form && !byHand ? documentOf(form, store.state) : document);
      });
      return true;
    },
    watch: (listener) => sweep.watched.watch(["sweep"], listener),
  };
}
