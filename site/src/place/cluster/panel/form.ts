// The forms of the questions about a cluster: what can be chosen beside the question.
import { h, render } from "../../../base/dom.ts";
import type { NamedText } from "../../../base/messages.ts";
import { BUILTIN, type ClusterForm, type DumpRead, type Question } from "../../../model/ask.ts";
import { fullerOf } from "../../../panel/nodemap.ts";
import { type Cluster, figuresOf, namesBy, waitingOf } from "../model/cluster.ts";

const MOST_TEXT = 4; // MB of a configuration or of prices
const MOST_REPORT = 64; // MB of a report that was kept, with all moves

export interface Form {
  element: HTMLElement;
  draw: () => void;
}

export function formOf(cluster: Cluster, dump: DumpRead): Form {
  const element = h("div.fields", {});
  let drawn = ""; // which fields stand there
  const draw = () => {
    const { question, form } = cluster.state;
    const waiting = question === "pending" && waitingOf(cluster.state);
    const now = JSON.stringify([
      question,
      waiting,
      waiting && form.waiting,
      form.by,
      form.configs.length,
      form.prices?.name,
      form.against?.name,
      form.usage.length,
    ]);
    if (now === drawn) return;
    drawn = now;
    render(fieldsOf(cluster, dump, question), element);
  };
  return { element, draw };
}

type Checks = { [key in keyof ClusterForm]: ClusterForm[key] extends boolean ? key : never }[keyof ClusterForm];

