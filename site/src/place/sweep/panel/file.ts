// The files of a sweep: its document, the runs' results and their table.
import { download } from "../../../base/dom.ts";
import type { Sweep } from "../model/sweep.ts";

/** Offers a file of the sweep. */
export async function saveFile(sweep: Sweep, what: "sweep" | "results" | "json" | "csv"): Promise<void> {
  const file = await sweep.file(what);
  if (file) download(file.name, file.mediaType, file.text);
}
