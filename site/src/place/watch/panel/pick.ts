// What is pointed at on the map while the panel that breaks things is open: a node, or
// with Shift its rack. It is framed there, and what would stop is said before it does.
import { h, render } from "../../../base/dom.ts";
import { capital, count, number } from "../../../base/format.ts";
import { pointOf } from "../../../model/camera.ts";
import { downNodes, nodeName, targetName } from "../../../model/faults.ts";
import { cellsOfRack, place } from "../../../model/grid.ts";
import { all, type State, type Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

/** What is picked: its target in a fault, its name, and its nodes. */
interface Picked {
  target: string;
  name: string;
  nodes: number[];
}

export function pickedOf(state: Pick<State, "selected" | "picksRack" | "grid" | "systems" | "scenario">): Picked | undefined {
  const { selected, picksRack, grid } = state;
  if (!grid || selected < 0) return undefined;
  const rack = grid.layout.rack[selected];
  const racked = picksRack && rack >= 0 && !grid.layout.noRacks;
  const target = racked ? `rack.${rack}` : `node.${selected}`;
  return { target, name: targetName(target, systemOf(state), grid), nodes: racked ? cellsOfRack(grid, rack) : [selected] };
}

/** What stops if it fails, as far as the map shows it. */
export function stops({ nodes }: Picked, { frame, layers, shape }: Pick<State, "frame" | "layers" | "shape">): string {
  const down = new Set(downNodes(frame, layers));
  const up = nodes.filter((node) => !down.has(node));
  if (up.length === 0) return nodes.length === 1 ? "It is down." : "All its nodes are down.";
  const of = nodes.length === 1 ? "" : `${count(up.length)} of ${number(nodes.length, "node")} are up. `;
  const values = frame?.layers[layers.findIndex(({ id }) => id === "tasks")];
  if (shape !== "tasks" || !values) return `${of}What runs there stops if it fails.`;
  const least = up.some((node) => values[node] === 255) ? "at least " : "";
  const tasks = up.reduce((sum, node) => sum + values[node], 0);
  return `${of}${least}${number(tasks, "task")} ${tasks === 1 ? "stops" : "stop"} if it fails.`.replace(/^a/, "A");
}

/** Mounts the part of the panel about what is picked, and the frame around it on the map. */
export function mountPick(
  element: HTMLElement,
  panel: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
  inject: (kind: string, target: string) => void,
): () => void {
  const box = h("div.picked", { hidden: true, "aria-hidden": "true" });
  document.querySelector("#stage .map")?.before(box);
  let shown = "";
  const tell = () => {
    const { state } = store;
    const picked = pickedOf(state);
    const text = picked ? `${picked.target} ${stops(picked, state)}` : "";
    if (text === shown && element.childElementCount > 0) return;
    shown = text;
    const node = nodeName(systemOf(state));
    const racks = !state.grid?.layout.noRacks;
    if (!picked)
      return render(h("p.quiet", {}, `Click a ${node} on the map.${racks ? " Shift takes its rack, also with Enter." : ""}`), element);
    const kind = picked.target.split(".")[0];
    const button = (does: string, name: string, primary = "") =>
      h(
        `button.btn${primary}`,
        { type: "button", id: `pick-${does}`, onclick: () => inject(`${kind}_${does}`, picked.target) },
        `${name} ${picked.name}`,
      );
    const other = h(
      "button.link",
      { type: "button", id: "pick-other", onclick: () => store.set({ picksRack: !state.picksRack }) },
      kind === "node" ? "Take its rack" : `Take this ${node} alone`,
    );
    render(
      [
        h("p", {}, h("b", {}, `${capital(picked.name)}. `), stops(picked, state), racks && " ", racks && other),
        h("div.buttons", {}, button("down", "Fail", ".primary"), button("up", "Restore")),
      ],
      element,
    );
  };
  const frame = () => {
    const { grid, camera, picksRack, selected } = store.state;
    const block =
      grid && picksRack && selected >= 0 ? grid.layout.blocks.find(({ rack }) => rack === grid.layout.rack[selected]) : undefined;
    box.hidden = !block || panel.hidden;
    if (!grid || !block || box.hidden) return;
    const [x, y] = pointOf(camera, [place(grid.across, block.x), place(grid.down, block.y)]);
    const [right, bottom] = pointOf(camera, [place(grid.across, block.x + block.width), place(grid.down, block.y + block.height)]);
    Object.assign(box.style, {
      transform: `translate(${x - 3}px, ${y - 3}px)`,
      width: `${right - x + 6}px`,
      height: `${bottom - y + 6}px`,
    });
  };
  const seen = new MutationObserver(frame);
  seen.observe(panel, { attributeFilter: ["hidden"] });
  return all(
    () => seen.disconnect(),
    () => box.remove(),
    store.watch(["selected", "picksRack", "grid", "frame", "layers", "shape"], tell),
    store.watch(["selected", "picksRack", "grid", "camera", "stage"], frame),
  );
}
