// The question of the card that was opened, above the map until it is answered, and the card's
// picture in place of the map until its run is there.
import { h, html, render } from "../../../base/dom.ts";
import { type Pinned, pinnedOf, startingCard } from "../../../model/question.ts";
import { all, type Store } from "../../../model/store.ts";

export function mountQuestion(element: HTMLElement, picture: HTMLElement, store: Store): () => void {
  const asked = h("b");
  const words = h("span.answer", { role: "status" });
  const bar = h("progress", { max: 100, "aria-hidden": "true" });
  const cancel = h("button.btn", { type: "button", id: "question-cancel", onclick: () => store.send({ type: "cancel" }) }, "Cancel");
  const others = h("button.link", { type: "button", id: "question-all", onclick: () => store.set({ place: "gallery" }) }, "All questions");
  const close = h(
    "button.btn.quiet.square",
    { type: "button", id: "question-close", "aria-label": "Close the question", onclick: () => store.set({ question: "" }) },
    "×",
  );
  element.append(h("div", {}, h("p", {}, "You asked: ", asked), h("p", {}, words)), cancel, others, close, bar);
  const image = h("img", { alt: "" });
  picture.append(image);
  let told = "";
  const draw = () => {
    const pinned = pinnedOf(store.state);
    element.hidden = !pinned;
    if (!pinned) return;
    bar.value = Math.round(100 * pinned.share);
    const now = `${pinned.card.id} ${pinned.is} ${pinned.words}`;
    if (now === told) return;
    told = now;
    element.dataset.is = pinned.is;
    asked.textContent = pinned.card.question;
    cancel.hidden = pinned.is !== "starting";
    close.hidden = pinned.is === "starting";
    render(sentence(pinned), words);
  };
  const show = () => {
    const card = startingCard(store.state);
    picture.hidden = !card;
    const source = card && `gallery/${card.id}-${store.state.light ? "light" : "dark"}.png`;
    if (source && image.getAttribute("src") !== source) image.src = source;
  };
  return all(
    store.watch(["session", "question", "gallery", "status", "scenario", "base", "bases"], draw),
    store.watch(["session", "question", "gallery", "light"], show),
  );
}

function sentence({ is, words }: Pinned) {
  return is === "answered" ? html`<b>Answer:</b> ${words}` : words;
}
