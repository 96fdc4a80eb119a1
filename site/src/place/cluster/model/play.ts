// A play of a cluster as it is watched: what its shots come to at a moment, and in words. What
// a shot does stands in core/kube/plane, Film.
import type { FromCluster } from "../../../base/messages.ts";

export type ClusterPlay = Extract<FromCluster, { type: "clusterplay" }>;

/** What a pod does. */
export const LIFE = { none: 0, waits: 1, starts: 2, ready: 3, ends: 4 };

/** What becomes of a node: the last that holds is shown. */
export type NodeState = "absent" | "plain" | "cordoned" | "emptying" | "stalled" | "emptied" | "upgraded" | "silent" | "lost";

/** The pods and nodes of a play at a moment. */
export class Screen {
  node = new Int32Array(); // of each pod, -1 for none
  life = new Uint8Array();
  of = new Int32Array(); // its workload
  stays = new Uint8Array(); // a drain leaves it
  name = new Int32Array(); // -1: nothing has happened to it
  from = new Int32Array(); // a pod that starts: the node of the one in whose place it was made
  refused = new Int32Array(); // the text of the refusal of its eviction, -1 for none
  nodes: { absent: boolean; cordoned: boolean; silent: boolean; lost: boolean; drain: "" | "emptying" | "emptied" | "upgraded" }[] = [];
  shown = 0; // shots
  readonly places: number;

  constructor(readonly play: ClusterPlay) {
    this.places = play.pod.reduce((most, pod) => Math.max(most, pod + 1), play.pod_node.length);
    this.#begin();
  }

  #begin(): void {
    const { play, places } = this;
    const filled = (from: ArrayLike<number> | undefined, none: number) => {
      const to = new Int32Array(places).fill(none);
      if (from) to.set(from);
      return to;
    };
    this.node = filled(play.pod_node, -1);
    this.of = filled(play.pod_of, -1);
    this.life = Uint8Array.from(filled(play.pod_life, LIFE.none));
    this.stays = Uint8Array.from(filled(play.pod_exempt, 0));
    [this.name, this.from, this.refused] = [filled(undefined, -1), filled(undefined, -1), filled(undefined, -1)];
    this.nodes = play.nodes.map(({ absent = false, cordoned = false, silent = false }) => ({
      absent,
      cordoned,
      silent,
      lost: false,
      drain: "",
    }));
    this.shown = 0;
  }

  /** When the last shot is, in seconds. */
  get end(): number {
    return this.play.at.at(-1) ?? 0;
  }

  /** Shows a moment. */
  seek(seconds: number): void {
    if (this.shown > 0 && this.play.at[this.shown - 1] > seconds) this.#begin();
    while (this.shown < this.play.at.length && this.play.at[this.shown] <= seconds) this.#take(this.shown++);
  }

  /** The moment of the next shot, or with by = -1 of the one before those that are shown last. */
  beside(by: 1 | -1): number {
    const { at } = this.play;
    if (by > 0) return at[Math.min(this.shown, at.length - 1)] ?? 0;
    return at[this.began() - 1] ?? 0;
  }

  /** The first of the shots of the moment that is shown. */
  began(): number {
    let i = this.shown;
    while (i > 0 && this.play.at[i - 1] === this.play.at[this.shown - 1]) i--;
    return i;
  }

  #take(i: number): void {
    const { play } = this;
    const [kind, pod, node] = [play.kinds[play.shot_kind[i]], play.pod[i], play.node[i]];
    if (pod < 0) return this.#takeNode(kind, node);
    this.name[pod] = play.name[i];
    switch (kind) {
      case "created":
      case "placed":
        this.node[pod] = node;
        this.of[pod] = play.of[i];
        this.stays[pod] = play.exempt[i];
        this.from[pod] = this.refused[pod] = -1;
        this.life[pod] = kind === "placed" ? LIFE.ready : LIFE.waits;
        break;
      case "bound":
        this.node[pod] = node;
        this.from[pod] = play.from[i];
        this.life[pod] = LIFE.starts;
        break;
      case "ready":
        this.life[pod] = LIFE.ready;
        break;
      case "unready":
        this.life[pod] = LIFE.starts;
        this.from[pod] = -1;
        break;
      case "refused":
        this.refused[pod] = play.text[i];
        break;
      case "deleted":
        this.life[pod] = LIFE.ends;
        this.refused[pod] = -1;
        break;
      case "gone":
        this.life[pod] = LIFE.none;
        this.node[pod] = this.from[pod] = this.refused[pod] = -1;
        break;
    }
  }

  #takeNode(kind: string, at: number): void {
    if (at < 0) return;
    const node = this.nodes[at];
    switch (kind) {
      case "joined":
        node.absent = false;
        break;
      case "left":
        node.absent = true;
        break;
      case "cordoned":
        node.cordoned = true;
        break;
      case "uncordoned":
        node.cordoned = false;
        break;
      case "not ready":
        node.silent = true;
        break;
      case "stopped":
        node.lost = true;
        break;
      case "drain begins":
        node.drain = "emptying";
        break;
      case "emptied":
      case "upgraded":
        node.drain = kind;
        break;
    }
  }

  /** The nodes that a refused eviction stalls now, with a pod that is refused. */
  stalled(): Map<number, number> {
    const all = new Map<number, number>();
    this.refused.forEach((text, pod) => {
      if (text >= 0 && this.node[pod] >= 0 && !all.has(this.node[pod])) all.set(this.node[pod], pod);
    });
    return all;
  }

  /** What becomes of each node now. */
  states(): NodeState[] {
    const stalled = this.stalled();
    return this.nodes.map(({ absent, cordoned, silent, lost, drain }, at) => {
      if (lost) return "lost"; // though its node has left
      if (absent) return "absent";
      if (drain === "emptying") return stalled.has(at) ? "stalled" : "emptying";
      return drain || (silent ? "silent" : cordoned ? "cordoned" : "plain");
    });
  }

  /** The pods that wait for a node now. */
  waiting(): number[] {
    const all: number[] = [];
    this.life.forEach((life, pod) => life === LIFE.waits && all.push(pod));
    return all;
  }
}

