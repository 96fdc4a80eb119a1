// A script of its own that runs before every part of the page's: a language that
// all libraries can take, the recording that the page shows first and the outlines of its racks, and a word about a script that
// came and stopped, which is not one that is still to come.
import { opensFirst } from "../base/first.ts";
import { layoutIn } from "../base/keyframes.ts";
import { mendLanguage } from "../base/language.ts";
import { recall, remember } from "../base/memory.ts";
import { shapesOf } from "../base/shapes.ts";
import { BREAKPOINTS } from "../base/tokens.ts";
import { fit, LARGEST, room } from "../model/camera.ts";
import { makeGrid, place } from "../model/grid.ts";

mendLanguage(navigator);
const disk = location.protocol === "file:";
const first = !disk && opensFirst(location.hash);
const { classList } = document.documentElement;
if (first) {
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", href: "keyframes.bin", crossOrigin: "" }),
  );
  classList.toggle("first", recall("promise") !== "closed" && !/[#&](embed|present)=1/.test(location.hash));
}
document.addEventListener("readystatechange", stand, { once: true });

/** Does what needs the document, when it has been read and no other script has run. */
function stand(): void {
  if (disk) {
    // Browsers load neither modules nor WebAssembly from a disk.
    tell(
      "This page was opened from a disk, and browsers load its parts only from a server. Run “make run” in Parley's folder, or “python3 -m http.server” in the folder of this page, and open the address that it prints.",
    );
    const status = document.querySelector("#status");
    if (status) status.textContent = "not running: opened from a disk";
  }
  if (!first) return document.querySelector(".now span")?.replaceChildren();
  document.querySelector("#promise-close")?.addEventListener("click", () => {
    classList.remove("first");
    remember("promise", "closed");
  });
  outline();
}

const keys = new URLSearchParams(location.hash.slice(1));
if (keys.get("embed") === "1") {
  classList.add("embed");
  const show = (keys.get("show") || "map").split(",");
  document.documentElement.dataset.show = show.join(" ");
  if (show.some((part) => part !== "map" && part !== "lesson")) document.documentElement.dataset.tabs = "";
}
addEventListener("error", ({ message }) => {
  tell(`The page's script stopped: ${message}. Reload the page or try another browser; your run is in the address.`);
});

/** Draws the outlines of the racks where the map will have them. */
function outline(): void {
  const [stage, head, path] = ["#stage", ".head", ".welcome path"].map((name) => document.querySelector(name));
  if (!stage || !head || !path) return;
  const size = stage.getBoundingClientRect();
  const insets = {
    top: head.getBoundingClientRect().bottom - size.top + 4,
    right: 16,
    bottom: innerWidth <= BREAKPOINTS.phone || innerHeight <= BREAKPOINTS.low ? 12 : 62, // the legend, which is a card in a small window
    left: 16,
  };
  const scale = devicePixelRatio;
  const free = room(size, insets);
  const maxCell = Math.floor(LARGEST * scale);
  const wanted = { width: Math.floor(free.width * scale), height: Math.floor(free.height * scale), maxCell };
  const layout = layoutIn({ cells: 12500, racks: 261, rack: 48, shapes: shapesOf(48, maxCell) }, wanted);
  if (!layout) return;
  const { across, down, width, height } = makeGrid(layout);
  const { x, y, zoom } = fit(width, height, size, insets, scale);
  const lines = layout.blocks.map((block) => {
    const [left, top] = [(place(across, block.x) - x) * zoom + 0.5, (place(down, block.y) - y) * zoom + 0.5];
    return `M${left} ${top}h${block.width * across.cell * zoom - 1}v${block.height * down.cell * zoom - 1}H${left}z`;
  });
  path.setAttribute("d", lines.join(""));
}

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
