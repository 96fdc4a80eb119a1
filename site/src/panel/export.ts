// Everything that can be taken away: the report, series, tables, figures. Pictures and
// the report carry the scenario, and open it when they are dropped on the page.
import { download, h, svg } from "../base/dom.ts";
import { PAPER } from "../base/tokens.ts";
import { type Address, bare, encodeAddress, MOST_LENGTH } from "../model/address.ts";
import { type Carried, metadata, pngWith } from "../model/carrier.ts";
import {
  bidRows,
  columnsCSV,
  columnsJSON,
  courseRows,
  graphRows,
  type Row,
  reportJSON,
  rowsCSV,
  rowsJSON,
  tableCSV,
  tableJSON,
} from "../model/export.ts";
import { faultTimes } from "../model/faults.ts";
import { type Figure, figureSVG } from "../model/figure.ts";
import { lookOf } from "../model/look.ts";
import { reportHTML } from "../model/paper.ts";
import type { State, Store } from "../model/store.ts";
import { chartsOf, systemOf } from "../model/systems.ts";
import { drawingSVG } from "../model/vector.ts";
import { drawn } from "./chartlist.ts";
import { showDialog } from "./dialog.ts";
import { drawnOn } from "./drawn.ts";
import type { Sight } from "./moment.ts";

const SCALE = 2; // pixels of a PNG for one of its SVG
const MAP = { width: 1440, height: 900 };
const EDGE = 16; // pixels around the map of a report
const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

const moments = () => import("./moment.ts"); // loaded when it is first needed

type Make = () => BlobPart | Promise<BlobPart>;

