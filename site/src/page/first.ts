// A script of its own that runs before every part of the page's: a language that
// all libraries can take, the recording that the page shows first, and a word about a script that came and stopped, which is
// not one that is still to come.
import { opensFirst } from "../base/first.ts";
import { mendLanguage } from "../base/language.ts";

mendLanguage(navigator);
if (location.protocol === "file:") {
  // Browsers load neither modules nor WebAssembly from a disk.
  tell(
    "This page was opened from a disk, and browsers load its parts only from a server. Run “make run” in Parley's folder, or “python3 -m http.server” in the folder of this page, and open the address that it prints.",
  );
  const status = document.querySelector("#status");
  if (status) status.textContent = "not running: opened from a disk";
} else if (opensFirst(location.hash))
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", href: "keyframes.bin", crossOrigin: "" }),
  );
const keys = new URLSearchParams(location.hash.slice(1));
if (keys.get("embed") === "1") {
  document.documentElement.classList.add("embed");
  const show = (keys.get("show") || "map").split(",");
  document.documentElement.dataset.show = show.join(" ");
  if (show.some((part) => part !== "map" && part !== "lesson")) document.documentElement.dataset.tabs = "";
}
addEventListener("error", ({ message }) => {
  tell(`The page's script stopped: ${message}. Reload the page or try another browser; your run is in the address.`);
});

/** Says why the page does not start, at once; nothing once it stands. */
function tell(text: string): void {
  const late = document.querySelector(".late");
  if (!late) return;
  late.textContent = text;
  if (location.hash.length > 1 && location.protocol !== "file:") {
    const other = Object.assign(document.createElement("a"), { href: location.pathname, textContent: "Open the first scenario" });
    late.append(" ", other, ".");
  }
  late.classList.remove("late");
}
