// Formulas over the map: which nodes, what they are worth, and the nodes that are best.
// The map follows while they are typed; Run makes them the policy.
import { atMostEvery, h, render } from "../../../base/dom.ts";
import { count, digits } from "../../../base/format.ts";
import type { Name } from "../../../base/messages.ts";
import { MOST_FORMULA } from "../../../model/address.ts";
import { FORMULA } from "../../../model/formula.ts";
import { focus, select } from "../../../model/look.ts";
import { wordsOf } from "../../../model/nodes.ts";
import { beforeName, compareOwn, formulasOf, OVER, runOwn, setChart, withFormulas } from "../../../model/own.ts";
import { all, type Store } from "../../../model/store.ts";

const EXAMPLES: [name: string, where: string, score: string][] = [
  ["Best fit: fill nodes", "", "after.cpu / cpu.capacity + after.memory / memory.capacity"],
  ["Spread: the emptiest node", "", "-after.cpu / cpu.capacity"],
  ["Balance CPU and memory", "after.cpu <= 0.9 * cpu.capacity", "-abs(after.cpu / cpu.capacity - after.memory / memory.capacity)"],
  ["Few tasks a node", "tasks < 40", "memory.free / memory.capacity"],
];
const MOST_NAMES = 8; // listed at a time
const SOON = 120; // ms after a letter that the map follows

export function mountFormula(element: HTMLElement, store: Store): () => void {
  const running = formulasOf(store.state);
  const { filter, layers } = store.state;
  const condition = wordsOf(layers, filter) ? (running?.where ?? "") : filter;
  const where = fieldOf("where", "Where", "which nodes may take the task; empty: all", store);
  const score = fieldOf("score", "Score", "the highest wins", store);
  where.input.value = condition;
  const [, charting, charts] = /^(\w+)\((.*)\)$/.exec(store.state.scenario?.chart ?? "") ?? [];
  score.input.value = store.state.score || running?.score || charts || EXAMPLES[0][2];
  const write = atMostEvery(SOON, () => store.set({ score: score.input.value.trim(), fill: FORMULA }));
  const keep = atMostEvery(SOON, () => store.set({ filter: where.input.value }));
  score.input.addEventListener("input", write);
  where.input.addEventListener("input", keep);
  const examples = h(
    "select",
    { id: "formula-example", "aria-label": "Examples" },
    h("option", { value: "" }, "Examples…"),
    ...EXAMPLES.map(([name], i) => h("option", { value: i }, name)),
  );
  examples.addEventListener("change", () => {
    [, where.input.value, score.input.value] = EXAMPLES[Number(examples.value)];
    examples.value = "";
    write();
    keep();
  });
  const own = () => {
    const { scenario, systems } = store.state;
    return scenario && withFormulas(scenario, systems, where.input.value.trim(), score.input.value.trim());
  };
  const start = h(
    "button.btn.primary",
    { type: "button", id: "formula-run", title: "Run the scenario from its start with these formulas as its policy" },
    "Run",
  );
  start.addEventListener("click", () => {
    const scenario = own();
    if (scenario) runOwn(store, scenario);
  });
  const compare = h("button.btn", { type: "button", id: "formula-compare", onclick: () => compareOwn(store) });
  const over = h(
    "select",
    { id: "formula-over", "aria-label": "Over the nodes that are up" },
    ...OVER.map((name) => h("option", { value: name }, name)),
  );
  const chart = h("button.btn", { type: "button", id: "formula-chart", onclick: () => setChart(store, charted() ? "" : figure()) });
  if (charting) over.value = charting;
  const figure = () => `${over.value}(${score.input.value.trim()})`;
  const charted = () => store.state.scenario?.chart === figure();
  const told = h("p.quiet", { role: "status" });
  const best = h("tbody");
  const table = h(
    "table",
    {},
    h("caption", {}, "Best nodes"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ...["node", "score", "CPU after", "memory after"].map((name) => h("th", { scope: "col", class: name === "node" ? "" : "n" }, name)),
      ),
    ),
    best,
  );
  const help = h("a", { href: "manual/formula.html", target: "_blank", rel: "noopener" }, "Manual");
  element.replaceChildren(
    h("div.tools", {}, examples, start, compare, over, chart, help),
    h("div.formulas", {}, h("div", {}, where.element, score.element), h("div", {}, told, table)),
  );
  const show = (node: number) => () => {
    select(store, node);
    focus(store);
  };
  let drawn = "";
  const draw = () => {
    const { scored, grid, scenario } = store.state;
    const errors = (of: string) => scored?.wrong.find((one) => one.of === of);
    where.mark(errors("where"));
    score.mark(errors("score"));
    start.disabled = !own() || (scored?.wrong.length ?? 0) > 0;
    const name = beforeName(store.state);
    compare.textContent = name ? `Compare with ${name}` : "Compare";
    compare.disabled = scenario === undefined || formulasOf(store.state) === undefined;
    chart.textContent = charted() ? "Remove chart" : "Chart over time";
    chart.disabled =
      scenario === undefined || !scored || scored.ends.length === 0 || scored.task !== undefined || errors("score") !== undefined;
    const lines =
      scored?.best.map(({ node, score: value, after }) => [
        node,
        digits(value),
        ...after.slice(0, 2).map((share) => `${Math.round(100 * share)} %`),
      ]) ?? [];
    const says =
      !scored || !grid
        ? ""
        : `${count(scored.kept)} of ${count(grid.cells)} nodes have a score${scored.task ? ` for another task like ${scored.task}` : ""}. ${scored.ends.length > 0 ? `It is ${scored.unit}, ${scored.high > scored.low ? `from ${digits(scored.low)} to ${digits(scored.high)} on this map` : `and everywhere ${digits(scored.low)}`}.` : ""}${scored.task ? " A chart over time has no task: use columns of nodes." : ""}`;
    const text = JSON.stringify([says, lines]);
    if (text === drawn) return;
    drawn = text;
    told.textContent = says;
    render(
      [
        ...lines.map(([node, ...values]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, h("button.link.num", { type: "button", id: `best-${node}`, onclick: show(Number(node)) }, node)),
            ...values.map((value) => h("td.n.num", {}, value)),
          ),
        ),
      ],
      best,
    );
  };
  over.addEventListener("change", draw);
  write();
  if (condition && !filter) keep();
  return all(
    store.watch(["scored", "scenario", "systems", "before", "grid"], draw),
    store.watch(["filter"], () => {
      const typed = store.state.filter; // on the map
      if (typed !== where.input.value && document.activeElement !== where.input)
        where.input.value = wordsOf(store.state.layers, typed) ? "" : typed;
    }),
  );
}

