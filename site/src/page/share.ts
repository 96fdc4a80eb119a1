// Copying the link, and the ways to a short one and to files.
import { h } from "../base/dom.ts";
import { encodeAddress, MOST_LENGTH, PLAIN_LENGTH } from "../model/address.ts";
import { titleOf } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "../panel/dialog.ts";
import { addressOf } from "./location.ts";

export async function share(store: Store): Promise<void> {
  const text = await encodeAddress(addressOf(store.state));
  const link = `${location.origin}${location.pathname}#${text}`;
  if (text.length > MOST_LENGTH)
    return shareShort(store, `As a link this scenario would have ${link.length} characters, which many programs cut.`);
  try {
    await navigator.clipboard.writeText(link);
    const note = text.length > PLAIN_LENGTH ? ` It has ${link.length} characters; some programs cut such links.` : "";
    const files = store.state.traceFiles.length > 0 ? " Your files are not in it: anyone who opens it needs them too." : "";
    store.set({ notice: `Link copied.${note}${files}` });
  } catch {
    const input = h("input", { type: "text", readonly: true, "aria-label": "Link" });
    input.value = link;
    showDialog("share", "Copy this link", [input]);
    input.select();
  }
}

/** Shows what a short link would send, and to whom. */
export async function shareShort(store: Store, why = ""): Promise<void> {
  const { scenario, fill, traceFiles, base, bases } = store.state;
  if (!scenario) return;
  const shared = {
    scenario: { ...scenario, name: titleOf(scenario, bases[base]) },
    address: addressOf(store.state),
    fill,
    files: traceFiles.length,
    picture: () => picture(store),
  };
  try {
    const { showShortLink } = await import("../panel/shortlink.ts");
    await showShortLink(shared, why);
  } catch {
    store.set({
      notice: "Could not load short links: the server is unreachable or was updated. Save the scenario as a file (Ctrl+S) and send that.",
    });
  }
}

/** The present moment as a picture for previews of its link. */
async function picture(store: Store): Promise<Blob> {
  const { momentOf } = await import("../panel/moment.ts");
  const canvas = await momentOf(store);
  return new Promise((take, fail) => canvas.toBlob((blob) => (blob ? take(blob) : fail(new Error("it cannot be drawn"))), "image/png"));
}

/** Shows what can be taken away. */
export async function exportAll(store: Store): Promise<void> {
  try {
    const { showExport } = await import("../panel/export.ts");
    showExport(store, () => addressOf(store.state));
  } catch {
    store.set({
      notice: "Could not load Export. Reload the page; your run is in the address.",
    });
  }
}
