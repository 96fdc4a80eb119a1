// One setting of a form, as the system describes it: a menu, a box, a slider or
// a number, with its meaning as help, its unit and its range.
import { h } from "../../../base/dom.ts";
import { bytes, words } from "../../../base/format.ts";
import type { Range, Setting } from "../../../base/messages.ts";
import type { Scalar } from "../../../model/address.ts";

const MICROSECONDS = "µs"; // shown in seconds

/** A labelled field; set is called with a value that the setting's range holds. key begins its id. */
export function settingField(setting: Setting, value: unknown, set: (value: Scalar) => void, key = "setting"): HTMLElement {
  const { id, name, about, default: usual } = setting;
  const changed = value !== usual;
  const help = `${sentence(about)}${rangeOf(setting)}${changed ? ` The usual value is ${told(setting, usual)}.` : ""}`;
  const label = h("label", { for: `${key}-${id}`, class: changed ? "changed" : "", "data-means": help }, name);
  if (setting.stops) return slider(setting, Number(value), set, label, help, key);
  const field = fieldOf(setting, value, set);
  field.id = `${key}-${id}`;
  field.setAttribute("data-means", help);
  field.setAttribute("aria-description", help);
  return h(
    "div.field",
    {},
    label,
    field.type === "number" && shownUnit(setting) ? h("span.joined", {}, field, h("small", {}, shownUnit(setting))) : field,
  );
}

function fieldOf(setting: Setting, value: unknown, set: (value: Scalar) => void): HTMLInputElement | HTMLSelectElement {
  const { choices, default: usual, range, whole } = setting;
  if (choices) {
    const menu = h(
      "select",
      { onchange: () => set(menu.value) },
      ...choices.map((choice) => h("option", { value: choice }, words(choice))),
    );
    menu.value = String(value);
    return menu;
  }
  if (typeof usual === "boolean") {
    const box = h("input", { type: "checkbox", onchange: () => set(box.checked) });
    box.checked = value === true;
    return box;
  }
  if (typeof usual !== "number") {
    const text = h("input", { type: "text", onchange: () => set(text.value) });
    text.value = String(value);
    return text;
  }
  const scale = scaleOf(setting);
  const number = h("input.num", {
    type: "number",
    step: whole && scale === 1 ? 1 : "any",
    inputmode: "decimal",
    min: range && (range.zero ? 0 : range.min / scale),
    max: range && range.max / scale,
    onchange: () => {
      const typed = number.valueAsNumber * scale;
      number.setCustomValidity(range && !holds(range, typed) ? rangeOf(setting).trim() : "");
      if (number.value !== "" && number.reportValidity()) set(whole ? Math.round(typed) : typed);
    },
  });
  number.value = String(Number(value) / scale);
  return number;
}

/** A slider over the values that are worth trying; set is called when it is let go. */
function slider(setting: Setting, value: number, set: (value: Scalar) => void, label: HTMLElement, help: string, key: string): HTMLElement {
  const stops = setting.stops ?? [];
  const nearest = stops.reduce((best, stop, i) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? i : best), 0);
  const output = h("output.num", { for: `${key}-${setting.id}` }, told(setting, value));
  const at = () => stops[Number(input.value)];
  const input = h("input", {
    id: `${key}-${setting.id}`,
    type: "range",
    min: "0",
    max: String(stops.length - 1),
    step: "1",
    "data-means": help,
    "aria-description": help,
    oninput: () => {
      output.textContent = told(setting, at());
      input.setAttribute("aria-valuetext", told(setting, at()));
    },
    onchange: () => set(at()),
  });
  input.value = String(nearest);
  input.setAttribute("aria-valuetext", told(setting, value));
  return h("div.field.wide", {}, label, output, input);
}

/** A value with its unit, as people read it. */
export function told(setting: Setting, value: unknown): string {
  if (typeof value !== "number") return words(String(value));
  if (setting.unit === "MB") return bytes(value * 1e6);
  return `${value / scaleOf(setting)} ${shownUnit(setting)}`.trim();
}

/** What may be chosen, as a sentence after another; "" where nothing limits it. */
export function rangeOf(setting: Setting): string {
  const { range, default: usual } = setting;
  if (!range || typeof usual !== "number") return "";
  const [least, most] = [range.min / scaleOf(setting), range.max / scaleOf(setting)].map((end) => String(end));
  const open = range.max > 1e15; // no limit that anybody meets
  const words = range.zero
    ? `0, or ${least} to ${most}`
    : open
      ? `${range.above ? "Above" : "From"} ${least}`
      : `${range.above ? `Above ${least}, up to` : `${least} to`} ${range.below ? `below ${most}` : most}`;
  return ` ${words}${shownUnit(setting) && ` ${shownUnit(setting)}`}.`;
}

/** Whether a range holds a value, as the core's check says it. */
export function holds({ min: least, max: most, above, below, zero }: Range, value: number): boolean {
  return (zero && value === 0) || (value >= least && value <= most && !(above && value === least) && !(below && value === most));
}

function scaleOf({ unit }: Setting): number {
  return unit === MICROSECONDS ? 1e6 : 1;
}

function shownUnit({ unit = "" }: Setting): string {
  return unit === MICROSECONDS ? "s" : unit;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
