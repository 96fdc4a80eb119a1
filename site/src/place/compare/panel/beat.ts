// A challenge in Compare: the table to beat, the ways to write a scheduler, and the button
// that makes the link of a comparison, or hands a challenge on with what is new.
import { h, render, say } from "../../../base/dom.ts";
import { digits } from "../../../base/format.ts";
import { FORMULA } from "../../../model/formula.ts";
import { all, type Store } from "../../../model/store.ts";
import { type Beat, beatOf, linkOf, tableOf, unpackBeat } from "../model/beat.ts";
import type { Comparison } from "../model/compare.ts";

export function beatIn(
  store: Store<"run" | "reported" | "look" | "page">,
  comparison: Comparison,
): { element: HTMLElement; button: HTMLElement; watch: () => () => void } {
  const element = h("section.beat", { hidden: true, "aria-label": "Challenge" });
  const button = h("button.btn", { type: "button", id: "compare-beat", hidden: true, onclick: () => void hand() }, "Beat this");
  let beat: Beat | undefined; // of the link
  let made: Beat | undefined; // by the comparison
  let read: string | undefined;

  const write = (tab: string) => () => store.set({ tab, place: "watch" });
  const show = () => {
    element.hidden = !beat;
    if (!beat) return;
    render(
      [
        h("h2", {}, beat.name),
        h("p", {}, `Score: ${beat.about} ${beat.seeds.length} seeds.`),
        h(
          "table.full",
          {},
          h("thead", {}, h("tr", {}, ...["rank", "scheduler", "score"].map((head) => h("th", { scope: "col" }, head)))),
          h(
            "tbody",
            {},
            ...tableOf(beat).map(({ rank, name, score }) =>
              h("tr", {}, h("td.n", {}, String(rank)), h("td", {}, name), h("td.n", {}, score === undefined ? "–" : digits(score))),
            ),
          ),
        ),
        h("p", {}, "Write a scheduler of your own, compare it here, and hand the link on. parley grade plays all of it again."),
        h(
          "div.buttons",
          {},
          h("button.btn", { type: "button", id: "beat-formula", onclick: write(FORMULA) }, "Write a formula"),
          h("button.btn", { type: "button", id: "beat-program", onclick: write("program") }, "Write a program"),
        ),
      ],
      element,
    );
  };
  const offer = () => {
    made = comparison.state.running || store.state.traceFiles.length > 0 ? undefined : beatOf(comparison.state, beat);
    button.hidden = !made;
    say(button, beat ? "Hand on" : "Beat this");
  };
  const take = () => {
    const asked = store.state.asked.compare;
    if (asked === read) return;
    read = asked;
    beat = undefined;
    if (!asked) return show();
    unpackBeat(asked).then(
      (found) => {
        if (read !== asked) return;
        beat = found;
        show();
        offer();
      },
      (error: Error) => store.set({ notice: `The challenge of the link cannot be read: ${error.message}.` }),
    );
  };
  const hand = async () => {
    if (!made) return;
    const link = await linkOf(made);
    if (!link) return store.set({ notice: "The challenge is too long for a link: its scenario or a program in it is." });
    const whole = `${location.origin}${location.pathname}#${link.link}`;
    const told = made;
    await navigator.clipboard.writeText(whole).then(
      () => store.set({ notice: `Link copied. It has the table and what is played; nothing is sent.` }),
      () => store.set({ notice: "The browser does not let the page copy: the link is in the address bar." }),
    );
    read = link.ask;
    beat = told;
    store.set({ asked: { ...store.state.asked, compare: link.ask } });
    show();
    offer();
  };
  return {
    element,
    button,
    watch: () => all(store.watch(["asked"], take), comparison.watched.watch(["compare"], offer)),
  };
}
