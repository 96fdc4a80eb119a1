// Reads the frames of core/frame: a header, layers × cells bytes, and the arcs
// of running migrations. All of it is little-endian.

/** A decoded frame. Its layers alias the buffer it was read from. */
export interface Frame {
  at: number; // simulated microseconds
  sequence: number;
  cells: number;
  layers: Uint8Array[];
  arcs: Arc[];
  devices?: Devices;
}

/** The devices inside nodes: how many each cell has, and their parts, eight bytes each as core/frame has them. */
export interface Devices {
  of: Uint8Array;
  parts: DataView;
}

/** A task that moves, or just did, or a message (asked); progress goes from 0 to 1. */
export interface Arc {
  from: number;
  to: number;
  progress: number;
  kind: "moved" | "forced" | "refused" | "replaced" | "messaged";
}

const HEADER = 32;
const ARC = 12;
const PART = 8;
const ARCS = ["moved", "forced", "refused", "replaced", "messaged"] as const;
const MAGIC = 0x31524650; // "PFR1"

/** The byte that stands for 100 % of a ramp layer. */
export const FULL_SCALE = 200;

/** Decodes a frame, or tells what is wrong with the buffer. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) {
    throw new Error(`frame: ${buffer.byteLength} bytes that do not start with "PFR1"`);
  }
  const layers = view.getUint16(4, true);
  const cells = view.getUint32(8, true);
  const arcs = view.getUint32(12, true);
  const body = HEADER + layers * cells;
  const start = (body + 3) & ~3;
  const parts = view.getUint32(28, true);
  const more = start + arcs * ARC; // where devices begin
  const first = (more + cells + 3) & ~3; // and their parts
  if (body > buffer.byteLength || (arcs > 0 && more > buffer.byteLength) || (parts > 0 && first + parts * PART > buffer.byteLength)) {
    throw new Error(`frame: ${buffer.byteLength} bytes are shorter than the header says`);
  }
  const frame: Frame = {
    at: Number(view.getBigUint64(16, true)),
    sequence: view.getUint32(24, true),
    cells,
    layers: Array.from({ length: layers }, (_, i) => new Uint8Array(buffer, HEADER + i * cells, cells)),
    arcs: [],
    ...(parts > 0 && { devices: { of: new Uint8Array(buffer, more, cells), parts: new DataView(buffer, first, parts * PART) } }),
  };
  for (let i = 0, at = start; i < arcs; i++, at += ARC) {
    const from = view.getUint32(at, true);
    const to = view.getUint32(at + 4, true);
    if (from >= cells || to >= cells) throw new Error(`frame: an arc from cell ${from} to ${to} of ${cells}`);
    frame.arcs.push({ from, to, progress: view.getUint8(at + 8) / 255, kind: ARCS[view.getUint8(at + 9)] ?? "moved" });
  }
  return frame;
}
