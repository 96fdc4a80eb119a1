// A moment that travels: a picture of the size that links are shown with, and a clip of ten
// seconds of the run, each with title, question, answer, time, seed and digest. Both are made
// in this tab, the clip by the browser's own encoder. A clip shows moments of this run as they
// are played: the question from its start, the answer when it comes.
import { h } from "../base/dom.ts";
import { clock } from "../base/format.ts";
import type { ToWorker } from "../base/messages.ts";
import { STAGES } from "../base/palette.ts";
import { tokensOf } from "../base/tokens.ts";
import { lookOf } from "../model/look.ts";
import { pinnedOf } from "../model/question.ts";
import { seek } from "../model/run.ts";
import { titleOf } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";

const SIZE = { width: 1200, height: 630 };
const EDGE = 56;
const MAP = { top: 98, height: 306 };
const WORDS = { question: 446, answer: 512, foot: 588 }; // base lines
const LENGTH = 10_000; // ms of a clip
const BEFORE = 0.7; // of the way from a card's opening to its answer that a clip of the card shows; the rest comes after
const RATE = 4_000_000; // bits a second
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const INK = { strong: 1, plain: 0.75, quiet: 0.58 }; // of the stage's ink
const LOGO = [0.4, 1, 0.6, 0.75, 0.4, 1, 1, 0.6, 0.4];

type Known = Store<"engine" | "run" | "reported" | "look" | "chosen" | "page">;

const PATIENCE = 10_000; // ms for a picture of the map

/** What a picture shows. */
export type Sight = Pick<Extract<ToWorker, { type: "draw" }>, "width" | "height" | "scale" | "camera" | "look" | "selected">;

/** A picture of the map, drawn by the simulation. */
export function mapPicture(store: Store<"reported" | "look" | "chosen">, sight: Sight): Promise<ImageData> {
  const { width, height } = sight;
  const { grid, picture: before } = store.state;
  if (!grid) return Promise.reject(new Error("there is no map yet"));
  return new Promise((resolve, reject) => {
    const end = (act: () => void) => {
      stop();
      clearTimeout(timer);
      act();
    };
    const timer = setTimeout(() => end(() => reject(new Error("the picture did not arrive in time"))), PATIENCE);
    const stop = store.watch(["picture"], () => {
      const { picture } = store.state;
      if (!picture || picture === before || picture.width !== width || picture.height !== height) return;
      end(() => resolve(new ImageData(new Uint8ClampedArray(picture.buffer), width, height)));
    });
    store.send({ type: "draw", cell: -1, ...sight });
  });
}

/** Draws the present moment, with a map that the simulation draws for it. */
async function drawOn(canvas: HTMLCanvasElement, store: Known): Promise<void> {
  const { width: across, height: down } = store.state.grid ?? { width: 1, height: 1 };
  const [width, height] = [SIZE.width - 2 * EDGE, MAP.height];
  const zoom = Math.min(48, width / across, height / down);
  const look = { ...lookOf(store.state), light: false };
  const camera = { zoom, x: -Math.max(0, width / zoom - across) / 2, y: -Math.max(0, height / zoom - down) / 2 };
  const map = await mapPicture(store, { width, height, scale: 1, camera, look, selected: -1 });
  const pen = canvas.getContext("2d", { alpha: false });
  if (!pen) throw new Error("the browser cannot draw it");
  const { scenario, status, base, bases } = store.state; // after the picture: not an earlier moment than it shows
  const pinned = pinnedOf(store.state);
  const now = document.querySelector("#stage .now > span")?.textContent ?? "";
  const token = tokensOf(document.documentElement);
  const write = (text: string, x: number, y: number, font: string, ink: number, end = false) => {
    pen.font = `${font} ${token(font.endsWith("24px") && !end ? "--mono" : "--font")}`;
    pen.globalAlpha = ink;
    pen.textAlign = end ? "right" : "left";
    pen.fillText(text, x, y, width);
    return pen.measureText(text).width;
  };
  pen.globalAlpha = 1;
  pen.fillStyle = STAGES.dark.stage;
  pen.fillRect(0, 0, SIZE.width, SIZE.height);
  pen.fillStyle = STAGES.dark.ink;
  LOGO.forEach((ink, i) => {
    pen.globalAlpha = ink;
    pen.fillRect(EDGE + 12 * (i % 3), 42 + 12 * Math.floor(i / 3), 10, 10);
  });
  const name = write("Parley", EDGE + 52, 69, "600 30px", INK.strong);
  write([titleOf(scenario, bases[base]), systemOf(store.state)?.name].filter(Boolean).join(" · "), EDGE + 70 + name, 69, "25px", INK.quiet);
  pen.putImageData(map, EDGE, MAP.top);
  write(pinned ? pinned.card.question : "", EDGE, WORDS.question, "29px", INK.plain);
  const answer = pinned?.is === "answered" ? pinned.words : pinned ? "" : now;
  const [lines, size] = fitted(pen, answer, width, token("--font"));
  lines.forEach((line, i) => write(line, EDGE, WORDS.answer + (i - (lines.length - 1) / 2) * size * 1.15, `700 ${size}px`, INK.strong));
  const facts = [clock(status?.at ?? 0), `seed ${scenario?.seed ?? 1}`, `digest ${status?.digest.slice(0, 8) ?? ""}`];
  write(facts.join("   "), EDGE, WORDS.foot, "24px", INK.quiet);
  write("play it in a tab", SIZE.width - EDGE, WORDS.foot, "24px", INK.plain, true);
}

/** A text in at most two lines, as large as they have room for. */
function fitted(pen: CanvasRenderingContext2D, text: string, width: number, font: string): [lines: string[], size: number] {
  for (let size = 46; ; size -= 4) {
    pen.font = `700 ${size}px ${font}`;
    const lines = [""];
    for (const word of text.split(" ")) {
      const longer = `${lines[lines.length - 1]} ${word}`.trim();
      if (pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    if (lines.length === 1 || (lines.length === 2 && size <= 34) || size <= 22) return [lines, size];
  }
}

/** The present moment as a canvas. */
export async function momentOf(store: Known): Promise<HTMLCanvasElement> {
  const canvas = h("canvas", SIZE);
  await drawOn(canvas, store);
  return canvas;
}

/** Records ten seconds of the run from now on, or, where a card's answer is there, from shortly before it; tells how many of them it has. Once wanted() is false it ends without a clip. */
export async function clipOf(store: Known, tell: (seconds: number) => void, wanted: () => boolean): Promise<Blob | undefined> {
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((one) => MediaRecorder.isTypeSupported(one));
  const canvas = h("canvas", SIZE);
  if (!kind || !("captureStream" in canvas)) throw new Error("this browser has no encoder of videos");
  const pinned = pinnedOf(store.state);
  if (pinned?.is === "answered") {
    const { opens, moment } = pinned.card;
    seek(store, moment - BEFORE * (moment - opens));
    while (wanted() && pinnedOf(store.state)?.is === "answered") await new Promise((soon) => setTimeout(soon, 100)); // until it has gone back
  }
  if (!store.state.status?.playing) store.send({ type: "play" });
  await drawOn(canvas, store);
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: kind, videoBitsPerSecond: RATE });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  const begin = performance.now();
  try {
    for (let passed = 0; passed < LENGTH && wanted(); passed = performance.now() - begin) {
      tell(Math.floor(passed / 1000));
      await drawOn(canvas, store);
    }
  } finally {
    recorder.stop();
    await ended;
  }
  return wanted() ? new Blob(parts, { type: kind.split(";")[0] }) : undefined;
}