/** "23 min", "1 h 5 min", "2 min 30 s" */
export function spanOf(seconds: number): string {
  const whole = Math.round(seconds);
  const [h, min, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [h > 0 && `${h} h`, min > 0 && `${min} min`, (s > 0 && h === 0) || whole === 0 ? `${s} s` : ""].filter(Boolean).join(" ");
}

/** How the kinds of shots are told: of one, then of several. What matters most is first. */
const TOLD: Record<string, [one: string, several: string]> = {
  "timed out": ["is not empty within its limit", "are not empty within their limits"],
  refused: ["may not be evicted", "may not be evicted"],
  unschedulable: ["finds no node", "find no node"],
  "failed create": ["is refused a pod", "are refused pods"],
  attaching: ["waits for its volume", "wait for their volumes"],
  stopped: ["stops", "stop"],
  "not ready": ["does not answer", "do not answer"],
  preempted: ["is preempted", "are preempted"],
  joined: ["joins", "join"],
  left: ["leaves", "leave"],
  upgraded: ["is upgraded", "are upgraded"],
  emptied: ["is empty", "are empty"],
  "drain begins": ["is drained", "are drained"],
  deleted: ["is deleted", "are deleted"],
  bound: ["moves", "move"],
  ready: ["is ready", "are ready"],
  tainted: ["is tainted", "are tainted"],
  untainted: ["is tainted no more", "are tainted no more"],
  detached: ["gives a volume up", "give volumes up"],
  unready: ["counts as not ready", "count as not ready"],
  gone: ["has ended", "have ended"],
  cordoned: ["is cordoned", "are cordoned"],
  uncordoned: ["is uncordoned", "are uncordoned"],
  created: ["is made", "are made"],
  placed: ["runs", "run"],
  scaled: ["is scaled", "are scaled"],
  progress: ["goes on", "go on"],
};
const ORDER = Object.keys(TOLD);
const MOST_ALIKE = 3; // groups of a kind that are told apart

/** What happens at a moment, in groups of what is alike: the shots from one to another, those that matter most first. */
export function groupsOf(play: ClusterPlay, from: number, to: number): number[][] {
  const kindOf = (i: number) => play.kinds[play.shot_kind[i]];
  const keyOf = (i: number) => {
    const place = kindOf(i) === "refused" ? play.text[i] : kindOf(i) === "bound" ? play.from[i] : play.node[i];
    return play.pod[i] < 0 ? "" : String(place);
  };
  const kinds = new Map<string, Map<string, number[]>>();
  for (let i = from; i < to; i++) {
    const groups = kinds.get(kindOf(i)) ?? new Map<string, number[]>();
    kinds.set(kindOf(i), groups);
    const group = groups.get(keyOf(i));
    if (group) group.push(i);
    else groups.set(keyOf(i), [i]);
  }
  return [...kinds]
    .sort(([x], [y]) => ORDER.indexOf(x) - ORDER.indexOf(y))
    .flatMap(([, groups]) => (groups.size > MOST_ALIKE ? [[...groups.values()].flat()] : [...groups.values()]));
}

/** A group of shots in words. */
export function tells(play: ClusterPlay, group: number[]): string {
  const [i] = group;
  const kind = play.kinds[play.shot_kind[i]];
  const name = play.pod[i] >= 0 ? play.names[play.name[i]] : play.node[i] >= 0 ? play.nodes[play.node[i]].name : play.workloads[play.of[i]];
  const who = group.length === 1 ? (name ?? "") : play.pod[i] >= 0 ? `${group.length} pods` : `${name} and ${group.length - 1} more`;
  const [one, several] = kind === "bound" && play.from[i] < 0 ? ["starts", "start"] : (TOLD[kind] ?? [kind, kind]);
  const said = play.texts[play.text[i]] ?? "";
  const evicted = kind === "deleted" && said === "evicted"; // others delete pods too: controllers, the scheduler
  const text = evicted ? "" : said;
  const verb = group.length === 1 ? (evicted ? "is evicted" : one) : evicted ? "are evicted" : several;
  const at = (node: number) => play.nodes[node]?.name;
  const to = new Set(group.map((k) => play.node[k]));
  let where = "";
  const there = to.size === 1 ? at(play.node[i]) : `${to.size} nodes`;
  const origins = new Set(group.map((k) => play.from[k]));
  if (kind === "bound" && play.from[i] >= 0) where = ` from ${origins.size === 1 ? at(play.from[i]) : `${origins.size} nodes`} to ${there}`;
  else if (play.pod[i] >= 0 && play.node[i] >= 0) where = `${evicted ? " from" : " on"} ${there}`;
  return `${who} ${verb}${where}${text ? `: ${text.replace(/\.$/, "")}` : ""}`;
}
