// Frames, against the layout of bytes that core/frame documents.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame } from "../../src/base/frame.ts";

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
