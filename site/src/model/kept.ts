// What the page keeps in this browser when the viewer asks for it: the last runs as
// links with a small picture, their other courses, and the files that they play.
import { OwnShelf, type Shelf } from "../base/shelf.ts";

/** How much is kept: nothing, runs, or runs with the files that they play. */
export type Keeping = "" | "runs" | "files";

/** A run that is kept. */
export interface KeptRun {
  id: string; // of its scenario and course: the same run at a later moment takes its place
  link: string; // its address without #
  title: string;
  about: string; // where it is, in a line
  picture: string; // a data: URL, or ""
  saved: number; // ms since 1970
}

export const MOST_RUNS = 12;

const RUN = /^run-([0-9a-f]+)\.json$/;
const FILE = /^file-([0-9a-f]{64})$/;

export class Keeper {
  constructor(
    readonly shelf: Shelf,
    readonly clock: () => number = () => Date.now(),
  ) {}

  /** The runs that are kept, the latest first; what cannot be read is passed over. */
  runs(): Promise<KeptRun[]> {
    return this.shelf.alone(() => this.#runs());
  }

  async #runs(): Promise<KeptRun[]> {
    const read = await Promise.all(
      (await this.shelf.list()).filter(({ name }) => RUN.test(name)).map(async (file) => runOf(await file.text())),
    );
    return read.flatMap((run) => run ?? []).sort((a, b) => b.saved - a.saved);
  }

  /** Keeps runs in the place of those of the same id; the oldest beyond MOST_RUNS go, and files that no run plays any more. */
  keep(...runs: Omit<KeptRun, "saved">[]): Promise<void> {
    return this.shelf.alone(async () => {
      for (const run of runs) {
        const name = `run-${run.id}.json`;
        const picture = run.picture || (runOf((await (await this.shelf.read(name))?.text()) ?? "")?.picture ?? ""); // another course is not drawn now
        await this.shelf.write(name, JSON.stringify({ ...run, picture, saved: this.clock() }));
      }
      await this.#tidy();
    });
  }

  /** Keeps a file by its SHA-256, 64 hex digits. */
  keepFile(sha256: string, file: Blob): Promise<void> {
    return this.shelf.alone(async () => {
      const name = `file-${sha256}`;
      if ((await this.shelf.read(name))?.size !== file.size) await this.shelf.write(name, file);
    });
  }

  /** The files that a link needs, under their names; undefined unless all of them are kept. */
  async files(need: string): Promise<File[] | undefined> {
    const kept = await this.shelf.alone(() => this.shelf.list());
    const found = need.split("|").map((one) => {
      const [, digits = "", name = ""] = /^sha256:([0-9a-f]{16}),(.*)$/.exec(one) ?? [];
      const file = kept.find((each) => digits !== "" && FILE.exec(each.name)?.[1].startsWith(digits));
      return file && new File([file], name);
    });
    return found.every((file) => file !== undefined) ? found : undefined;
  }

  /** Bytes of what is kept. */
  async size(): Promise<{ runs: number; files: number }> {
    const sum = (all: File[], pattern: RegExp) => all.filter(({ name }) => pattern.test(name)).reduce((bytes, { size }) => bytes + size, 0);
    const all = await this.shelf.alone(() => this.shelf.list());
    return { runs: sum(all, RUN), files: sum(all, FILE) };
  }

  /** Forgets the files alone. */
  forgetFiles(): Promise<void> {
    return this.#forget(FILE);
  }

  /** Forgets everything. */
  forget(): Promise<void> {
    return this.#forget(/^/);
  }

  #forget(pattern: RegExp): Promise<void> {
    return this.shelf.alone(async () => {
      for (const { name } of await this.shelf.list()) if (pattern.test(name)) await this.shelf.remove(name);
    });
  }

  async #tidy(): Promise<void> {
    const runs = await this.#runs();
    for (const { id } of runs.slice(MOST_RUNS)) await this.shelf.remove(`run-${id}.json`);
    const needed = runs
      .slice(0, MOST_RUNS)
      .flatMap(({ link }) =>
        [...(new URLSearchParams(link).get("need") ?? "").matchAll(/sha256:([0-9a-f]{16})/g)].map(([, digits]) => digits),
      );
    for (const { name } of await this.shelf.list()) {
      const sha = FILE.exec(name)?.[1];
      if (sha && !needed.includes(sha.slice(0, 16))) await this.shelf.remove(name);
    }
  }
}

let own: Keeper | undefined;

/** The one of this page. */
export function ownKeeper(): Keeper {
  return (own ??= new Keeper(new OwnShelf()));
}

function runOf(text: string): KeptRun | undefined {
  try {
    const { id, link, title, about, picture, saved } = JSON.parse(text) as Record<keyof KeptRun, unknown>;
    if ([id, link, title, about, picture].some((part) => typeof part !== "string") || typeof saved !== "number") return undefined;
    return { id, link, title, about, picture: /^data:image\/png;base64,/.test(picture as string) ? picture : "", saved } as KeptRun;
  } catch {
    return undefined;
  }
}

/** A short name for a text: 53 bits of it. */
export function nameOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0");
}

/** Why the browser does not keep something, in a sentence. */
export function whyNot(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "QuotaExceededError")
    return "This browser has no room to keep more. Remove something in the Gallery, or stop keeping files.";
  if (name === "SecurityError" || name === "NotAllowedError" || name === "NotSupportedError" || name === "InvalidStateError")
    return "This browser saves nothing for this page: the window is private, or storage is switched off. The link still holds the run.";
  return "This browser could not save the run. The link still holds it.";
}
