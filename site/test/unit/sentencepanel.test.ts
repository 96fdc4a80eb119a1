// The line above the map, as an element.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyState, type State, Store } from "../../src/model/store.ts";
import { mountSentence } from "../../src/place/watch/panel/sentence.ts";
import { byId, pass, place } from "./browser.ts";
import { described, fault } from "./describe.ts";

test("the keyboard goes to the map when the button of a fault goes with it", async () => {
  const system = described({ id: "one", now: [{ words: "{running:task} running.", of: "tasks" }] });
  const status = (seconds: number) => ({ at: seconds * 1e6, present: { running: 7 }, ended: false }) as unknown as State["status"];
  const store = new Store(
    {
      ...emptyState(),
      grid: { cells: 20, layout: { rack: new Int32Array(20) } } as unknown as State["grid"],
      systems: [system],
      scenario: { v: 1, system: system.id },
      shape: "tasks",
      status: status(20),
      incidents: [fault({ at: 0, node: 3 })],
    },
    () => {},
  );
  const stage = place();
  stage.id = "stage";
  stage.innerHTML = '<div class="map" tabindex="0"></div>';
  const element = place();
  element.innerHTML = "<i></i><span>what index.html says</span>";
  await pass(1000);
  const stop = mountSentence(element, place(), store);
  byId<HTMLElement>(element, "now-show").focus();
  assert.equal(document.activeElement?.id, "now-show");
  await pass(1000);
  store.set({ status: status(900), incidents: [] });
  await pass(1000);
  assert.equal(element.textContent, "20 machines. 7 tasks running.");
  assert.equal(document.activeElement?.className, "map");
  stop();
  stage.remove();
});
