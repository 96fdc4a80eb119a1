// Every card of the gallery: where it opens, what is sent to the engine, and what is said of its
// question at each moment.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Status, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { pinnedOf, startingCard } from "../../src/model/question.ts";
import { openCard } from "../../src/model/run.ts";
import { type Entry, emptyState, type State, Store } from "../../src/model/store.ts";

const gallery = JSON.parse(readFileSync("../assets/gallery/cards.json", "utf8")) as Entry[];
const scenario = (id: string) => JSON.parse(readFileSync(`../assets/scenarios/${id}.json`, "utf8")) as Scenario;
const SECOND = 1_000_000;

/** What a store is told while a card's run is at a moment. */
function at(card: Entry, us: number, more: Partial<State> = {}): ReturnType<typeof pinnedOf> {
  const status = { at: us, playing: true, speed: card.speed } as Status;
  const its = scenario(card.id);
  return pinnedOf({
    ...emptyState(),
    gallery,
    question: card.id,
    base: card.id,
    scenario: its,
    bases: { [card.id]: its },
    session: { is: "running", verdict: "" },
    status,
    ...more,
  });
}

for (const card of gallery)
  test(`the card of ${card.id} opens ten seconds before its finding, and plays`, async () => {
    assert.equal(card.moment - card.opens, 10 * card.speed * SECOND);
    const sent: ToWorker[] = [];
    const store = new Store(emptyState(), (message: ToWorker) => void sent.push(message));
    store.set({ gallery, bases: { [card.id]: scenario(card.id) } });
    const asked: string[] = [];
    const before = globalThis.fetch;
    globalThis.fetch = (address) => {
      asked.push(String(address));
      return Promise.resolve(new Response("", { status: 404 }));
    };
    try {
      await openCard(store, card);
    } finally {
      globalThis.fetch = before;
    }
    const open = sent.find((message) => message.type === "open");
    assert.deepEqual([open?.at, open?.play, open?.scenario], [card.opens, true, scenario(card.id)]);
    assert.ok(sent.some((message) => message.type === "speed" && message.speed === card.speed));
    assert.deepEqual(asked, card.recorded ? [`choices/${card.id}.bin`] : [], "its recorded choices are asked for");
    assert.equal(startingCard(store.state)?.id, card.id, "until it is there its picture is shown");
    assert.equal(pinnedOf(store.state)?.is, "starting");

    const { opens, moment, finding } = card;
    assert.match(at(card, opens)?.words ?? "", /^The answer comes in 10 seconds, at /);
    assert.match(at(card, moment - SECOND * card.speed)?.words ?? "", /in 1 second, at /);
    assert.equal(at(card, moment - 1)?.is, "waiting", "it is not said before");
    assert.deepEqual([at(card, moment)?.is, at(card, moment)?.words], ["answered", finding]);
    assert.equal(at(card, opens)?.is, "waiting", "a seek back takes it away");
  });

test("an answer is not said of a run that was changed before its moment", () => {
  const card = gallery.find(({ id }) => id === "google-cell");
  assert.ok(card);
  const its = scenario(card.id);
  const with_ = (fault: string) => ({ ...its, faults: [...(its.faults ?? []), { at: fault, kind: "rack_down", target: "rack.1" }] });
  assert.equal(at(card, card.moment, { scenario: with_("6m30s") })?.is, "changed");
  assert.equal(at(card, card.moment, { scenario: with_("7m30s") })?.is, "answered", "what comes later changes nothing");
  assert.equal(at(card, card.moment, { scenario: { ...its, seed: 3 } })?.is, "changed");
  assert.equal(at(card, card.moment, { scenario: { ...its, faults: [] } })?.is, "changed");
  assert.equal(at(card, card.moment, { question: "" }), undefined);
});
