// Another world to ask about: the changes of the dump's objects, as a list and a form.
import { h, render } from "../../../base/dom.ts";
import type { ClusterChange } from "../../../base/messages.ts";
import type { DumpRead } from "../../../model/ask.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Form } from "./form.ts";

/** A kind of change: what it is about, and what makes it of an object and a value. */
interface Kind {
  name: string;
  object: string; // an example
  objects: (dump: DumpRead) => string[];
  value?: string; // an example
  first?: string; // the value at first
  of: (object: string, value: string) => ClusterChange;
}

const names = (dump: DumpRead) => dump.nodes.map(({ name }) => name);

/** A patch of a key that a name may be of: what JSON has to quote is quoted. */
const patch = (object: string, value: unknown): ClusterChange => ({ how: "patch", text: `${object}=${JSON.stringify(value)}` });

export const KINDS: Kind[] = [
  {
    name: "more nodes like",
    object: "a node",
    objects: names,
    value: "how many",
    first: "1",
    of: (node, many) => ({ how: "more", text: `node/${node}=${many}` }),
  },
  {
    name: "without",
    object: "KIND/NAMESPACE/NAME",
    objects: (dump) => [...dump.budgets.map((name) => `pdb/${name}`), ...names(dump).map((name) => `node/${name}`)],
    of: (object) => ({ how: "without", text: object }),
  },
  {
    name: "a budget that allows",
    object: "NAMESPACE/NAME",
    objects: ({ budgets }) => budgets,
    value: "pods, as 2 or 25%",
    of: (budget, pods) =>
      patch(`pdb/${budget}`, { spec: { minAvailable: null, maxUnavailable: /^\d+$/.test(pods) ? Number(pods) : pods } }),
  },
  {
    name: "a label of the node",
    object: "a node",
    objects: names,
    value: "KEY=VALUE",
    of: (node, label) => {
      const [key, ...rest] = label.split("=");
      return patch(`node/${node}`, { metadata: { labels: { [key]: rest.join("=") } } });
    },
  },
  {
    name: "a patch of",
    object: "KIND/NAMESPACE/NAME",
    objects: (dump) => dump.budgets.map((name) => `pdb/${name}`),
    value: '{"spec":{"replicas":3}}',
    of: (object, value) => ({ how: "patch", text: `${object}=${value}` }),
  },
];

/** The command line's words for a change. */
export const wordsOf = ({ how, text }: ClusterChange): string => `${how} ${text}`;

export function worldOf(cluster: Cluster, dump: DumpRead): Form {
  let kind = KINDS[0];
  const list = h("ul.changes", { "aria-label": "Changes" });
  const menu = h(
    "select",
    { id: "cluster-change", "aria-label": "Change", onchange: () => choose(KINDS[menu.selectedIndex]) },
    ...KINDS.map(({ name }) => h("option", {}, name)),
  );
  const text = (id: string, label: string) =>
    h("input", {
      type: "text",
      id,
      "aria-label": label,
      autocomplete: "off",
      spellcheck: "false",
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "Enter") return;
        event.preventDefault(); // which would ask
        add();
      },
    });
  const object = text("cluster-change-object", "Of what");
  object.setAttribute("list", "cluster-change-objects");
  const value = text("cluster-change-value", "Value");
  const known = h("datalist", { id: "cluster-change-objects" });
  const why = h("small.bad", { role: "status" });
  const choose = (chosen: Kind) => {
    kind = chosen;
    object.placeholder = kind.object;
    value.placeholder = kind.value ?? "";
    value.hidden = !kind.value;
    [object.value, value.value] = ["", kind.first ?? ""];
    render(
      kind.objects(dump).map((name) => h("option", { value: name })),
      known,
    );
    render("", why);
  };
  const add = () => {
    const [what, how] = [object.value.trim(), value.value.trim()];
    const lacks = !what ? object : kind.value && !how ? value : undefined;
    render(lacks ? `Write ${lacks.placeholder} first.` : "", why);
    if (lacks) return lacks.focus();
    cluster.edit({ changes: [...cluster.state.form.changes, kind.of(what, how)] });
    [object.value, value.value] = ["", kind.first ?? ""];
    object.focus();
  };
  choose(kind);
  const element = h(
    "details.world",
    {},
    h("summary", {}, "In a changed world"),
    list,
    h(
      "div.fields",
      {},
      menu,
      object,
      value,
      h("button.btn", { type: "button", id: "cluster-change-add", onclick: add }, "Add"),
      known,
      why,
    ),
  );
  let drawn: ClusterChange[] | undefined;
  const draw = () => {
    const { changes } = cluster.state.form;
    if (changes === drawn) return;
    drawn = changes;
    if (changes.length > 0) element.open = true;
    list.hidden = changes.length === 0;
    render(
      changes.map((change, i) =>
        h(
          "li",
          {},
          h("code", {}, wordsOf(change)),
          h(
            "button.btn.quiet",
            {
              type: "button",
              "aria-label": `Leave out ${wordsOf(change)}`,
              onclick: () => {
                cluster.edit({ changes: changes.filter((_, k) => k !== i) });
                object.focus();
              },
            },
            "×",
          ),
        ),
      ),
      list,
    );
  };
  return { element, draw };
}
