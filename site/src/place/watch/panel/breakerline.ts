// A line of the panel that breaks things: a label, a field, buttons.
import { h } from "../../../base/dom.ts";

export function numeric(id: string, max?: number, step: number | "any" = 1, placeholder?: string): HTMLInputElement {
  return h("input.num", { id, type: "number", min: 0, max, step, placeholder, inputmode: "decimal" });
}

export function line(id: string, label: string, field: HTMLElement | undefined, ...buttons: HTMLElement[]): HTMLElement {
  return h("div.line", {}, id ? h("label", { for: id }, label) : h("span", {}, label), field, ...buttons);
}