function fieldsOf(cluster: Cluster, dump: DumpRead, question: Question): HTMLElement[] {
  const { form } = cluster.state;
  const check = (key: Checks, label: string, title: string) => {
    const box = h("input", { type: "checkbox", id: `cluster-${key}`, onchange: () => cluster.edit({ [key]: box.checked }) });
    box.checked = form[key];
    return h("label.check", { title }, box, ` ${label}`);
  };
  const checks = (...boxes: HTMLElement[]) => h("div.checks", {}, ...boxes);
  const config = (label = "Scheduler") =>
    select(
      "cluster-config",
      label,
      [...BUILTIN, ...form.configs].map(({ name }) => [name, name === "default" ? "kube-scheduler's defaults" : name]),
      form.config,
      (name) => cluster.edit({ config: name }),
    );
  const openConfig = () =>
    file(
      "cluster-open-config",
      "Open a configuration",
      "A KubeSchedulerConfiguration, YAML or JSON; its first profile counts",
      ".yaml,.yml,.json",
      (opened) => cluster.edit({ configs: [...form.configs.filter(({ name }) => name !== opened.name), opened], config: opened.name }),
    );
  const prices = () =>
    file(
      "cluster-open-prices",
      form.prices ? `Prices: ${form.prices.name}` : "Open prices",
      "CSV or YAML with type and price (an hour), perhaps zone, capacity and currency; cpu and memory too of machines to add",
      ".csv,.yaml,.yml,.json",
      (opened) => cluster.edit({ prices: opened }),
    );
  const emptyDir = () =>
    check(
      "emptyDir",
      "Let pods with emptyDir volumes go",
      "As kubectl drain does with --delete-emptydir-data: what is in these volumes is lost",
    );
  const force = () =>
    check("force", "Let pods without a controller go", "As kubectl drain does with --force: these pods are gone for good");
  const groups = (): [string, string][] => [
    ["namespace", "namespace"],
    ["owner", "owner"],
    ["zone", "zone"],
    ["type", "machine type"],
    ...gpus(dump, "GPU model"),
    ["node", "node"],
    ...dump.labels.map((key): [string, string] => [key, key]),
  ];
  const steps = (what: string, none: string) =>
    (["surge", "unavailable"] as const).map((key) =>
      listed(
        `cluster-${key}`,
        key === "surge" ? `Added ${what}` : `Missing ${what}`,
        none,
        `How many ${what} there may be ${key === "surge" ? "beyond today's" : "too few"} at a time, as 2 or 25%`,
        [],
        form[key],
        (value) => cluster.edit({ [key]: value }),
      ),
    );
  const scaled = () => check("autoscaler", "With the cluster autoscaler", "It adds nodes for pods that find none");
  const usual = () => [config(), openConfig()];
  switch (question) {
    case "drain":
      return [
        checks(emptyDir(), force(), check("control", "Empty nodes of the control plane too", "Without this they keep their pods")),
        ...usual(),
        prices(),
      ];
    case "lose":
      return [
        ...loseFields(cluster, dump),
        check(
          "notReady",
          "Not ready instead of gone",
          "The nodes stay in the cluster and do not answer: they remain domains of topology spread",
        ),
        scaled(),
        ...usual(),
      ];
    case "fit":
      return [
        listed(
          "cluster-pod",
          "Pod or owner",
          "today's mix",
          "NAMESPACE/NAME of a pod, Deployment or other workload, whose newest template counts; empty: pods like those that run today",
          dump.owners,
          form.pod,
          (pod) => cluster.edit({ pod }),
        ),
        ...usual(),
      ];
    case "rollout":
      return [
        listed(
          "cluster-workload",
          "Workload",
          "namespace/name",
          "NAMESPACE/NAME of a Deployment, StatefulSet or DaemonSet",
          dump.owners,
          form.workload,
          (workload) => cluster.edit({ workload }),
        ),
        ...steps("pods", "as the dump says"),
        ...usual(),
      ];
    case "upgrade":
      return [
        listed(
          "cluster-pool",
          "Pool",
          "all",
          "The name of a pool, as a label of its nodes has it; empty: all",
          dump.pools,
          form.pool,
          (pool) => cluster.edit({ pool }),
        ),
        ...steps("nodes", "as its manager does"),
        scaled(),
        ...usual(),
      ];
    case "consolidate":
      return [checks(check("autoscaler", "By the cluster autoscaler", "Its removals in place of Karpenter's")), ...usual(), prices()];
    case "grow":
      return [...usual(), prices()];
    case "pending":
      return [
        listed(
          "cluster-waiting",
          "Pod, node by node",
          "none",
          "NAMESPACE/NAME of a pending pod or of its workload: which filter stops it on which node; empty: all pods by their reasons",
          waitingOf(cluster.state),
          form.waiting,
          (waiting) => cluster.edit({ waiting }),
        ),
        ...usual(),
      ];
    case "blockers":
      return [];
    case "score":
      return [config("Baseline, beside all others"), openConfig(), prices()];
    case "requests":
      return [select("cluster-groups", "By", groups(), form.groups, (value) => cluster.edit({ groups: value }))];
    case "report":
      return [
        checks(emptyDir(), force()),
        ...usual(),
        prices(),
        file(
          "cluster-open-against",
          form.against ? `Compared with ${form.against.name}` : "Compare with a report",
          "The JSON of an earlier report, from this page or from parley cluster report --out: the answer begins with what changed",
          ".json",
          (opened) => cluster.edit({ against: figuresOf(opened) }),
          MOST_REPORT,
        ),
      ];
    case "size":
      return [
        ...(["cpu", "memory", ""] as const).map((resource) => usageFile(cluster, resource)),
        h(
          "p.quiet",
          {},
          form.usage.length === 0
            ? "Needs what pods use over a week: one kubectl top says nothing about peaks."
            : `Opened: ${form.usage.map(({ file: { name } }) => name).join(", ")}`,
        ),
      ];
  }
}

/** What is lost: together by what, and which. */
function loseFields(cluster: Cluster, dump: DumpRead): HTMLElement[] {
  const { form } = cluster.state;
  const by: [string, string][] = [
    ["zone", "a zone"],
    ["type", "a machine type"],
    ...gpus(dump, "a GPU model"),
    ["node", "a node"],
    ...dump.labels.map((key): [string, string] => [key, key]),
  ];
  const names = namesBy(dump, form.by);
  const choice = (set: (name: string) => void) =>
    names.length > 0 && form.by !== "node"
      ? select("cluster-name", "Which", [["", "each by itself"], ...names.map((name): [string, string] => [name, name])], form.name, set)
      : listed(
          "cluster-name",
          "Which",
          "each by itself",
          "A name as the dump has it; empty: each by itself, the worst first",
          names,
          form.name,
          set,
        );
  return [
    select("cluster-by", "Lost is", by, form.by, (value) =>
      cluster.edit({ by: value, name: value === "node" ? (names[0] ?? "") && fullest(dump) : "" }),
    ),
    choice((name) => cluster.edit({ name })),
  ];
}

