// What can be broken of a system's agents, as its description tells: a line a
// fault, and a line an agent where there are several.
import { h } from "../../../base/dom.ts";
import { capital } from "../../../base/format.ts";
import type { AgentFault, Role, SystemInfo } from "../../../base/messages.ts";
import type { Scenario } from "../../../base/scenario.ts";
import { isShare } from "../../../model/faults.ts";
import { countOf } from "../../../model/systems.ts";
import { line, numeric } from "./breakerline.ts";

const LISTED = 16; // agents of one role with buttons of their own

/** How a fault is made, and the fields that say which node and rack. */
export interface Hand {
  inject: (kind: string, target: string, value?: number) => void;
  whole: (field: HTMLInputElement, what: string) => boolean; // it holds what it may; else that is said
  place: Record<string, HTMLInputElement>;
}

export function agentFaults(system: SystemInfo, scenario: Scenario | undefined, hand: Hand): HTMLElement[] {
  const lines = system.agents.flatMap((role) =>
    role.faults.filter(({ setting }) => !setting).flatMap((fault) => linesOf(role, fault, countOf(role, system, scenario) ?? 1, hand)),
  );
  return lines.length > 0 ? lines : [h("p.quiet", {}, `${system.name} has no agents or messages to break.`)];
}

/** The settings that can be changed while the system runs. */
export function liveSettings(system: SystemInfo, hand: Hand): HTMLElement[] {
  return system.agents
    .flatMap(({ faults }) => faults.filter(({ setting }) => setting))
    .map((fault) => valueLine(fault, hand, String(system.settings.find(({ id }) => id === fault.setting)?.default ?? "")));
}

function linesOf(role: Role, fault: AgentFault, count: number, hand: Hand): HTMLElement[] {
  if (fault.value) return [valueLine(fault, hand)];
  if (fault.unique) return [pair(fault, capital(role.name), fault.target, () => fault.target, hand)];
  const field = hand.place[fault.target];
  if (field) {
    const target = () => (hand.whole(field, fault.target) ? `${fault.target}.${field.valueAsNumber}` : "");
    return [pair(fault, `${capital(fault.target)}, ${role.name}s`, fault.target, target, hand)];
  }
  return Array.from({ length: Math.min(count, LISTED) }, (_, i) =>
    pair(fault, `${capital(role.name)} ${i}`, `${role.name} ${i}`, () => `${fault.target}.${i}`, hand, `-${i}`),
  );
}

/** Two buttons: one breaks, one mends. */
function pair(fault: AgentFault, label: string, what: string, target: () => string, { inject }: Hand, suffix = ""): HTMLElement {
  const button = (kind: string, name: string) => {
    const work = () => target() !== "" && inject(kind, target());
    return h("button.btn", { type: "button", id: `break-${kind}${suffix}`, "aria-label": `${name}: ${what}`, onclick: work }, name);
  };
  return line("", label, undefined, button(fault.id, fault.name), button(fault.revert ?? fault.id, fault.repair ?? "Mend"));
}

/** A number to set; of a fault 0 mends. */
function valueLine(fault: AgentFault, { inject, whole }: Hand, usual = "0"): HTMLElement {
  const scale = isShare(fault) ? 100 : 1;
  const most = (fault.value?.max ?? 0) * scale - (fault.value?.below ? 1 : 0);
  const id = `break-${fault.id}`;
  const field = numeric(id, most, "any", String(Number(usual) * scale));
  const set = () => whole(field, `“${fault.name}”`) && inject(fault.id, fault.target, field.valueAsNumber / scale);
  const unit = scale === 100 ? "%" : (fault.unit ?? "");
  return line(
    id,
    `${fault.name}${unit && `, ${unit}`}`,
    field,
    h("button.btn", { type: "button", id: `${id}-set`, "aria-label": `Set: ${fault.name.toLowerCase()}`, onclick: set }, "Set"),
  );
}
