// The gallery: every scenario as a card with the question that it asks, what was
// found, and the digest of the run where it was. Choosing one runs it and leads to
// where it is watched.

import { h, render } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import { type ClusterCard, fieldsOfAsk } from "../../../model/ask.ts";
import { type Keeper, ownKeeper } from "../../../model/kept.ts";
import { fetched, loadGallery, openCard } from "../../../model/run.ts";
import { all, type Entry, type Store } from "../../../model/store.ts";
import type { Mount } from "../../../panel/later.ts";
import { thumbnailOf } from "../../../panel/nodemap.ts";
import { mountChallenge } from "./challenge.ts";
import { mountRecents } from "./recents.ts";

const CLUSTER = "cluster"; // whose cards are no runs
const LESSONS = "lessons"; // shows the cards that are lessons

/** A text whose lines do not break before a %. */
const unbroken = (text: string) => text.replaceAll(" %", "\u00a0%");

/** Makes what the place works with. */
export function openBench(store: Store): Mount {
  return (element) => mountGallery(element, store, ownKeeper());
}

function mountGallery(element: HTMLElement, store: Store, keeper: Keeper): () => void {
  const questions = h("div");
  const recents = h("section.recents", { "aria-label": "Recent runs" });
  const challenge = h("section.challenge", { "aria-label": "Challenge", hidden: true });
  element.replaceChildren(questions, challenge, recents);
  let only = ""; // the system whose cards are shown
  let clusters: ClusterCard[] = [];
  const ask = ({ ask: asked }: ClusterCard) =>
    store.set({ place: "cluster", dump: { files: [], question: asked.question, form: fieldsOfAsk(asked) } });
  const watch = (card: Entry) => {
    void openCard(store, card);
    store.set({ place: "watch" });
  };
  const again = () => void loadGallery(store).catch((error: Error) => store.set({ notice: error.message }));
  const draw = () => {
    const { gallery, systems, base } = store.state;
    if (gallery.length === 0)
      return render(
        [
          h(
            "div.lead",
            {},
            h("p", {}, "The questions are still loading."),
            h("button.btn", { type: "button", id: "gallery-retry", onclick: again }, "Try again"),
          ),
        ],
        questions,
      );
    const name = (id: string) => systems.find((system) => system.id === id)?.name ?? id;
    const present = [...new Set(gallery.map(({ system }) => system))];
    const choose = (id: string, label: string) =>
      h(
        "button.btn",
        {
          type: "button",
          id: `only-${id}`,
          "aria-pressed": String(only === id),
          onclick: () => {
            only = id;
            draw();
          },
        },
        label,
      );
    const theme = store.state.light ? "light" : "dark";
    const card = (entry: Entry) =>
      h(
        "button.question",
        {
          type: "button",
          id: `question-${entry.id}`,
          title: entry.about,
          "aria-current": entry.id === base ? "true" : undefined,
          onclick: () => watch(entry),
        },
        h("img", { src: `gallery/${entry.id}-${theme}.png`, alt: "", loading: "lazy" }),
        h("strong", {}, entry.question),
        h("span", {}, unbroken(entry.finding)),
        h(
          "small",
          {},
          [
            entry.lesson && `Lesson in ${entry.lesson} steps`,
            name(entry.system),
            `${count(entry.nodes)} nodes`,
            `at ${entry.at}`,
            entry.digest.slice(0, 8),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      );
    const about = (card: ClusterCard) =>
      h(
        "button.question",
        { type: "button", id: `question-${card.id}`, title: card.about, onclick: () => ask(card) },
        thumbnailOf(card.nodes, new Set(card.taken), card.ask.question === "lose" ? "lost" : "emptied", store.state),
        h("strong", {}, card.question),
        h("span", {}, unbroken(card.finding)),
        h("small", {}, `Your cluster · an example of ${count(card.nodes.length)} nodes`),
      );
    render(
      [
        h(
          "div.lead",
          {},
          h(
            "div",
            {},
            h("h1", {}, "What would you like to see?"),
            h("p", {}, "Each card is a run that repeats exactly. Open it, break it, compare it, send it on."),
          ),
          h(
            "div.chips",
            {},
            choose("", `All ${gallery.length + clusters.length}`),
            choose(LESSONS, `Lessons ${gallery.filter(({ lesson }) => lesson).length}`),
            ...present.map((id) => choose(id, name(id))),
            clusters.length > 0 && choose(CLUSTER, "Your cluster"),
          ),
        ),
        h(
          "div.questions",
          {},
          ...gallery.filter(({ system, lesson }) => only === "" || system === only || (only === LESSONS && lesson)).map(card),
          ...(only === "" || only === CLUSTER ? clusters.map(about) : []),
        ),
      ],
      questions,
    );
  };
  fetched("gallery/clusters.json", "The questions about a cluster").then(
    (cards) => {
      clusters = cards as ClusterCard[];
      if (questions.isConnected) draw();
    },
    () => undefined, // the other cards are there without them
  );
  mountChallenge(challenge, store);
  return all(store.watch(["gallery", "systems", "base", "light"], draw), mountRecents(recents, store, keeper));
}
