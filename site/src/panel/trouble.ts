// One clear dialog for each class of trouble with a file, a link or a setting:
// what is wrong, where, and what to do. The cluster goes on behind it.
import { h } from "../base/dom.ts";
import { count } from "../base/format.ts";
import type { Trouble } from "../base/messages.ts";
import { DEFAULT_BASE } from "../model/address.ts";
import { openEntry, openFiles, restart } from "../model/run.ts";
import { same } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";
import { type Opened, showDialog } from "./dialog.ts";

/** The title of each class, and what to do beside what the sentence says. */
const CLASSES: Record<Trouble["class"], [title: string, advice: string]> = {
  unknown: ["Parley cannot read this file", "Files may be plain or gzip."],
  "bad-line": ["A row cannot be read", "Fix this row, or skip rows like it."], // of a table; see DOCUMENT
  damaged: [
    "The file is damaged",
    "It ends too early or its compression is broken. Download it again and compare its size with the source's.",
  ],
  unreadable: [
    "The file can no longer be read",
    "It was changed, moved or removed after it was opened, or it is a folder. Choose it again.",
  ],
  "too-large": ["The file is too large for this tab", "Open fewer parts, or use the command line: parley run SCENARIO --trace FILE…"],
  empty: ["The file is empty", "Choose a file that has rows."],
  "wrong-table": ["Parley cannot read this file yet", ""],
  columns: ["What do its columns mean?", "Say which column holds what."],
  "no-tasks": [
    "These files hold no tasks",
    "What runs is in task_events; the other tables say where and how. Open some of its parts with these files.",
  ],
  setting: ["The scenario cannot be used", "Your run continues unchanged."],
  program: ["The program has an error", "Correct it in the drawer's tab Program, where its line is marked, and run it again."],
  missing: ["Something could not be loaded", "Your run continues. Try again when you are back online."],
  engine: [
    "The run stopped with an error",
    "Restart the scenario. If it happens again, its link reproduces it: copy the link and report it.",
  ],
  gone: ["The simulation is not running", "Try again: it starts with the same scenario, settings and files, and plays to where it was."],
};

/** The same of a file that is read whole or not at all. */
const DOCUMENT = ["The file cannot be read", "Correct it where it says, and open it again."];
const TOGETHER = "Files opened together must belong to one trace.";

/** The title of a trouble, and what to do; "" where the sentence says it. */
export function adviceOf({ class: of, file, files = [] }: Trouble & { files?: File[] }): string[] {
  if (of === "bad-line" && !hasRows(file)) return DOCUMENT;
  const [title, advice] = CLASSES[of];
  return [title, of === "wrong-table" && files.length > 1 ? TOGETHER : advice];
}

/** choose asks for files; again starts anew what did not start; explain asks what the columns of a table mean. */
export function mountTrouble(
  _element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  choose: () => void,
  again: () => void,
  explain: (file: File, map: string) => void,
): () => void {
  let shown: Opened | undefined;
  return store.watch(["trouble"], () => {
    const { trouble } = store.state;
    if (!trouble) return;
    if (trouble.class === "program" && document.querySelector("#drawer > .panel.program .editor")) return; // it is marked there
    document.querySelector<HTMLDialogElement>("dialog.progress")?.close();
    shown?.close();
    const { map = "" } = trouble;
    const table = trouble.files?.length === 1 && hasRows(trouble.file) ? trouble.files[0] : undefined;
    if (trouble.class === "columns" && table) {
      store.set({ trouble: undefined });
      return explain(table, map);
    }
    const [title, advice] = adviceOf(trouble);
    const files = trouble.files ?? [];
    const place = (
      [
        ["File", trouble.file],
        ["Line", trouble.line === undefined ? undefined : count(trouble.line)],
        ["Column", trouble.column],
        ["Value", trouble.value],
      ] as const
    ).filter((entry): entry is readonly [(typeof entry)[0], string] => entry[1] !== undefined && entry[1] !== "");
    const aboutFile = !["setting", "program", "engine", "missing", "gone"].includes(trouble.class);
    const { session, bases } = store.state;
    const started = store.state.scenario !== undefined;
    const repeat = trouble.class === "gone" || trouble.class === "missing";
    const wanted = trouble.again ?? (session.is === "broken" ? session.again : undefined);
    const elsewhere = repeat && !started && wanted && !(wanted.base === DEFAULT_BASE && same(wanted.scenario, bases[DEFAULT_BASE]));
    const opened = showDialog(
      "trouble",
      title,
      [
        h("p.sentence", {}, trouble.sentence),
        place.length > 0 && h("dl.facts", {}, ...place.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd.num", {}, value)))),
        advice !== "" && h("p.quiet", {}, advice),
        h(
          "div.buttons.end",
          {},
          trouble.class === "bad-line" &&
            hasRows(trouble.file) &&
            files.length > 0 &&
            h(
              "button.btn",
              { type: "button", onclick: () => (close(), openFiles(store, files, { skip: true, map })) },
              "Leave out such rows",
            ),
          (trouble.class === "wrong-table" ||
            (trouble.class === "unknown" && /\.(jsonl|ndjson)(\.gz)?$/i.test(trouble.file ?? "")) || // objects of any members
            (trouble.class === "bad-line" && map !== "")) &&
            table &&
            h("button.btn", { type: "button", onclick: () => (close(), explain(table, map)) }, "Say what its columns mean"),
          aboutFile && h("button.btn", { type: "button", onclick: () => (close(), choose()) }, "Choose other files"),
          (trouble.class === "engine" || trouble.class === "gone") &&
            started &&
            h("button.btn", { type: "button", onclick: () => (close(), restart(store)) }, "Restart from the beginning"),
          elsewhere &&
            h("button.btn", { type: "button", onclick: () => (close(), void openEntry(store, DEFAULT_BASE)) }, "Open the first scenario"),
          h(
            repeat ? "button.btn" : "button.btn.primary",
            { type: "button", autofocus: !repeat, onclick: () => close() },
            aboutFile ? "Back to the running cluster" : "Close",
          ),
          repeat && h("button.btn.primary", { type: "button", autofocus: true, onclick: () => (again(), close()) }, "Try again"),
        ),
      ],
      () => store.state.trouble === trouble && store.set({ trouble: undefined }),
    );
    const { element, close } = opened;
    shown = opened;
    element.dataset.class = trouble.class;
  });
}

/** Whether a file consists of rows, of which one can be left out: a document, such as a workflow, is read whole or not at all. */
export function hasRows(file = ""): boolean {
  return !/\.(json|xml|dax|stg|dot|gv|ya?ml)(\.gz)?$/i.test(file);
}
