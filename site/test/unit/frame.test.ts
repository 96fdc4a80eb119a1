// Frames, against the layout of bytes that core/frame documents.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame } from "../../src/base/frame.ts";
import { tally } from "../../src/place/watch/panel/devices.ts";

/** A frame of two layers of three cells and one arc, byte by byte. */
function bytes(): ArrayBuffer {
  const header = [0x50, 0x46, 0x52, 0x31, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
  const layers = [10, 20, 30, 1, 2, 3, 0, 0];
  const arc = [2, 0, 0, 0, 1, 0, 0, 0, 51, 1, 0, 0];
  return new Uint8Array([...header, ...layers, ...arc]).buffer;
}

test("a frame is read in place", () => {
  const frame = decodeFrame(bytes());
  assert.equal(frame.at, 1_000_000);
  assert.equal(frame.sequence, 9);
  assert.deepEqual(
    frame.layers.map((layer) => [...layer]),
    [
      [10, 20, 30],
      [1, 2, 3],
    ],
  );
  assert.deepEqual(frame.arcs, [{ from: 2, to: 1, progress: 0.2, kind: "forced" }]);
});

test("what is no frame is refused with a reason", () => {
  assert.throws(() => decodeFrame(new ArrayBuffer(8)), /8 bytes that do not start with/);
  assert.throws(() => decodeFrame(bytes().slice(0, 36)), /shorter than the header says/);
  assert.throws(() => decodeFrame(bytes().slice(0, 48)), /shorter than the header says/);
  const astray = bytes();
  new DataView(astray).setUint32(40, 3, true);
  assert.throws(() => decodeFrame(astray), /an arc from cell 3 to 1 of 3/);
});

/** bytes() with devices: two of the first cell, of which one is held by jobs 3 and 4 in parts, none of the second, one of the third, which failed. */
function withDevices(): ArrayBuffer {
  const frame = [...new Uint8Array(bytes())];
  frame[28] = 5;
  const part = (owner: number, share: number, kind: number, colour: number) => [owner, 0, 0, 0, share & 255, share >> 8, kind, colour];
  const parts = [part(3, 250, 1, 0), part(4, 500, 1, 5), part(0, 250, 2, 0), part(0, 1000, 0, 0), part(0, 1000, 3, 0)];
  return new Uint8Array([...frame, 2, 0, 1, 0, ...parts.flat()]).buffer;
}

test("devices are counted as core/frame writes them", () => {
  assert.equal(decodeFrame(bytes()).devices, undefined);
  const { devices, arcs } = decodeFrame(withDevices());
  assert.equal(arcs.length, 1);
  assert.ok(devices);
  assert.deepEqual([...devices.of], [2, 0, 1]);
  assert.deepEqual(tally(devices), { of: { idle: 1, held: 0.75, useless: 0.25, failed: 1 }, idle: [1, 0, 0], jobs: 2 });
  assert.throws(() => decodeFrame(withDevices().slice(0, -1)), /shorter than the header says/);
});
