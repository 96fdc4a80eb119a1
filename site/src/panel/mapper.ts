// The mapper: a dialog that shows the columns of a table with their first values and what
// they are taken for, lets the viewer say better, and shows what would be read.
import { h, render } from "../base/dom.ts";
import { count, DAY, duration, number } from "../base/format.ts";
import {
  assign,
  commandOf,
  described,
  FIELDS,
  mappingOf,
  question,
  type Said,
  type Table,
  unitName,
  unitsOf,
  type Whole,
  wholeOf,
} from "../model/mapper.ts";
import { openFiles } from "../model/run.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "./dialog.ts";

/** Reads the beginning of tables, in a worker of its own. */
export interface Looker {
  look(file: File, map: string): Promise<Table>;
  end(): void;
}

/** Shows the mapper for a file; opens the file when the viewer agrees. */
export function showMapper(store: Store<"engine" | "run" | "reported" | "look">, file: File, map: string, looker: Looker): void {
  const body = h("div.body", { role: "status" }, h("p.quiet", {}, "Reading the first rows …"));
  const open = h("button.btn.primary", { type: "button", id: "map-open", disabled: true, onclick: () => agree() }, "Open");
  const { close } = showDialog(
    "mapper",
    `What do the columns of ${file.name} mean?`,
    [
      body,
      h(
        "div.buttons.end",
        {},
        h("p.quiet", {}, "The mapping is kept in the link and the scenario; the data is not."),
        h("button.btn", { type: "button", onclick: () => close() }, "Cancel"),
        open,
      ),
    ],
    () => looker.end(),
  );
  let said: Said[] = [];
  let whole: Whole = wholeOf(map);
  let found: string[] = [];
  let table: Table | undefined;
  let asked = 0;

  const mapping = () => (table ? mappingOf(table.columns, said, whole, found) : map);
  const look = (text: string) => {
    const turn = ++asked;
    looker.look(file, text).then(
      (told) => turn === asked && take(told),
      (error: Error) => turn === asked && render(h("p.sentence", {}, error.message), body),
    );
  };
  const take = (told: Table) => {
    if (told.why && table) return draw({ ...table, asks: told.why, jobs: [], played: 0 }); // what was typed is wrong; the columns stay
    if (told.why) return render(h("p.sentence", {}, told.why), body);
    if (!table) found = told.columns.map(({ field }) => field).filter(Boolean);
    if (said.length === 0) said = told.columns.map(({ field, unit }) => ({ field, unit }));
    draw((table = told));
  };
  const change = (next: Said[]) => {
    said = next;
    look(mapping());
  };
  const agree = () => {
    const skip = table?.bad !== undefined;
    const text = mapping();
    close();
    openFiles(store, [file], { map: text, skip });
  };

  const draw = (told: Table) => {
    open.disabled = told.asks !== "" || told.played === 0;
    open.textContent = told.whole && told.played > 0 ? `Open ${number(told.played, "job")}` : "Open";
    render(
      [
        h(
          "div.columns",
          {},
          h("p", { id: "map-about" }, described(told)),
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h("tr", {}, ...["column", "first values", "meaning", "unit or format"].map((name) => h("th", { scope: "col" }, name))),
            ),
            h("tbody", {}, ...told.columns.map((_, i) => row(told, i))),
          ),
          h(
            "div.whole",
            {},
            field("Local time is ahead of UTC by", "zone", "+01:00"),
            choice("Decimal sign", "decimal", [
              ["", "as found"],
              ["point", "point"],
              ["comma", "comma"],
            ]),
            choice("Dates with slashes", "dates", [
              ["", "as found"],
              ["dmy", "day first"],
              ["mdy", "month first"],
            ]),
            field("Machine", "machine", "64 or 64x48"),
          ),
        ),
        h("div.preview", {}, ...preview(told)),
      ],
      body,
    );
  };

  const row = (told: Table, i: number): HTMLElement => {
    const { name, values, reads, guess } = told.columns[i];
    const { field: holds, unit } = said[i];
    const units = unitsOf(holds, told.units);
    const meaning = h(
      "select",
      { id: `map-field-${i}`, "aria-label": `Meaning of ${name}`, onchange: () => change(assign(said, i, meaning.value)) },
      ...["", ...told.fields].map((id) => h("option", { value: id, selected: id === holds }, id ? (FIELDS[id] ?? id) : "Leave out")),
    );
    const inUnits = h(
      "select",
      {
        id: `map-unit-${i}`,
        "aria-label": `Unit of ${name}`,
        onchange: () => change(said.map((one, k) => (k === i ? { ...one, unit: inUnits.value } : one))),
      },
      h("option", { value: "", selected: unit === "" }, reads ? `${unitName(reads, holds)} (${guess ? "assumed" : "found"})` : "as found"),
      ...(units ?? []).map((id) => h("option", { value: id, selected: id === unit }, unitName(id, holds))),
    );
    return h(
      `tr${holds ? "" : ".left"}${guess ? ".guess" : ""}` as "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td.num", {}, values.join(" · ")),
      h("td", {}, meaning),
      h("td", {}, units ? inUnits : "–"),
    );
  };

  const field = (label: string, key: keyof Whole, hint: string): HTMLElement => {
    const input = h("input", {
      type: "text",
      id: `map-${key}`,
      value: whole[key],
      placeholder: hint,
      onchange: () => {
        whole = { ...whole, [key]: input.value };
        look(mapping());
      },
    });
    return h("label", {}, label, input);
  };
  const choice = (label: string, key: keyof Whole, options: [string, string][]): HTMLElement => {
    const select = h(
      "select",
      {
        id: `map-${key}`,
        onchange: () => {
          whole = { ...whole, [key]: select.value };
          look(mapping());
        },
      },
      ...options.map(([value, name]) => h("option", { value, selected: value === whole[key] }, name)),
    );
    return h("label", {}, label, select);
  };

  const preview = (told: Table): (Node | false)[] => {
    const text = mapping();
    return [
      h("h3", {}, "Preview"),
      told.asks
        ? h("p.sentence", { id: "map-asks" }, question(told.asks))
        : h("p.title", {}, `${number(told.played, "job")} in ${told.whole ? "" : "the first "}${number(told.rows, "row")}.`),
      !told.asks &&
        h("dl.facts", {}, ...facts(told).map(([name, value, title]) => h("div", { title }, h("dt", {}, name), h("dd.num", {}, value)))),
      told.jobs.length > 0 && h("h3", {}, "Rows as read"),
      told.jobs.length > 0 &&
        h(
          "table.rows",
          {},
          h("thead", {}, h("tr", {}, ...["job", "wait", "run", "estimate", "processors"].map((name) => h("th", { scope: "col" }, name)))),
          h(
            "tbody",
            {},
            ...told.jobs.map((job) =>
              h(
                "tr",
                {},
                ...[String(job.number), span(job.wait), span(job.run), span(job.asks), count(job.processors)].map((cell) =>
                  h("td.num", {}, cell),
                ),
              ),
            ),
          ),
        ),
      h("h3", {}, "On the command line"),
      h("pre", { id: "map-command", tabindex: 0 }, commandOf(file.name, text)),
    ];
  };
  look(map);
}

function span(us: number): string {
  return us < 0 ? "–" : duration(us);
}

/** What the first rows come to. */
function facts({ first, last, widest, leftOut, played }: Table): [string, string, string?][] {
  if (played === 0) return leftOut.map(({ about, count: n, first: why }) => [`Left out: ${about}`, count(n), why]);
  return [
    ["First and last submission", `${moment(first)} – ${moment(last)}`],
    ["Processors of the largest job", count(widest)],
    ...leftOut.map(({ about, count: n, first: why }): [string, string, string?] => [`Left out: ${about}`, count(n), why]),
  ];
}

/** A point in time: a date, or a span since the zero of the table. */
function moment(us: number): string {
  return us < 3650 * DAY ? duration(us) : new Date(us / 1000).toISOString().slice(0, 16).replace("T", " ");
}