/** Opens the dialog; address is where the run stands. */
export function showExport(store: Store, address: () => Address): void {
  const { state } = store;
  const file = (state.scenario?.name ?? "parley").replaceAll(/[^\w-]+/g, "-").toLowerCase();
  const status = h(
    "p",
    { role: "status", class: "quiet", id: "export-status" },
    "Pictures and the HTML report carry the scenario: dropped on the page, they open it.",
  );
  const button = (label: string, suffix: string, type: string, make: Make, says: string) =>
    h(
      "button.btn",
      { type: "button", "aria-label": `${says} as ${label}`, onclick: () => void save(`${file}${suffix}`, type, make) },
      label,
    );
  const save = async (name: string, type: string, make: Make) => {
    try {
      download(name, type, await make());
      status.textContent = `${name} is made.`;
    } catch (error) {
      status.textContent = `${name} cannot be made: ${error instanceof Error ? error.message : String(error)}. Try again.`;
    }
  };
  const row = (title: string, ...buttons: Node[]) => h("div", {}, h("dt", {}, title), h("dd", {}, ...buttons));
  const carried = (): Carried | undefined => {
    const { scenario, status: now } = state;
    const { need, fork } = address();
    return scenario && { scenario, at: now?.at, digest: now?.digest.slice(0, 8), need, fork };
  };
  const figures = chartsOf(state).map((chart): Figure => {
    const { lines, ...rest } = drawn(chart);
    return { ...rest, lines: lines.map((line) => ({ ...line, colour: (PAPER as Record<string, string>)[line.colour] ?? line.colour })) };
  });
  const chart = (figure: Figure) => figureSVG(figure, state.series, faultTimes(state), carried());
  const named = (title: string) => `-${title.replaceAll(/[^\w-]+/g, "-").toLowerCase()}`;
  const report = async () => {
    const map = await mapPNG(store, wholeOnPaper(state)).then(dataURL, () => "");
    const now = { ...state, series: state.series.copy() }; // of one moment, whatever the run does meanwhile
    const here = carried();
    const from = address();
    if (!here) throw new Error("nothing runs yet");
    const link = await encodeAddress({
      ...bare(from),
      selected: undefined,
      place: undefined,
      drawing: undefined,
      fill: undefined,
    });
    const whole =
      link.length > MOST_LENGTH
        ? await encodeAddress({ settings: {}, packed: here.scenario, need: from.need, at: from.at, digest: from.digest })
        : link;
    return reportHTML(now, systemOf(now), figures, faultTimes(now), here, {
      link: whole,
      page: location.href.replace(/#.*/, ""),
      date: new Date().toISOString().slice(0, 10),
      map,
    });
  };
  const carrying = (png: Uint8Array) => {
    const here = carried();
    return here ? pngWith(png, here) : new Uint8Array(png);
  };
  const pngOf = async (text: string) => carrying(await raster(text));
  const map = async () => carrying(await mapPNG(store));
  const picture = async () => carrying(await bytesOf(await (await moments()).momentOf(store)));
  const clip = async () => {
    const { clipOf } = await moments();
    const tell = (seconds: number) => (status.textContent = `Recording the run: ${seconds} of 10 s. Close this dialog to stop.`);
    try {
      const video = await clipOf(store, tell, () => status.isConnected);
      if (!video) return;
      const name = `${file}-clip.${video.type === "video/mp4" ? "mp4" : "webm"}`;
      download(name, video.type, video);
      status.textContent = `${name} is made: ${(video.size / 1e6).toFixed(1)} MB.`;
    } catch (error) {
      status.textContent = `The clip cannot be made: ${error instanceof Error ? error.message : String(error)}.`;
    }
  };
  showDialog("export", "Export", [
    h(
      "dl.exports",
      {},
      row(
        "This moment",
        button("Picture, 1200 × 630", "-moment.png", "image/png", picture, "This moment"),
        h("button.btn", { type: "button", "aria-label": "This moment as a clip", onclick: () => void clip() }, "Clip of 10 s"),
      ),
      row(
        "Report",
        button("HTML", "-report.html", "text/html", report, "Report"),
        button("JSON", "-report.json", "application/json", () => JSON.stringify(reportJSON(state), null, 2) + "\n", "Report"),
      ),
      row(
        "Series",
        button("CSV", "-columns.csv", "text/csv", () => columnsCSV(state), "Series"),
        button("JSON", "-columns.json", "application/json", () => columnsJSON(state), "Series"),
      ),
      row("Scenario", h("button.btn", { type: "button", "data-command": "save-scenario", "aria-label": "Scenario as JSON" }, "JSON")),
      row(
        "Map",
        button("PNG", "-map.png", "image/png", map, "Map"),
        button("SVG", "-map.svg", "image/svg+xml", async () => pictureSVG(await dataURL(await mapPNG(store)), carried()), "Map"),
      ),
      ...figures.map((figure) =>
        row(
          figure.title,
          button(
            "PNG",
            `${named(figure.title)}.png`,
            "image/png",
            () => pngOf(figureSVG(figure, state.series, faultTimes(state))),
            figure.title,
          ),
          button("SVG", `${named(figure.title)}.svg`, "image/svg+xml", () => chart(figure), figure.title),
        ),
      ),
      ...seen(state).map(({ title, rows }) =>
        row(
          title,
          button("CSV", `${named(title)}.csv`, "text/csv", () => rowsCSV(rows), title),
          button("JSON", `${named(title)}.json`, "application/json", () => rowsJSON(rows), title),
        ),
      ),
      ...drawings().map(({ title, text, ofRun }) =>
        row(
          `Drawing: ${title}`,
          button(
            "PNG",
            `${named(title)}.png`,
            "image/png",
            async () => (ofRun ? pngOf(text()) : new Uint8Array(await raster(text()))),
            title,
          ),
          button("SVG", `${named(title)}.svg`, "image/svg+xml", () => text(ofRun ? carried() : undefined), title),
        ),
      ),
      ...tables().map(({ title, rows }) =>
        row(
          `Table: ${title}`,
          button("CSV", `${named(title)}.csv`, "text/csv", () => tableCSV(rows), title),
          button("JSON", `${named(title)}.json`, "application/json", () => tableJSON(rows), title),
        ),
      ),
    ),
    status,
  ]);
}

/** What the tabs of a load, of graphs and of a market show, as rows. */
function seen({ course, graph, story }: Store["state"]): { title: string; rows: Row[] }[] {
  return [
    ...(course && course.pieces.length > 0 ? [{ title: "Gantt chart", rows: courseRows(course) }] : []),
    ...(graph ? [{ title: `Graph ${graph.number}`, rows: graphRows(graph) }] : []),
    ...(story?.conversation && story.conversation.rounds.length > 0 ? [{ title: "Offers", rows: bidRows(story.conversation) }] : []),
  ];
}

/**
 * The drawings that the open tab or place shows, beside charts over time, as text of an SVG: as they are on the
 * screen. Those of a place are not of the run, whose scenario they do not carry.
 */
function drawings(): { title: string; text: (carried?: Carried) => string; ofRun: boolean }[] {
  const panel = [...document.querySelectorAll<HTMLElement>("#drawer-panel, #place")].find((one) => one.checkVisibility());
  if (!panel) return [];
  const ofRun = panel.id !== "place";
  const titleOf = (element: Element) =>
    (element.getAttribute("aria-label") ?? element.closest("[aria-label]")?.getAttribute("aria-label") ?? "drawing").slice(0, 60);
  const ruler = h("canvas", {}).getContext("2d");
  if (!ruler) throw new Error("the browser cannot draw the picture");
  const measure = (text: string, font: string) => {
    ruler.font = font;
    return ruler.measureText(text);
  };
  const canvases = [...panel.querySelectorAll("canvas")].flatMap((canvas) => {
    const drawn = canvas.width > 1 && canvas.checkVisibility() ? drawnOn(canvas) : undefined;
    if (!drawn) return [];
    const drawing = { ...drawn, title: titleOf(canvas), paper: paperUnder(canvas) };
    return [{ title: drawing.title, text: (carried?: Carried) => drawingSVG(drawing, measure, carried), ofRun }];
  });
  const images = [...panel.querySelectorAll<SVGSVGElement>('svg[role="img"]')].filter((image) => image.checkVisibility());
  return [...canvases, ...images.map((image) => ({ title: titleOf(image), text: (carried?: Carried) => styled(image, carried), ofRun }))];
}

/** The colour that is seen behind an element. */
function paperUnder(element: Element | null): string {
  for (let one = element; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!/^(transparent|rgba\(.*, 0\))$/.test(colour)) return colour;
  }
  return PAPER["--panel"];
}