/** One formula: its text, names that could follow while it is typed, and what is wrong at its place. */
function fieldOf(of: string, name: string, about: string, store: Store<"engine">) {
  const id = `formula-${of}`;
  const input = h("textarea.mono", {
    id,
    rows: 2,
    maxlength: MOST_FORMULA,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "aria-autocomplete": "list",
    "aria-controls": `${id}-names`,
    "aria-describedby": `${id}-wrong`,
  });
  const list = h("ul.names", { id: `${id}-names`, role: "listbox", "aria-label": "Names", hidden: true });
  const wrong = h("p.wrong", { id: `${id}-wrong`, role: "alert", hidden: true });
  const element = h("div.formula", {}, h("label", { for: id }, h("b", {}, name), h("small", {}, about)), input, list, wrong);
  let options: Name[] = [];
  let chosen = 0;
  const begun = () => /[a-z][\w.]*$/i.exec(input.value.slice(0, input.selectionStart))?.[0] ?? "";
  const close = () => {
    options = [];
    list.hidden = true;
    input.removeAttribute("aria-activedescendant");
  };
  const take = (one: Name) => {
    const [text] = one.name.split("(");
    const at = input.selectionStart;
    input.setRangeText(one.name.includes("(") ? `${text}(` : text, at - begun().length, at, "end");
    close();
    input.dispatchEvent(new Event("input"));
    close();
  };
  const draw = () => {
    render(
      [
        ...options.map((one, i) =>
          h(
            "li",
            {
              role: "option",
              id: `${id}-name-${i}`,
              "aria-selected": String(i === chosen),
              title: one.about,
              onpointerdown: (event: Event) => (event.preventDefault(), take(one)),
            },
            h("code", {}, one.name),
            h("small", {}, one.unit),
          ),
        ),
      ],
      list,
    );

    input.setAttribute("aria-activedescendant", `${id}-name-${chosen}`);
  };
  input.addEventListener("input", () => {
    const text = begun().toLowerCase();
    const named = store.state.names.filter(({ name: full }) => full !== text && full.includes(text));
    options =
      text === "" ? [] : [...named].sort((a, b) => Number(b.name.startsWith(text)) - Number(a.name.startsWith(text))).slice(0, MOST_NAMES);
    chosen = 0;
    if (options.length === 0) return close();
    list.hidden = false;
    draw();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && options.length === 0) event.preventDefault(); // a formula is one line, which may wrap
    if (options.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = (chosen + step + options.length) % options.length;
      draw();
    } else if (event.key === "Enter" || event.key === "Tab") take(options[chosen]);
    else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else return;
    event.preventDefault();
  });
  const mark = (error: { column: number; sentence: string } | undefined) => {
    input.setAttribute("aria-invalid", String(error !== undefined));
    wrong.hidden = error === undefined;
    const characters = [...input.value.trim()];
    const says = error ? `Character ${error.column}: ${error.sentence}` : "";
    if (!error || wrong.dataset.says === says + input.value) return;
    wrong.dataset.says = says + input.value;
    const from = Math.min(error.column - 1, Math.max(0, characters.length - 1));
    const rest = characters.slice(from).join("");
    const part = /^[\w.]+/.exec(rest)?.[0] ?? rest.slice(0, 1);
    render(
      [
        h("code", {}, characters.slice(0, from).join(""), h("mark", {}, part), rest.slice(part.length)),
        ` ${says}. The map shows the last formula that was right.`,
      ],
      wrong,
    );
  };
  return { element, input, mark };
}
