// The dialog of a short link: what would be sent, for how long it is kept, and only
// then a button that sends it.
import { h, say } from "../base/dom.ts";
import { count } from "../base/format.ts";
import type { Scenario } from "../base/scenario.ts";
import type { Address } from "../model/address.ts";
import { askKeeper, type Parcel, parcelOf, send } from "../model/shortlink.ts";
import { showDialog } from "./dialog.ts";

/** What is shared: the scenario, where it stands, the layer on the map, and how many files it plays. */
export interface Shared {
  scenario: Scenario;
  address: Address;
  fill: string;
  files: number;
  picture: () => Promise<Blob>; // of the present moment, for previews of the link
}

/** Opens the dialog; why says what made it open, if the user did not ask for it. */
export async function showShortLink({ scenario, address, fill: layer, files, picture }: Shared, why: string): Promise<void> {
  const page = location.href.replace(/#.*/, "");
  const status = h("p", { role: "status", id: "short-status" }, "Asking whether this host keeps short links …");
  const body = h("div");
  const save = h("button.btn", { type: "button", "data-command": "save-scenario" }, "Save as a file");
  const end = h("div.buttons.end", {}, save);
  showDialog("share", "Short link", [why !== "" && h("p", {}, why), body, status, end]);

  let shown: Blob | undefined; // the picture that is sent with it
  const parcel = await parcelOf(scenario, address, layer);
  const size = new Blob([parcel.body]).size;
  try {
    const { most_bytes, kept_days, picture_bytes } = await askKeeper(page);
    body.replaceChildren(...contents(parcel, size, files, new URL(page).host, kept_days));
    if (picture_bytes) body.append(preview(picture, picture_bytes, (chosen) => (shown = chosen)));
    if (size > most_bytes)
      return say(status, `The scenario has ${count(size)} bytes, and this host keeps ${count(most_bytes)} at most. Send it as a file.`);
    say(status, "Nothing has been sent yet.");
  } catch (error) {
    return say(status, `${sentence(error)} Nothing was sent. Copy the link (Y), or send the scenario as a file.`);
  }
  const go = h("button.btn.primary", { type: "button", id: "short-send" }, "Send it and copy the short link");
  go.addEventListener("click", () => {
    go.disabled = true;
    say(status, "Sending …");
    send(page, parcel, shown).then(
      async (link) => {
        const input = h("input", { type: "text", readonly: true, "aria-label": "Short link", id: "short-link" });
        input.value = link;
        body.replaceChildren(input);
        end.replaceChildren(save);
        input.select();
        const copied = await navigator.clipboard.writeText(link).then(
          () => true,
          () => false,
        );
        say(
          status,
          copied
            ? "Link copied. Anyone who opens it sees what you see now."
            : "Copy it from here. Anyone who opens it sees what you see now.",
        );
      },
      (error: unknown) => {
        go.disabled = false;
        say(status, sentence(error));
      },
    );
  });
  end.append(go);
  go.focus();
}

/** The choice to send a picture too, which is drawn and shown before. */
function preview(draw: () => Promise<Blob>, most: number, choose: (picture: Blob | undefined) => void): HTMLElement {
  const box = h("input", { type: "checkbox", id: "short-picture" });
  const shown = h("div", { role: "status" });
  box.addEventListener("change", async () => {
    choose(undefined);
    shown.replaceChildren();
    if (!box.checked) return;
    try {
      const picture = await draw();
      if (!box.checked) return;
      if (picture.size > most) throw new Error(`it has ${count(picture.size)} bytes, and this host keeps ${count(most)}`);
      choose(picture);
      const image = h("img.short-picture", { alt: "The picture that is sent", width: 1200, height: 630 });
      image.src = URL.createObjectURL(picture);
      image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
      shown.replaceChildren(image);
    } catch (error) {
      box.checked = false;
      say(shown, `No picture can be sent: ${sentence(error)}.`);
    }
  });
  return h("div", {}, h("label.check", {}, box, " Send a picture of this moment too, which previews of the link show"), shown);
}

/** What is sent, in words and to the letter. */
function contents({ place, body }: Parcel, size: number, files: number, host: string, days: number): Node[] {
  return [
    h(
      "p",
      {},
      `${host} would keep the scenario with its name, settings and faults (${count(size)} bytes), and the moment, layer and node that you look at, for ${days} days from the last time that it is sent. Everyone who has the link can read it. No account, no cookie; your address is used to count requests and not kept.`,
    ),
    ...(files > 0
      ? [
          h(
            "p",
            {},
            "Your files are not sent: only their names and the first digits of their SHA-256, so that the page can ask for them when the link is opened.",
          ),
        ]
      : []),
    h(
      "details",
      {},
      h("summary", {}, "Show exactly what will be sent"),
      h("pre", { tabindex: 0 }, `${decodeURIComponent(place.replaceAll("&", "\n"))}\n\n${JSON.stringify(JSON.parse(body), null, 2)}`),
    ),
  ];
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
