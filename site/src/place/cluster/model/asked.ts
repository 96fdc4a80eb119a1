// A question about a dump in a link: its settings, the hashes of the dump's files and the
// digest of its answer. The dump is not in it.
import type { ClusterChange, NamedText } from "../../../base/messages.ts";
import { pack, unpack } from "../../../base/pack.ts";
import { type Ask, askOf, emptyForm, fieldsOfAsk, type Question } from "../../../model/ask.ts";

/** A question as a link has it. */
export interface Asked {
  need: string; // the files of the dump, as needOf has them; "" for the example
  digest: string; // of the answer, 16 hex digits
  ask: Ask;
}

/** The questions that a link can have: all but the one about files of what pods use. */
export const SHARED: Question[] = [
  "drain",
  "lose",
  "fit",
  "grow",
  "pending",
  "blockers",
  "score",
  "requests",
  "report",
  "rollout",
  "upgrade",
  "consolidate",
];

export function packAsked({ need, digest, ask: { type: _, ...ask } }: Asked): Promise<string> {
  return pack({ need, digest, ask });
}

/** Reads a question of a link. Errors say what is wrong; what a question does not have is left out. */
export async function unpackAsked(text: string): Promise<Asked> {
  const value = (await unpack(text)) as { need?: unknown; digest?: unknown; ask?: Record<string, unknown> } | null;
  const { need, digest, ask } = value ?? {};
  const question = SHARED.find((known) => known === ask?.question);
  if (typeof need !== "string" || typeof digest !== "string" || !/^[0-9a-f]{16}$/.test(digest))
    throw new Error("it has no dump or no digest");
  if (!ask || !question) throw new Error("it asks nothing that this page knows");
  const out: Ask = { type: "ask", question };
  const bool = (key: "delete_emptydir" | "force" | "control_plane" | "not_ready") => {
    if (typeof ask[key] === "boolean") out[key] = ask[key];
  };
  const string = (key: "by" | "pod" | "surge" | "unavailable") => {
    if (typeof ask[key] === "string") out[key] = ask[key];
  };
  bool("delete_emptydir");
  bool("force");
  bool("control_plane");
  bool("not_ready");
  string("by");
  string("pod");
  string("surge");
  string("unavailable");
  if (Array.isArray(ask.names)) out.names = ask.names.filter((name) => typeof name === "string");
  if (Array.isArray(ask.configs)) out.configs = ask.configs.map(namedText).filter((one) => one !== undefined);
  if (ask.prices) out.prices = namedText(ask.prices);
  if (ask.against) out.against = namedText(ask.against);
  if (Array.isArray(ask.changes)) out.changes = ask.changes.map(changeOf).filter((one) => one !== undefined);
  return { need, digest, ask: askOf(question, { ...emptyForm(), ...fieldsOfAsk(out) }) }; // without what it does not use
}

function namedText(value: unknown): NamedText | undefined {
  const { name, text } = (value ?? {}) as Record<string, unknown>;
  if (typeof name !== "string") return undefined;
  return typeof text === "string" ? { name, text } : { name };
}

function changeOf(value: unknown): ClusterChange | undefined {
  const { how, text } = (value ?? {}) as Record<string, unknown>;
  return (how === "patch" || how === "more" || how === "without") && typeof text === "string" ? { how, text } : undefined;
}
