// How a link names the private files that it plays: by their content, so that two
// parts of one name are two, with their names for people to read.
import type { FileSummary } from "../base/messages.ts";

const DIGITS = 16; // of a file's SHA-256
const MOST = 1000; // letters that a link keeps

/** What a link says of files; undefined without any. */
export function needOf(files: Pick<FileSummary, "sha256" | "file">[]): string | undefined {
  if (files.length === 0) return undefined;
  const text = files.map(({ sha256, file }) => `sha256:${sha256.slice(0, DIGITS)},${file.replaceAll("|", "_")}`).join("|");
  if (text.length <= MOST) return text;
  const sum = files.reduce((all, { sha256 }) => all ^ BigInt(`0x${sha256.slice(0, DIGITS)}`), 0n);
  return `sha256:${sum.toString(16).padStart(DIGITS, "0")},${files.length} files`;
}

/** What a link says of files, without their names: files with the same content are the same. */
export function contentOf(need: string): string {
  return need.replace(/,[^|]*/g, "");
}

/** The files that a link names, as people read them. Links from before files were known by content have names alone. */
export function namesIn(need: string): string {
  return need
    .split("|")
    .map((one) => one.replace(/^sha256:[0-9a-f]*,/, ""))
    .join(", ");
}
