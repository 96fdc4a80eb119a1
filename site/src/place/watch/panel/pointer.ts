// The pointer and the arrow keys on the map: hover, select, drag, wheel, pinch.
import { cellAt, lookInto, moveCursor, panBy, select, zoomBy } from "../../../model/look.ts";
import type { Store } from "../../../model/store.ts";

const STILL = 5; // CSS pixels a pointer may wander while it clicks

export function listen(map: HTMLElement, store: Store<"reported" | "look" | "chosen">): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => map.addEventListener(type, listener, { ...options, signal: stop.signal });
  const down = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  let spread = 0;

  on("pointerdown", (event) => {
    if (event.button > 0) return;
    map.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (down.size === 1) travelled = 0;
    if (down.size === 2) spread = apart(down);
  });
  on("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") store.set({ cursor: cellAt(store, event.offsetX, event.offsetY) });
      return;
    }
    const dx = event.offsetX - before.x;
    const dy = event.offsetY - before.y;
    travelled += Math.hypot(dx, dy);
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (travelled < STILL) return;
    map.classList.add("dragging");
    panBy(store, dx / down.size, dy / down.size);
    if (down.size !== 2) return;
    const now = apart(down);
    const [a, b] = [...down.values()];
    if (spread > 0 && now > 0) zoomBy(store, now / spread, (a.x + b.x) / 2, (a.y + b.y) / 2);
    spread = now;
  });
  const lift = (event: PointerEvent) => {
    if (!down.delete(event.pointerId)) return;
    map.classList.remove("dragging");
    if (event.type === "pointerup" && travelled < STILL && down.size === 0) {
      const cell = cellAt(store, event.offsetX, event.offsetY);
      store.set({ cursor: event.pointerType === "touch" ? -1 : cell });
      store.set({ picksRack: event.shiftKey });
      select(store, cell);
    }
  };
  on("pointerup", lift);
  on("pointercancel", lift);
  on("pointerleave", () => down.size === 0 && store.set({ cursor: -1 }));
  on(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      zoomBy(store, Math.exp(-Math.min(120, Math.max(-120, event.deltaY * lines)) / 300), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  on("dblclick", (event) => lookInto(store, cellAt(store, event.offsetX, event.offsetY)));
  on("keydown", (event) => {
    const step: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const [right, below] = step[event.key] ?? [0, 0];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (right !== 0 || below !== 0) moveCursor(store, right * (event.shiftKey ? 8 : 1), below * (event.shiftKey ? 6 : 1));
    else if (event.key === "Enter") {
      store.set({ picksRack: event.shiftKey });
      select(store, store.state.cursor);
    } else if (event.key === "Escape" && (store.state.selected >= 0 || store.state.cursor >= 0)) {
      select(store, -1);
      store.set({ cursor: -1 });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return () => stop.abort();
}

function apart(points: Map<number, { x: number; y: number }>): number {
  const [a, b] = [...points.values()];
  return Math.hypot(a.x - b.x, a.y - b.y);
}