/** A drawing of the page as text of an SVG, with the looks that its style sheet gives it. */
function styled(image: SVGSVGElement, carried?: Carried): string {
  const copy = image.cloneNode(true) as SVGSVGElement;
  const parts = [image, ...image.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll<SVGElement>("*")].forEach((part, i) => {
    const style = getComputedStyle(parts[i]);
    const above = i > 0 && parts[i].parentElement ? getComputedStyle(parts[i].parentElement as Element) : undefined;
    for (const name of LOOKS) {
      const look = style.getPropertyValue(name);
      if (look !== (name === "opacity" ? "1" : above?.getPropertyValue(name))) part.setAttribute(name, look);
    }
    part.removeAttribute("class");
  });
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: paperUnder(image) }));
  const text = new XMLSerializer().serializeToString(copy);
  return carried ? text.replace(">", () => `>${metadata(carried)}`) : text;
}

/** The tables that are on the screen, with the rows that they show. */
function tables(): { title: string; rows: string[][] }[] {
  return [...document.querySelectorAll<HTMLTableElement>("table")].flatMap((table) => {
    const rows = [...table.rows].map((row) =>
      [...row.cells].map((cell) => (cell.querySelector("input")?.value ?? cell.textContent ?? "").trim().replaceAll(/\s+/g, " ")),
    );
    if (rows.length < 2 || !table.checkVisibility()) return [];
    const title =
      table.caption?.textContent ||
      table.closest("section, figure, [aria-label]")?.querySelector("h2, h3")?.textContent ||
      rows[0].filter(Boolean).slice(0, 3).join(", ");
    return [{ title: title.slice(0, 60), rows }];
  });
}

/** A drawing as pixels. */
export async function raster(svg: string): Promise<Uint8Array> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: image.width * SCALE, height: image.height * SCALE });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await bytesOf(canvas);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** How a map is drawn: its size and what is looked at. */
/** The map as it is looked at. */
function asSeen(state: State<"reported" | "look" | "chosen">): Sight {
  const { camera, selected, stage } = state;
  return { ...MAP, scale: stage.width > 0 ? MAP.width / stage.width : 1, camera, look: lookOf(state), selected };
}

/** All of the map, as high as its cells need, in the colours of paper. */
function wholeOnPaper(state: State<"reported" | "look">): Sight {
  const { width, height } = state.grid ?? { width: 1, height: 1 };
  const room = MAP.width - 2 * EDGE;
  const zoom = Math.max(1, Math.min(48, Math.floor(room / width), Math.floor((MAP.height - 2 * EDGE) / height)));
  const size = { width: Math.ceil(width * zoom) + 2 * EDGE, height: Math.ceil(height * zoom) + 2 * EDGE };
  const look = { ...lookOf(state), light: true, still: true };
  return { ...size, scale: 1, camera: { zoom, x: -EDGE / zoom, y: -EDGE / zoom }, look, selected: -1 };
}

/** A picture of the map as PNG. */
async function mapPNG(store: Store<"run" | "reported" | "look" | "chosen">, sight = asSeen(store.state)): Promise<Uint8Array> {
  const picture = await (await moments()).mapPicture(store, sight);
  const canvas = h("canvas", { width: picture.width, height: picture.height });
  canvas.getContext("2d")?.putImageData(picture, 0, 0);
  return bytesOf(canvas);
}

async function bytesOf(canvas: HTMLCanvasElement): Promise<Uint8Array> {
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, "image/png"));
  if (!blob) throw new Error("the browser cannot make a PNG of it");
  return new Uint8Array(await blob.arrayBuffer());
}

function dataURL(png: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("the picture cannot be read"));
    reader.readAsDataURL(new Blob([new Uint8Array(png)], { type: "image/png" }));
  });
}

function pictureSVG(png: string, carried?: Carried): string {
  const { width, height } = MAP;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${carried ? metadata(carried) : ""}<image href="${png}" width="${width}" height="${height}"/></svg>\n`;
}
