// Copying the link.
import { h } from "../base/dom.ts";
import { encodeAddress, MOST_LENGTH, PLAIN_LENGTH } from "../model/address.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "../panel/dialog.ts";
import { addressOf } from "./location.ts";

export async function share(store: Store): Promise<void> {
  const text = await encodeAddress(addressOf(store.state));
  const link = `${location.origin}${location.pathname}#${text}`;
  if (text.length > MOST_LENGTH) {
    store.set({ notice: "This scenario is too long for a link. Save it as a file (Ctrl+S) and send that." });
    return;
  }
  try {
    await navigator.clipboard.writeText(link);
    const note = text.length > PLAIN_LENGTH ? ` It has ${link.length} characters; some programs cut such links.` : "";
    const files = store.state.traceFiles.length > 0 ? " Your files are not in it: whoever opens it needs them too." : "";
    store.set({ notice: `Link copied.${note}${files}` });
  } catch {
    const input = h("input", { type: "text", readonly: true, "aria-label": "Link" });
    input.value = link;
    showDialog("share", "Copy this link", [input]);
    input.select();
  }
}
