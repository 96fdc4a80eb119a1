// The experiment that is looked at in the address.
import { type Asking, fits } from "../../../model/placelink.ts";
import type { Lab } from "./lab.ts";

/** Papers as a place whose question a link has. */
export function askingLab(lab: Lab): Asking {
  const first = () => ({ shown: lab.state.experiments[0]?.id ?? "" });
  return {
    place: "papers",
    name: "experiment",
    tell: () => (lab.state.shown === first().shown ? undefined : { shown: lab.state.shown }),
    take: (value = first()) => {
      const known = lab.state.experiments;
      if (!fits(value, first()) || (known.length > 0 && !known.some(({ id }) => id === value.shown))) return false;
      lab.show(value.shown);
      return true;
    },
    watch: (listener) => lab.watched.watch(["lab"], listener),
  };
}
