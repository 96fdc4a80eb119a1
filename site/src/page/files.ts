// Trace files: chosen, dropped anywhere, or pasted. A scenario file opens as a
// scenario.
import { h } from "../base/dom.ts";
import { parse } from "../base/pack.ts";
import type { Scenario } from "../base/scenario.ts";
import { isScenario } from "../model/address.ts";
import { carriedBy } from "../model/carrier.ts";
import { namesIn } from "../model/need.ts";
import { open, openFiles } from "../model/run.ts";
import type { Store } from "../model/store.ts";
import { dialogOpen } from "../panel/dialog.ts";

const SCENARIO_LIMIT = 1 << 20; // bytes

/** Listens for files; returns the way to ask for them. */
export function listenForFiles(store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  const input = h("input", { type: "file", multiple: true, hidden: true, id: "files", tabindex: -1, "aria-hidden": "true" });
  input.addEventListener("change", () => {
    void take(store, [...(input.files ?? [])]);
    input.value = "";
  });
  const veil = h(
    "div.veil",
    { hidden: true },
    h("p", {}, "Drop trace files to play them"),
    h("small", {}, "They stay in this tab, unless you keep them in the Gallery."),
  );
  document.body.append(input, veil);

  let depth = 0; // dragenter and dragleave come once for every element crossed
  const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth++;
    veil.hidden = false;
  });
  addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  addEventListener("dragleave", (event) => {
    if (carries(event) && --depth <= 0) veil.hidden = true;
  });
  addEventListener("drop", (event) => {
    depth = 0;
    veil.hidden = true;
    if (!carries(event)) return;
    event.preventDefault();
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
    const loose = [...(event.dataTransfer?.files ?? [])];
    unfold(entries).then(
      (files) => take(store, files.length > 0 ? files : loose),
      () =>
        store.set({
          notice:
            "A file or folder that was dropped cannot be read: it was moved or removed, or the browser may not. Drop it again, or choose files.",
        }),
    );
  });
  addEventListener("paste", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (dialogOpen() || target?.closest("input, textarea")) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length === 0 && text.includes("\n")) files.push(new File([text], "pasted.csv"));
    if (files.length > 0) void take(store, files);
  });
  return () => input.click();
}

/** A sweep, or the one line of its results. */
function isSweep(value: unknown): boolean {
  return typeof value === "object" && value !== null && (("v" in value && "base" in value) || ("digest" in value && "figures" in value));
}

/** A scenario among several files, which plays the others. */
async function scenarioAmong(files: File[]): Promise<{ scenario: Scenario; rest: File[] } | undefined> {
  for (const file of files) {
    if (!file.name.endsWith(".json") || file.size > SCENARIO_LIMIT) continue;
    try {
      const value = parse(await file.text());
      if (isScenario(value)) return { scenario: value, rest: files.filter((other) => other !== file) };
    } catch {
      // no JSON: a trace, which the reader looks at
    }
  }
  return undefined;
}

async function take(store: Store<"engine" | "run" | "reported" | "look" | "page">, files: File[]): Promise<void> {
  // A link that waits for its sender's files replays them; any other dump is asked about.
  if (!store.state.expected) {
    const dumps =
      store.state.place === "cluster" ||
      (await import("../place/cluster/model/dump.ts").then(
        ({ areDumps }) => areDumps(files),
        () => false,
      ));
    if (dumps) return store.set({ place: "cluster", dump: { files } });
  }
  const among = files.length > 1 ? await scenarioAmong(files) : undefined;
  if (among) return open(store, among.scenario, { files: among.rest, play: true });
  if (files.length === 1 && files[0].name.endsWith(".json") && files[0].size <= SCENARIO_LIMIT) {
    const text = await files[0].text().catch(() => ""); // who cannot read it as a trace either says so
    try {
      const value = parse(text, true);
      if (isScenario(value)) return open(store, value);
      if (isSweep(value)) return store.set({ place: "sweep", sweepFile: { name: files[0].name, text } });
    } catch (error) {
      const sentence = `${files[0].name} is not a scenario: ${error instanceof Error ? error.message : String(error)}. Correct the file and open it again.`;
      if (text.trimStart().startsWith("{")) return store.set({ trouble: { class: "setting", sentence } });
    }
  }
  if (files.length === 1 && files[0].name.endsWith(".jsonl")) {
    const text = await files[0].text().catch(() => "");
    if (/^\s*\{"id":"[0-9a-f]{32}","engine":/.test(text)) return store.set({ place: "sweep", sweepFile: { name: files[0].name, text } });
  }
  if (files.length === 1 && (await openCarried(store, files[0]))) return;
  const apart = import("../panel/part.ts").then(({ takeApart }) => takeApart(store, files));
  if (await apart.catch(() => false)) return; // what cannot be read is said by who opens it
  openFiles(store, files);
}

/** Opens the scenario that a picture or a report of the page carries, at its moment. */
async function openCarried(store: Store<"run" | "reported" | "look" | "page">, file: File): Promise<boolean> {
  try {
    const carried = await carriedBy(file);
    if (!carried) return false;
    const { scenario, at = 0, digest = "", need, fork } = carried;
    if (need)
      store.set({
        expected: { scenario, at, digest, fork },
        notice: `${file.name} needs its sender's files (${namesIn(need)}). Open them here to see the run.`,
      });
    else open(store, scenario, { at, digest: at > 0 ? digest : "", play: false, shared: at > 0 && digest !== "", fork });
  } catch (error) {
    const sentence = `${file.name} cannot be opened: ${error instanceof Error ? error.message : String(error)}. Ask its sender for the scenario.`;
    store.set({ trouble: { class: "setting", sentence } });
  }
  return true;
}

/** The files of dropped entries, with those in folders. */
async function unfold(entries: (FileSystemEntry | null)[]): Promise<File[]> {
  const files: File[] = [];
  const visit = async (entry: FileSystemEntry): Promise<void> => {
    if (entry.isFile) files.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    if (!entry.isDirectory) return;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)); // a hundred at a time
      if (part.length === 0) return;
      for (const inner of part) await visit(inner);
    }
  };
  for (const entry of entries) if (entry) await visit(entry);
  return files;
}
