// The running group of notes of a system that trades, live: what it has come to in a
// sentence, the offers by round as a chart, and who tells whom what. It follows the
// newest one, or stays with the one that was chosen.
import { atMostEvery, h, html, nothing, render, repeat, svg, type TemplateResult } from "../../../base/dom.ts";
import { digits } from "../../../base/format.ts";
import type { Conversation } from "../../../base/messages.ts";
import { answersOf, diagramOf, groupsOf, type Offers, offersOf, spanOf } from "../../../model/conversation.ts";
import { all, type Store } from "../../../model/store.ts";
import { groupName } from "../../../model/systems.ts";
import { diagram } from "../../../panel/sequence.ts";

const LISTED = 12; // groups to choose from
const PICTURE = { width: 196, height: 92, left: 32, right: 8, top: 6, bottom: 16 };

export function mountBids(element: HTMLElement, store: Store<"engine" | "run" | "reported">): () => void {
  let chosen = 0; // 0: the newest
  let shown = 0;
  let over = true;
  let told = "";
  const choice = h("select", {
    id: "conversation",
    "aria-label": "Which one",
    onchange: () => {
      chosen = Number(choice.value);
      follow();
    },
  });
  const sentence = h("p.outcome", { "aria-live": "polite" });
  const buttons = h("span.buttons");
  const body = h("div.bids-body");
  const note = h("p.quiet", {}, "No auctions yet.");
  element.replaceChildren(h("div.toolbar", {}, choice, sentence, buttons), note, body);

  const follow = () => {
    const groups = groupsOf(store.state.lines);
    offer(groups);
    const next = chosen || (over ? groups[0] : shown) || 0;
    if (next !== shown) {
      shown = next;
      over = false;
      told = "";
    }
    if (shown) store.send({ type: "read_story", ref: shown });
  };
  let offered = "";
  const offer = (groups: number[]) => {
    const list = [...new Set([...(chosen ? [chosen] : []), ...groups.slice(0, LISTED)])];
    const now = list.join();
    if (now === offered || choice === document.activeElement) return;
    offered = now;
    choice.replaceChildren(
      h("option", { value: "0" }, "The newest"),
      ...list.map((ref) => h("option", { value: String(ref) }, groupName(store.state, ref))),
    );
    choice.value = String(chosen);
  };
  const show = () => {
    const { story } = store.state;
    if (!story || story.ref !== shown || !story.conversation) return;
    const { conversation } = story;
    over = conversation.over;
    const now = `${shown} ${conversation.messages.length} ${conversation.messages.at(-1)?.at} ${conversation.outcome}`;
    if (now === told) return;
    told = now;
    note.hidden = true;
    const title = groupName(store.state, shown);
    render(html`<b>${title.charAt(0).toUpperCase() + title.slice(1)}</b>: ${conversation.outcome}`, sentence);
    render(
      repeat(
        conversation.choices,
        ({ name, target }) => `${name} ${target}`,
        ({ name, fault, target, value }) => html`<button type="button" class="btn choice"
          @click=${() => store.send({ type: "fault", kind: fault, target, value })}>${name}</button>`,
      ),
      buttons,
    );
    render(pictures(conversation), body);
    if (over && !chosen && !store.state.status?.playing && groupsOf(store.state.lines)[0] !== shown) follow(); // no line comes that would
  };
  return all(
    store.watch(["layers"], () => {
      // another run
      chosen = shown = 0;
      over = true;
      offered = told = "";
      note.hidden = false;
      for (const part of [sentence, buttons, body]) render(nothing, part);
    }),
    store.watch(["lines"], atMostEvery(500, follow)),
    store.watch(["story"], show),
  );
}

/** The offers by round and the sequence of a conversation, with both as tables and lists. */
export function pictures(conversation: Conversation): TemplateResult {
  const offers = offersOf(conversation);
  const span = spanOf(offers);
  const { parties, arrows, left } = diagramOf(conversation);
  const { messages, unit } = conversation;
  const drawn = diagram(parties, arrows, 66, `${arrows.length} messages between ${parties.join(", ")}`);
  return html`<div class="offers">${repeat(
    offers,
    ({ item }) => item,
    (one) => picture(one, span, unit ?? ""),
  )}</div>
    <div class="talk"><div class="sequence" tabindex="0" role="region" aria-label="Sequence diagram">${drawn}</div>
      ${left > 0 ? html`<p class="quiet">${left} more messages, to and from others, are in the list.</p>` : nothing}
      <details><summary>All ${messages.length} messages as a list</summary>
        <ol class="reported">${messages.map(({ from, to, text }) => html`<li>${from} → ${to || "all"}: ${text}</li>`)}</ol></details></div>`;
}

/** One item: what was asked for, every bid, and the best so far, by round. */
function picture(offers: Offers, [low, high]: [number, number], unit: string): TemplateResult {
  const { width, height, left, right, top, bottom } = PICTURE;
  const { rounds, deal, item } = offers;
  const x = (i: number) => left + ((width - left - right) * (i + 0.5)) / Math.max(1, rounds.length);
  const y = (price: number) => top + ((height - top - bottom) * (high - price)) / (high - low);
  const said = deal
    ? `bought from ${deal.by} for ${digits(deal.price)}`
    : (rounds.at(-1)?.best ?? Infinity) < Infinity
      ? `best offer ${digits(rounds.at(-1)?.best ?? 0)}`
      : "no offer";
  const image = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `Offers for ${item} by round: ${said}`,
  });
  for (const price of [low, (low + high) / 2, high]) {
    image.append(
      svg("line", { x1: left, x2: width - right, y1: y(price), y2: y(price), class: "grid" }),
      svg("text", { x: left - 5, y: y(price) + 3, class: "price" }, digits(Math.round(price * 10) / 10)),
    );
  }
  const path = (points: [number, number][]) => points.map(([px, py], i) => `${i ? "L" : "M"}${px} ${py}`).join("");
  image.append(svg("path", { d: path(rounds.map(({ asked }, i): [number, number] => [x(i), y(asked)])), class: "asked" }));
  rounds.forEach(({ number, bids, asked }, i) => {
    image.append(
      svg("text", { x: x(i), y: height - 4, class: "round" }, String(number)),
      svg("circle", { cx: x(i), cy: y(asked), r: 2, class: "asked" }),
    );
    for (const { by, price } of bids) {
      const dot = svg("circle", { cx: x(i), cy: y(price), r: 3, class: deal?.by === by ? "bid winner" : "bid" });
      dot.append(svg("title", {}, `${by}: ${digits(price)} in round ${number}`));
      image.append(dot);
    }
  });
  image.append(
    svg("path", {
      d: path(rounds.flatMap(({ best }, i): [number, number][] => (best < Infinity ? [[x(i), y(best)]] : []))),
      class: "best",
    }),
  );
  return html`<figure class="offer"><figcaption title=${unit}><b>${item}</b> ${said}</figcaption>${image}
    <details><summary>Every bid and refusal</summary>
      <div class="answers" tabindex="0" role="region" aria-label=${`Answers for ${item}`}><table>
        <thead><tr><th scope="col">who</th>${rounds.map(({ number }) => html`<th class="n" scope="col">round ${number}</th>`)}</tr></thead>
        <tbody>${answersOf(offers).map(
          ({ by, answers }) =>
            html`<tr class=${deal?.by === by ? "chosen" : ""}><th scope="row">${by}</th>${answers.map(
              (text) => html`<td class="n">${text}</td>`,
            )}</tr>`,
        )}</tbody></table></div></details></figure>`;
}
