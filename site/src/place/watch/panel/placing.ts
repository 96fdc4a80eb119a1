// How far a cell is filled: where tasks come by the hundred thousand and agents place
// them by messages, simulated time hardly moves for a while, and this says why.
import { atMostEvery, h, say } from "../../../base/dom.ts";
import { count, percent } from "../../../base/format.ts";
import type { Status } from "../../../base/messages.ts";
import type { Store } from "../../../model/store.ts";

const MANY = 20_000; // tasks that wait
const SHARE = 0.05; // of those that came

/** Whether most of what happens is that tasks are placed, and how far that is. */
export function placing({ playing, counts }: Status): { placed: number; of: number } | undefined {
  const { waiting = 0, running = 0, migrating = 0 } = counts;
  const of = waiting + running + migrating;
  return playing && waiting >= MANY && waiting > SHARE * of ? { placed: of - waiting, of } : undefined;
}

export function mountPlacing(element: HTMLElement, store: Store<"reported">): () => void {
  const bar = h("progress", { max: 100, "aria-label": "Tasks placed" });
  const text = h("span.num");
  element.replaceChildren(text, bar);
  return store.watch(
    ["status"],
    atMostEvery(250, () => {
      const { status } = store.state;
      const now = status && placing(status);
      element.hidden = !now;
      if (!now) return;
      bar.value = percent(now.placed, now.of);
      say(text, `Placing tasks: ${count(now.placed)} of ${count(now.of)}`);
    }),
  );
}