/** The choice of GPU models, if a node states one. */
function gpus({ nodes }: DumpRead, text: string): [string, string][] {
  return nodes.some(({ gpu }) => gpu) ? [["gpu", text]] : [];
}

/** The node with the largest requests. */
function fullest({ nodes }: DumpRead): string {
  return nodes.reduce((most, node) => (fullerOf(node) > fullerOf(most) ? node : most)).name;
}

function select(
  id: string,
  label: string,
  options: [value: string, text: string][],
  value: string,
  set: (value: string) => void,
): HTMLElement {
  const menu = h("select", { id, onchange: () => set(menu.value) }, ...options.map(([key, text]) => h("option", { value: key }, text)));
  menu.value = value;
  return h("label.named", {}, h("span", {}, label), menu);
}

/** A text with suggestions. */
function listed(
  id: string,
  label: string,
  placeholder: string,
  title: string,
  options: string[],
  value: string,
  set: (value: string) => void,
): HTMLElement {
  const input = h("input", {
    type: "text",
    id,
    list: `${id}-list`,
    autocomplete: "off",
    spellcheck: "false",
    placeholder,
    title,
    oninput: () => set(input.value),
  });
  input.value = value;
  return h(
    "label.named",
    {},
    h("span", {}, label),
    input,
    h("datalist", { id: `${id}-list` }, ...options.map((name) => h("option", { value: name }))),
  );
}

/** A button that opens one file of text. */
function file(
  id: string,
  label: string,
  title: string,
  accept: string,
  take: (opened: Required<NamedText>) => void,
  most = MOST_TEXT,
): HTMLElement {
  const input = h("input", { type: "file", hidden: true, accept, tabindex: -1, "aria-hidden": "true", id: `${id}-file` });
  const why = h("small.bad", { role: "status" });
  input.addEventListener("change", () => {
    const chosen = input.files?.[0];
    input.value = "";
    if (!chosen) return;
    if (chosen.size > most << 20) return render(`${chosen.name} is larger than ${most} MB: choose the file that the button names.`, why);
    chosen.text().then(
      (text) => take({ name: chosen.name, text }),
      () => render(`${chosen.name} cannot be read: it changed, was removed or is a folder. Choose it again.`, why),
    );
  });
  return h("span.opens", {}, h("button.btn", { type: "button", id, title, onclick: () => input.click() }, label), input, why);
}

/** A button that opens what pods use. */
function usageFile(cluster: Cluster, resource: "cpu" | "memory" | ""): HTMLElement {
  const words = { cpu: "CPU use (JSON)", memory: "Memory use (JSON)", "": "Use as CSV" };
  const titles = {
    cpu: "Prometheus' answer to a range query in cores, by namespace and pod",
    memory: "Prometheus' answer to a range query in bytes, by namespace and pod",
    "": "Columns namespace, pod, cpu, memory and perhaps container and time",
  };
  const id = `cluster-usage-${resource || "csv"}`;
  const input = h("input", {
    type: "file",
    id: `${id}-file`,
    multiple: true,
    hidden: true,
    accept: resource ? ".json" : ".csv",
    tabindex: -1,
    "aria-hidden": "true",
    onchange: () => {
      const more = [...(input.files ?? [])].map((chosen) => ({ file: chosen, resource }));
      input.value = "";
      const kept = cluster.state.form.usage.filter((one) => one.resource !== resource);
      cluster.edit({ usage: [...kept, ...more] });
    },
  });
  return h(
    "span.opens",
    {},
    h("button.btn", { type: "button", id, title: titles[resource], onclick: () => input.click() }, words[resource]),
    input,
  );
}
