// The line above the map: what is true now, in the longest words that fit, and read
// out when what matters changes.
import { atMostEvery, find, html, render, repeat, say } from "../../../base/dom.ts";
import { all, type Store } from "../../../model/store.ts";
import { type Piece, plain, type Sentence, sentenceOf } from "../model/sentence.ts";
import { show } from "./incident.ts";

const EVERY = 500; // ms between two changes of the numbers
const SPOKEN = 4000; // ms between two sentences that are read out

/** spoken is the live region. */
export function mountSentence(element: HTMLElement, spoken: HTMLElement, store: Store<"engine" | "run" | "reported" | "look">): () => void {
  const text = find("span", element); // it has the words of the first paint
  let shown = "";
  const draw = (pieces: Piece[]) =>
    render(
      repeat(
        pieces,
        (piece, i) => (typeof piece !== "string" && piece.of ? "show" : i), // the way to the map is one button in all texts
        (piece) => {
          if (typeof piece === "string") return piece;
          const { of } = piece;
          if (!of) return html`<b>${piece.text}</b>`;
          return html`<button type="button" class="link" id="now-show" title="Show on map" @click=${() => show(of, store)}>${piece.text}</button>`;
        },
      ),
      text,
    );
  /** Takes the longest text that has room; the row tells how many lines it may have. */
  const fit = ({ texts }: Sentence) => {
    element.classList.remove("tall");
    const room = element.clientHeight + 1;
    for (const pieces of texts) {
      draw(pieces);
      if (text.offsetHeight <= room) return;
    }
    element.classList.add("tall");
  };
  const speak = atMostEvery(SPOKEN, () => say(spoken, sentenceOf(store.state)?.spoken ?? ""));
  let told = "";
  const update = atMostEvery(EVERY, () => {
    const now = sentenceOf(store.state);
    if (!now) {
      if (shown) draw([]); // the row keeps its height: nothing moves when its words come
      shown = "";
      return;
    }
    const text = `${element.clientWidth} ${now.texts.map(plain).join("\n")}`;
    if (text !== shown) {
      shown = text;
      const focused = element.contains(document.activeElement);
      fit(now);
      if (focused && !element.contains(document.activeElement)) document.querySelector<HTMLElement>("#stage .map")?.focus(); // its button went with the fault
    }
    element.dataset.what = now.what;
    if (now.spoken !== told) {
      told = now.spoken;
      speak();
    }
  });
  return all(
    store.watch(
      ["grid", "status", "incidents", "fill", "layers", "camera", "systems", "scenario", "stage", "preview", "shape", "frame"],
      update,
    ),
  );
}
