// The first seconds of the scenario that the page opens with, as a run of it recorded
// them (tools/gallery/keyframes): frames, and how their cells may be laid out.
import { decodeFrame, type Frame } from "./frame.ts";
import type { Extent, Layer, Layout } from "./messages.ts";

export interface Keyframes {
  scenario: string; // the gallery's id
  digest: string; // of the run at the last frame
  layers: Layer[];
  frames: Frame[];
  racks: Racks;
}

/** Racks of equal size, whose cells stand in them one after the other, and the shapes that core/frame chooses from. */
export interface Racks {
  cells: number;
  racks: number;
  rack: number; // cells in each but perhaps the last
  shapes: Shape[]; // the best first
}

/** Cells of a block, pixels of a cell, and the least pixels between blocks, each across and down. */
export type Shape = [across: number, down: number, width: number, height: number, gapX: number, gapY: number];

const HEAD = 4; // bytes that say how long the head is

/** Reads a recording, or tells what is wrong with it. */
export async function readKeyframes(packed: Blob): Promise<Keyframes> {
  const all = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
  const start = HEAD + new DataView(all).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(all, HEAD, start - HEAD))) as Omit<Racks, "cells"> &
    Omit<Keyframes, "racks" | "frames"> & { lengths: number[] };
  const frames: Frame[] = [];
  let at = start;
  let before = new Uint8Array();
  for (const length of head.lengths) {
    const bytes = new Uint8Array(all.slice(at, at + length));
    for (let i = Math.min(length, before.length); i-- > 0; ) bytes[i] += before[i];
    frames.push(decodeFrame(bytes.buffer));
    before = bytes;
    at += length;
  }
  if (frames.length === 0) throw new Error("there are no frames in it");
  const { scenario, digest, layers, racks, rack, shapes } = head;
  return { scenario, digest, layers, frames, racks: { cells: frames[0].cells, racks, rack, shapes } };
}

/** Lays racks out in a room of a size in pixels as core/frame's Fit does: the best shape that it has room for; undefined where none has. */
export function layoutIn({ cells, racks, rack, shapes }: Racks, room: Extent): Layout | undefined {
  for (const [across, down, width, height, gapX, gapY] of shapes) {
    const most = Math.min(racks, Math.floor((room.width + gapX) / (across * width + gapX)));
    if (most < 1 || width > room.maxCell || height > room.maxCell) continue;
    const least = Math.ceil(racks / most);
    if (least * (down * height + gapY) - gapY > room.height) continue;
    const columns = Math.ceil(racks / least);
    const rows = Math.ceil(racks / columns);
    const spread = (length: number, n: number, block: number, gap: number) =>
      n < 2 ? gap : Math.max(gap, Math.min(3 * gap, Math.trunc((length - n * block) / (n - 1))));
    const layout: Layout = {
      columns: columns * (across + 1) - 1,
      rows: rows * (down + 1) - 1,
      x: new Uint16Array(cells),
      y: new Uint16Array(cells),
      rack: new Int32Array(cells),
      blocks: [],
      pitch: {
        width: across,
        height: down,
        tall: height / width,
        gapX: spread(room.width, columns, across * width, gapX) / width,
        gapY: spread(room.height, rows, down * height, gapY) / width,
      },
    };
    for (let i = 0; i < racks; i++) {
      const n = Math.min(rack, cells - i * rack);
      layout.blocks.push({
        rack: i,
        x: (i % columns) * (across + 1),
        y: Math.floor(i / columns) * (down + 1),
        width: Math.min(n, across),
        height: Math.ceil(n / across),
      });
    }
    for (let cell = 0; cell < cells; cell++) {
      const i = Math.floor(cell / rack);
      layout.rack[cell] = i;
      layout.x[cell] = layout.blocks[i].x + ((cell - i * rack) % across);
      layout.y[cell] = layout.blocks[i].y + Math.floor((cell - i * rack) / across);
    }
    return layout;
  }
  return undefined;
}
