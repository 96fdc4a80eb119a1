// Words upon the cells when they are near enough to read: a node's number and class,
// and nearest a card with its tasks, each with its name beside the bars that the stage
// draws. The table and the inspector tell the same, so they are hidden from assistive
// technology; a click on a name asks why that task is here.
import { atMostEvery, h, html, nothing, render, repeat, say } from "../../../base/dom.ts";
import { count, fraction } from "../../../base/format.ts";
import type { Card } from "../../../base/messages.ts";
import { cellValue } from "../../../model/cell.ts";
import { devicesShown, select } from "../../../model/look.ts";
import { BAR, BETWEEN, cellsSeen, columnsOf, HEAD, KEYS, NEAR, PAD, ROW, restOf, rowsOf, type Seen } from "../../../model/near.ts";
import { all, type Store } from "../../../model/store.ts";
import { applies, systemOf } from "../../../model/systems.ts";

const NAMED = 56; // CSS pixels a cell from which on its number fits
const MOST = 400; // of them
const CARDS = 64; // at once

interface Name {
  element: HTMLElement;
  parts: HTMLElement[];
}

/** A name that fits a width in pixels: the end of it tells tasks of a job apart. */
function shortened(name: string, width: number): string {
  const most = Math.floor(width / 6.4);
  return name.length <= most ? name : `…${name.slice(1 - most)}`;
}

