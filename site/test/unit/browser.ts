// A document without a browser, for tests of what the page draws. A test imports this file
// before what it tests: lit-html asks for the document when it is loaded.
import { Window } from "happy-dom";

const window = new Window({ url: "https://parley.example/" });
Object.assign(globalThis, { innerWidth: 1280, innerHeight: 800 });
for (const name of ["window", "document", "Node", "Element", "HTMLElement", "MutationObserver"] as const)
  Object.assign(globalThis, { [name]: name === "window" ? window : window[name] });
Object.assign(window.HTMLElement.prototype, { showPopover() {}, hidePopover() {} });

/** An element of the document, with nothing in it. */
export function place(): HTMLElement {
  const element = document.createElement("div");
  document.body.append(element);
  return element;
}

/** The elements in another one that a selector fits. */
export function all(element: ParentNode, selector: string): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(selector)];
}

export function byId<T extends HTMLElement = HTMLInputElement>(element: ParentNode, id: string): T {
  const found = element.querySelector<T>(`[id="${id}"]`);
  if (!found) throw new Error(`there is no #${id}`);
  return found;
}

/** Types a value as a viewer would. */
export function type(field: HTMLInputElement, value: string): void {
  field.value = value;
  field.dispatchEvent(new window.Event("change") as unknown as Event);
}

export const text = (element: Element): string => element.textContent ?? "";

let clock = 0; // ms
performance.now = () => clock;

/** Lets time pass for what happens at most every so many milliseconds, and lets the watchers of a store be called. */
export async function pass(ms: number): Promise<void> {
  clock += ms;
  await Promise.resolve();
}
