// As much of a document as elements need that are built and not shown.
class FakeElement {
  readonly attributes = new Map<string, string>();
  readonly children: (FakeElement | string)[] = [];
  readonly style: Record<string, unknown> = { setProperty: (name: string, value: string) => void (this.style[name] = value) };
  readonly listeners = new Map<string, () => void>();
  className = "";
  value = "";
  checked = false;
  hidden = false;

  constructor(readonly tagName: string) {}

  set id(value: string) {
    this.attributes.set("id", value);
  }
  get id(): string {
    return this.attributes.get("id") ?? "";
  }
  set title(value: string) {
    this.attributes.set("title", value);
  }
  get type(): string {
    return this.attributes.get("type") ?? "";
  }
  get valueAsNumber(): number {
    return this.value === "" ? NaN : Number(this.value);
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.children.splice(0, Infinity, text);
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  append(...nodes: (FakeElement | string)[]): void {
    this.children.push(...nodes);
  }
  replaceChildren(...nodes: (FakeElement | string)[]): void {
    this.children.splice(0, Infinity, ...nodes);
  }
  addEventListener(name: string, listener: () => void): void {
    this.listeners.set(name, listener);
  }
  contains(): boolean {
    return false;
  }
  setCustomValidity(): void {}
  reportValidity(): boolean {
    const bound = (name: string) => Number(this.attributes.get(name) ?? NaN);
    return !(this.valueAsNumber < bound("min") || this.valueAsNumber > bound("max"));
  }
}

/** Puts the document there; what the page builds can be asked with the functions below. */
export function fakeDocument(): void {
  Object.assign(globalThis, {
    Node: FakeElement,
    document: { createElement: (name: string) => new FakeElement(name), activeElement: null, getElementById: () => null },
  });
}

const fake = (element: unknown) => element as FakeElement;

/** The elements in another one that a test holds for, itself among them. */
export function all(element: unknown, holds: (one: FakeElement) => boolean): FakeElement[] {
  const inner = fake(element).children.flatMap((child) => (typeof child === "string" ? [] : all(child, holds)));
  return holds(fake(element)) ? [fake(element), ...inner] : inner;
}

export function byId(element: unknown, id: string): FakeElement {
  const [found] = all(element, (one) => one.id === id);
  if (!found) throw new Error(`there is no #${id}`);
  return found;
}

/** Types a value as a viewer would. */
export function type(field: FakeElement, value: string): void {
  field.value = value;
  (field.listeners.get("change") ?? field.listeners.get("click"))?.();
}

export const text = (element: unknown) => fake(element).textContent;
export const click = (element: FakeElement) => element.listeners.get("click")?.();
