// Building and changing elements. Text is always set as text: nothing that
// comes from a link or a file is ever parsed as HTML. What is drawn again while the run
// goes on is a template of lit-html, which changes only what differs.
import { html, render as litRender, nothing, type TemplateResult } from "lit-html";
import { repeat as litRepeat } from "lit-html/directives/repeat.js";

export { html, nothing, type TemplateResult };

/** A text of which some words are more than text. */
export type Words = (string | TemplateResult)[];

type Child = Node | TemplateResult | string | number | undefined | false;
type Value = string | number | boolean | undefined | ((event: never) => void);

/**
 * Makes an element: h("button.quiet", { type: "button", onclick: … }, "Play").
 * Attributes beginning with "on" are listeners; true sets an empty attribute,
 * false and undefined set none.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K | `${K}.${string}`,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag as K);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Makes an element of a drawing. */
export function svg(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    if (child instanceof Node) element.append(child);
    else if (typeof child === "object") element.append(made(child));
    else element.append(String(child));
  }
}

/** The nodes of a template that is drawn once. */
function made(template: TemplateResult): DocumentFragment {
  const nodes = document.createDocumentFragment();
  litRender(template, nodes);
  return nodes;
}

/** The rows that repeat makes. The library's own type of them takes every value. */
export interface Rows {
  readonly values: readonly unknown[];
  readonly _$litDirective$: unknown;
}

/** What can be drawn in an element. A value that is false would be drawn as a word. */
export type Drawn = Node | TemplateResult | Rows | string | number | undefined | typeof nothing | readonly Drawn[];

/** A part of a template for each item, with a key that tells it from the others for as long as it is there. */
export const repeat = litRepeat as unknown as <T>(
  items: Iterable<T>,
  key: (item: T, i: number) => unknown,
  template: (item: T, i: number) => Drawn,
) => Rows;

const drawnIn = new WeakSet<HTMLElement>();

/**
 * Draws in an element in place of what it held, and from then on nothing else changes its children.
 * What stays keeps focus, selection and hover; what was moved, or made anew with the same id, gets
 * the focus back.
 */
export function render(what: Drawn, element: HTMLElement): void {
  const focused = document.activeElement;
  if (!drawnIn.has(element)) element.replaceChildren(); // lit-html would draw behind what is there
  drawnIn.add(element);
  litRender(what, element);
  if (!(focused instanceof HTMLElement) || focused === document.activeElement) return;
  (focused.isConnected ? focused : document.getElementById(focused.id))?.focus({ preventScroll: true });
}

/** Whether the pointer or the focus is in a list: then its rows do not move away from it. */
export function isRead(list: Element): boolean {
  return list.matches(":hover") || list.contains(document.activeElement);
}

/** Those of items that are shown, in the order of the keys that are shown. */
export function asShown<T, K>(items: T[], key: (item: T) => K, shown: K[]): T[] {
  const known = new Map(items.map((item) => [key(item), item]));
  return shown.flatMap((one) => known.get(one) ?? []);
}

/** Sets an element's text only when it changed, so that nothing is laid out for nothing. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The one element that must exist in the page. */
export function find<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T {
  const element = within.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Calls work at most once in every span of milliseconds, and once more after the last call. */
export function atMostEvery(milliseconds: number, work: () => void): () => void {
  let last = -Infinity;
  let timer = 0;
  return () => {
    if (timer) return;
    const wait = last + milliseconds - performance.now();
    const run = () => {
      timer = 0;
      last = performance.now();
      work();
    };
    if (wait <= 0) run();
    else timer = window.setTimeout(run, wait);
  };
}

/** Offers text or bytes as a download. */
export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
