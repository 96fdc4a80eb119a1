// What a conversation becomes in pictures: who stands in the diagram, which messages
// are drawn, and the offers by round.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversation } from "../../src/base/messages.ts";
import { answersOf, diagramOf, groupsOf, offersOf, spanOf } from "../../src/model/conversation.ts";
import { amount, sums } from "../../src/place/watch/panel/accounts.ts";

const sites = Array.from({ length: 12 }, (_, i) => `site ${i}`);
const told: Conversation = {
  messages: [
    { at: 0, from: "buyer", to: "", text: "call" },
    ...sites.map((from, i) => ({ at: 1, from, to: "buyer", text: `propose ${30 - i}`, minor: true })),
    { at: 2, from: "site 3", to: "buyer", text: "refuse", minor: true, no: true },
    { at: 3, from: "buyer", to: "site 11", text: "accept" },
    { at: 4, from: "bank", to: "", text: "pays" },
  ],
  rounds: [
    {
      item: "unit 1",
      number: 1,
      askingPrice: 40,
      bids: [
        { by: "a", price: 35 },
        { by: "b", price: 30 },
        { by: "c", price: 0, why: "it is full" },
      ],
    },
    { item: "unit 2", number: 1, askingPrice: 20, bids: [] },
    {
      item: "unit 1",
      number: 2,
      askingPrice: 30,
      bids: [
        { by: "a", price: 25 },
        { by: "b", price: 0, why: "too low" },
      ],
    },
  ],
  deals: [{ item: "unit 1", by: "a", price: 25 }],
  outcome: "",
  over: true,
  choices: [],
};

test("those of decisive messages stand in the diagram, and what others say is counted", () => {
  const { parties, arrows, left } = diagramOf(told);
  assert.deepEqual(parties.slice(0, 4), ["buyer", "site 11", "bank", "site 3"]);
  assert.equal(parties.length, 8);
  assert.equal(arrows.length + left, told.messages.length);
  assert.deepEqual(arrows[0], { from: 0, to: -1, text: "call", kind: "take" });
  assert.deepEqual(
    arrows.find(({ text }) => text === "refuse"),
    { from: 3, to: 0, text: "refuse", kind: "no" },
  );
  assert.deepEqual(arrows.at(-1), { from: 2, to: -1, text: "pays", kind: "take" });
});

test("offers go by item and round; the best stands until a lower one comes", () => {
  const [one, two] = offersOf(told);
  assert.deepEqual(
    one.rounds.map(({ best }) => best),
    [30, 25],
  );
  assert.deepEqual(one.rounds[0].refusals, [{ by: "c", why: "it is full" }]);
  assert.equal(one.deal?.by, "a");
  assert.deepEqual([two.rounds[0].best, two.deal], [Infinity, undefined]);
  const [low, high] = spanOf([one, two]);
  assert.ok(low < 20 && low > 17 && high > 40 && high < 43, `${low} to ${high}`);
  assert.deepEqual(answersOf(one), [
    { by: "a", answers: ["35", "25"] },
    { by: "b", answers: ["30", "too low"] },
    { by: "c", answers: ["it is full", "–"] },
  ]);
});

test("groups are listed once, the newest first", () => {
  assert.deepEqual(
    groupsOf([
      { at: 3, text: "", ref: 7 },
      { at: 2, text: "" },
      { at: 1, text: "", ref: 5 },
      { at: 0, text: "", ref: 7 },
    ]),
    [7, 5],
  );
});

test("accounts are summed by kind, and thousandths are told where there are some", () => {
  const account = { node: -1, received: 1, paid: 2, pending: 0, deals: 1 };
  const [buyers, sellers] = sums([
    { ...account, party: "x", role: "buyer", balance: 3 },
    { ...account, party: "y", role: "seller", balance: 4 },
    { ...account, party: "z", role: "buyer", balance: 5.5 },
  ]);
  assert.deepEqual([buyers.role, buyers.parties, buyers.balance, buyers.paid, sellers.balance], ["buyer", 2, 8.5, 4, 4]);
  assert.deepEqual([amount(0), amount(1234), amount(8.5)], ["–", "1,234", "8.500"]);
});
