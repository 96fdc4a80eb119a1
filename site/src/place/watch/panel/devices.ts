// The legend of devices inside nodes, such as GPUs, and how many of a node's are idle. It comes with
// the first cluster that has some.
import { h, html, render } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import type { Devices } from "../../../base/frame.ts";
import { swatches } from "../../../base/palette.ts";

const WHOLE = 1000;
const KINDS = ["idle", "held", "useless", "failed"] as const; // as core/frame numbers them

/** How many devices there are of each kind, in parts of devices, and the colours of those that are held. */
export interface Tally {
  of: Record<(typeof KINDS)[number], number>;
  idle: number[]; // by cell: devices that are wholly idle
  jobs: number;
}

export function tally({ of, parts }: Devices): Tally {
  const out: Tally = { of: { idle: 0, held: 0, useless: 0, failed: 0 }, idle: [], jobs: 0 };
  const jobs = new Set<number>();
  let at = 0;
  for (const devices of of) {
    let idle = 0;
    for (let left = devices * WHOLE; left > 0 && at < parts.byteLength; at += 8) {
      const share = parts.getUint16(at + 4, true);
      const kind = KINDS[parts.getUint8(at + 6)] ?? "idle";
      left -= share;
      out.of[kind] += share / WHOLE;
      if (kind === "held") jobs.add(parts.getUint32(at, true));
      else if (share === WHOLE && kind !== "failed") idle++;
    }
    out.idle.push(idle);
  }
  out.jobs = jobs.size;
  return out;
}

/** Draws what the squares inside nodes mean, with how many there are now. An owner is a job or a task. */
export function drawKey(element: HTMLElement, devices: Devices, noun: string, owner: string, light: boolean): void {
  const { of, jobs } = tally(devices);
  const number = (kind: (typeof KINDS)[number]) => html`<b class="num">${count(Math.round(of[kind] * 10) / 10)}</b>`;
  const colours = swatches(["1", "2", "3", "4", "5", "6"], light).slice(0, 3);
  const held = colours.map(({ colour, pattern }) => {
    const chip = h("i", { class: `swatch ${pattern}` });
    chip.style.setProperty("--colour", `#${colour}`);
    return chip;
  });
  render(
    html`<span class="title"><b>${noun}s by ${owner}</b><span>a square is a ${noun}</span></span>
      <ul class="values devices">
        <li title="The ${noun}s of a ${owner} have one colour and mark; a part of a square is held in part">${held} ${count(jobs)} ${owner}s ${number("held")}</li>
        <li><i class="swatch idle"></i>idle ${number("idle")}</li>
        <li title="Idle, but the ${owner} that heads the queue finds no place with them"><i class="swatch useless"></i>idle, no use to the first ${owner} in the queue ${number("useless")}</li>
        <li><i class="swatch down"></i>failed ${number("failed")}</li>
      </ul>`,
    element,
  );
}
