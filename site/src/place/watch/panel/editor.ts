// The editor of programs. CodeMirror lives in a shadow root, where it uses style sheets
// that scripts construct: the page's policy refuses the elements that it would add to the
// document.
import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { h } from "../../../base/dom.ts";
import { bytes } from "../../../base/format.ts";
import { beforeName, compareOwn, runOwn } from "../../../model/own.ts";
import { completions, type Programs, placeOf, sizeOf, withProgram } from "../../../model/program.ts";
import { all, type Store } from "../../../model/store.ts";

let draft: string | undefined; // what was written and not yet run, while another tab is looked at

/** Mounts the editor with what programs.json holds. */
export function mountEditor(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  programs: Programs,
): () => void {
  const host = h("div.editor");
  const wrong = h("button.wrong", { type: "button", hidden: true, "aria-live": "polite", title: "Go to the line" });
  const size = h("small.quiet.num");
  const examples = h(
    "select",
    { id: "program-example", "aria-label": "Examples" },
    h("option", { value: "" }, "Examples…"),
    ...programs.examples.map(({ id, name }) => h("option", { value: id }, name.split(":")[0])),
  );
  const start = h(
    "button.btn.primary",
    { type: "button", id: "program-run", title: "Run the scenario from its start with this program (Ctrl-Enter)" },
    "Run",
  );
  const compare = h("button.btn", {
    type: "button",
    id: "program-compare",
    title: "Play this scenario with what ran before beside the program",
    onclick: () => compareOwn(store),
  });
  const help = h("a", { href: "manual/programs.html", target: "_blank", rel: "noopener" }, "Manual");
  const leave = h("small.quiet", {}, "Escape, then Tab leaves the editor");
  element.replaceChildren(h("div.tools", {}, examples, start, compare, size, help, leave), wrong, host);

  const text = () => view.state.doc.toString();
  const run = () => {
    const { scenario, systems } = store.state;
    const own = scenario && withProgram(scenario, systems, text(), programs.examples);
    if (!own || sizeOf(text()).wrong) return;
    mark("", 0, 0);
    runOwn(store, own);
  };
  const mark = (sentence: string, line: number, column: number) => {
    wrong.hidden = sentence === "";
    wrong.textContent = sentence;
    const place = placeOf(text(), line, column);
    view.dispatch(setDiagnostics(view.state, place && sentence ? [{ ...place, severity: "error", message: sentence }] : []));
    if (place && sentence) view.dispatch({ selection: { anchor: place.from }, scrollIntoView: true });
  };
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: draft ?? store.state.scenario?.program ?? programs.examples[0].text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        TYPING,
        highlightActiveLine(),
        python(),
        indentUnit.of("    "),
        syntaxHighlighting(HIGHLIGHT),
        autocompletion({ override: [(context) => complete(programs, context)] }),
        keymap.of([{ key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => (run(), true) }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": "Program", id: "program-text" }),
        EditorView.lineWrapping,
        THEME,
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    }),
  });
  view.scrollDOM.tabIndex = 0; // what scrolls is reached by keys, also where the text is left
  const changed = () => {
    draft = text();
    const { bytes: count, wrong: why } = sizeOf(draft);
    size.textContent = `${bytes(count)} in the link`;
    start.disabled = why !== "";
    if (why) mark(why, 0, 0);
  };
  const replace = (doc: string) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } });

  start.addEventListener("click", run);
  wrong.addEventListener("click", () => {
    const { trouble } = store.state;
    const place = placeOf(text(), Number(trouble?.line ?? 0), Number(trouble?.column ?? 0));
    if (place) view.dispatch({ selection: { anchor: place.from }, scrollIntoView: true });
    view.focus();
  });
  examples.addEventListener("change", () => {
    const chosen = programs.examples.find(({ id }) => id === examples.value);
    examples.value = "";
    if (chosen) replace(chosen.text);
  });
  changed();
  let shown = store.state.scenario?.program;
  return all(
    store.watch(["scenario", "before", "systems"], () => {
      const { scenario } = store.state;
      const name = beforeName(store.state);
      compare.textContent = name ? `Compare with ${name}` : "Compare";
      compare.disabled = scenario?.program === undefined;
      if (scenario?.program === shown) return;
      shown = scenario?.program;
      if (shown !== undefined && shown !== text()) replace(shown); // of a link, or of a run gone back to
    }),
    store.watch(["trouble"], () => {
      const { trouble } = store.state;
      if (trouble?.class === "program") mark(trouble.sentence, Number(trouble.line ?? 0), Number(trouble.column ?? 0));
    }),
    () => view.destroy(),
  );
}

function complete(programs: Programs, context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const found = completions(programs, line.text.slice(0, context.pos - line.from));
  if (!found) return null;
  return {
    from: context.pos - found.from,
    options: found.options.map(({ name, usage, about }) => ({ label: name, detail: usage, info: about, apply: name })),
  };
}

/** Typed text becomes a change of the document, which then writes its elements: Chromium's own editing writes style attributes, which the page's policy refuses. */
const TYPING = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== "insertText" || event.data === null || event.isComposing) return false;
    view.dispatch(view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }));
    return true;
  },
});

/** Colours come from the page's themes: custom properties reach into the shadow root. */
const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-3)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent) !important",
  },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
});

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.function(tags.definition(tags.variableName)), fontWeight: "600" },
]);