export function mountCards(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  const near = (): boolean =>
    !devicesShown(store.state) && // which lie where a card has its tasks
    store.state.camera.zoom >= NEAR &&
    applies("tasks", systemOf(store.state)) &&
    store.state.layers.some(({ id }) => id === "tasks");
  const seen = (): Seen[] => {
    const { grid, camera, stage } = store.state;
    return grid && camera.zoom >= NAMED ? cellsSeen(grid, camera, stage, near() ? CARDS : MOST) : [];
  };
  const size = (): [width: number, height: number] => {
    const { grid, camera } = store.state;
    return [camera.zoom - BETWEEN, (grid?.down.cell ?? 1) * camera.zoom - BETWEEN];
  };

  // Names of cells.
  const names: Name[] = [];
  const name = (i: number): Name => {
    while (names.length <= i) {
      const parts = [h("b"), h("small")];
      names.push({ element: h("div.card-node", {}, ...parts), parts });
      element.append(names[names.length - 1].element);
    }
    return names[i];
  };
  let idle: number[] = []; // by cell: devices
  const short = (cell: number) => {
    if (devicesShown(store.state)) return idle[cell] > 0 ? `${idle[cell]} idle` : "";
    if (!systemOf(store.state)?.classes) return "";
    const told = cellValue(store.state.frame, store.state.layers, "class", cell);
    return /\((\w+)\)/.exec(told)?.[1] ?? told;
  };
  const label = (cells: Seen[]) =>
    cells.forEach(({ cell }, i) => {
      const { parts } = name(i);
      say(parts[0], String(cell));
      say(parts[1], short(cell));
    });
  const write = (cells: Seen[]) => {
    label(cells);
    if (!devicesShown(store.state)) return;
    void import("./devices.ts").then(({ tally }) => {
      const devices = devicesShown(store.state);
      idle = devices ? tally(devices).idle : [];
      label(cells);
    });
  };

  // Cards, by their nodes.
  const cards = new Map<number, HTMLElement>();
  let asked = "";
  const ask = () => {
    const { task, hold } = store.state;
    const nodes = near() ? seen().map(({ cell }) => cell) : [];
    const text = JSON.stringify([nodes, task, hold]);
    if (text === asked || (nodes.length === 0 && asked === "")) return;
    asked = nodes.length === 0 ? "" : text;
    store.send({ type: "nearby_nodes", nodes, ...(task ? { task } : {}), ...(hold ? { hold } : {}) });
    if (nodes.length === 0) store.set({ cards: [] });
  };
  const askSoon = atMostEvery(100, ask);
  const choose = (card: Card, task: string) => () => {
    select(store, card.node);
    store.set({ task: store.state.task === task ? "" : task });
  };
  const tell = (card: Card, box: HTMLElement) => {
    const [width, height] = size();
    const rows = rowsOf(height);
    const { left, whole } = columnsOf(width, card.used.length);
    const key = (text: string, value: string, x: number) => html`<span class="key" .style=${`left: ${x}px; width: ${whole}px`}>${text}<b
      class=${Number.parseInt(value, 10) > 100 ? "num bad" : "num"}>${value}</b></span>`;
    const listed = card.tasks.slice(0, rows);
    const rest = restOf(card, rows);
    const resources = ["CPU", "memory"];
    const room = left[0] - PAD - 6;
    const line = (text: string, y: number) => html`<span class="all" .style=${`top: ${y}px; width: ${room}px`}>${text}</span>`;
    const top = HEAD + KEYS + BAR + 4;
    const row = ({ id, name: called, production }: Card["tasks"][number], i: number) => html`<button type="button" tabindex="-1"
      title=${`${called}: ${production ? "production" : "batch"}. Why is it here?`} class=${id === store.state.task ? "row chosen" : "row"}
      .style=${`top: ${top + i * ROW}px; width: ${room}px`} @click=${choose(card, id)}>${shortened(called, room)}</button>`;
    const system = systemOf(store.state);
    const words = !card.up ? "down" : system?.classes ? card.class.replace(/ \(\w+\)/, "") : "";
    const shares = card.capacity.map((share, i) => `${fraction(share)} ${resources[i] ?? ""}`).join(" · ");
    render(
      html`<header><b>${system?.node ?? "node"} ${card.node}</b><span class="num">${shares}</span>${words === "" ? nothing : html`<em>${words}</em>`}</header>
        ${card.used.map((share, i) => key(`${resources[i] ?? ""} `, `${Math.round(100 * share)} %`, left[i]))}
        ${line(`${count(card.tasks.length + card.more)} tasks`, HEAD - 1)}${line("together", HEAD + KEYS - 1)}
        ${repeat(listed, ({ id }) => id, row)}${rest > 0 ? line(`and ${count(rest)} smaller`, top + rows * ROW) : nothing}`,
      box,
    );
  };
  const writeCards = () => {
    if (!near()) return;
    for (const card of store.state.cards) {
      const box = cards.get(card.node);
      if (!box) continue;
      const [width, height] = size();
      const now = JSON.stringify([card, store.state.task, width, height]);
      if (box.dataset.told === now) continue;
      box.dataset.told = now;
      tell(card, box);
    }
  };

  const arrange = () => {
    const cells = seen();
    const isNear = near();
    element.hidden = cells.length === 0;
    element.classList.toggle("near", isNear);
    if (!isNear) {
      for (const box of cards.values()) box.remove();
      cards.clear();
    }
    const [width, height] = size();
    const move = (one: HTMLElement, { x, y }: Seen) => (one.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`);
    if (isNear) {
      const here = new Set(cells.map(({ cell }) => cell));
      for (const [cell, box] of cards) {
        if (here.has(cell)) continue;
        box.remove();
        cards.delete(cell);
      }
      for (const at of cells) {
        let box = cards.get(at.cell);
        if (!box) {
          box = h("div.card-near", {});
          cards.set(at.cell, box);
          element.append(box);
        }
        move(box, at);
        box.style.width = `${width}px`;
        box.style.height = `${height}px`;
      }
      writeCards();
    } else {
      element.style.setProperty("--cell", `${store.state.camera.zoom}px`);
      write(cells);
      cells.forEach((at, i) => move(name(i).element, at));
    }
    names.forEach(({ element: one }, i) => (one.hidden = isNear || i >= cells.length));
    askSoon();
  };
  const update = atMostEvery(400, () => element.hidden || near() || write(seen()));
  const hold = (on: boolean) => store.state.hold !== on && store.set({ hold: on });
  element.addEventListener("pointerover", (event) => hold(event.target instanceof HTMLElement && event.target.matches(".row")));
  element.addEventListener("pointerleave", () => hold(false));
  element.addEventListener(
    "pointerout",
    (event) => event.relatedTarget instanceof Node && !element.contains(event.relatedTarget) && hold(false),
  );
  element.replaceChildren();
  return all(
    store.watch(["camera", "grid", "stage"], arrange),
    store.watch(["frame", "layers"], update),
    store.watch(["layers"], () => {
      asked = ""; // another run
      arrange();
    }),
    store.watch(["task", "hold"], askSoon),
    store.watch(["cards", "task"], writeCards),
    store.watch(["selected"], () => store.state.selected < 0 && store.set({ task: "" })),
  );
}
