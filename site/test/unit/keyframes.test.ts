// The recording of the first seconds: laid out and drawn as the core does, and the
// run takes over where it ends.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { openAsBlob, readFileSync } from "node:fs";
import { test } from "node:test";
import { opensFirst } from "../../src/base/first.ts";
import { layoutIn, readKeyframes } from "../../src/base/keyframes.ts";
import type { FromWorker, ToWorker } from "../../src/base/messages.ts";
import { shapesOf } from "../../src/base/shapes.ts";
import { DEFAULT_BASE } from "../../src/model/address.ts";
import { fit, LARGEST, room } from "../../src/model/camera.ts";
import { FrameKeeper, receive } from "../../src/model/engine.ts";
import { makeGrid } from "../../src/model/grid.ts";
import { Preview } from "../../src/model/preview.ts";
import { open } from "../../src/model/run.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { drawPreview } from "../../src/place/watch/panel/preview.ts";

Object.assign(globalThis, { devicePixelRatio: 1 });

const recorded = async () => readKeyframes(await openAsBlob("../assets/keyframes.bin"));

/** What tools/gallery/keyframes drew. */
interface Picture {
  Width: number;
  Height: number;
  Scale: number;
  Light: boolean;
  Low: number;
  High: number;
  Frame: number;
  Columns: number;
  Rows: number;
  Pitch: { Width: number; Height: number; GapX: number; GapY: number; Tall: number };
  Camera: { X: number; Y: number; Zoom: number };
  Hash: string;
}

test("a recorded frame is laid out and drawn as core/heatmap/raster draws it, to the pixel", async () => {
  const { frames, layers, racks, scenario } = await recorded();
  assert.equal(scenario, DEFAULT_BASE);
  const pictures = JSON.parse(readFileSync("../tools/gallery/keyframes/testdata/pictures.json", "utf8")) as Picture[];
  for (const { Width, Height, Scale, Light, Low, High, Frame, Columns, Rows, Pitch, Camera, Hash } of pictures) {
    const name = `${Width} × ${Height} at ${Scale}`;
    const state = emptyState();
    const stage = { width: Width, height: Height };
    const free = room(stage, state.insets);
    const layout = layoutIn(racks, {
      width: Math.floor(free.width * Scale),
      height: Math.floor(free.height * Scale),
      maxCell: LARGEST * Scale,
    });
    assert.ok(layout, name);
    const { columns, rows, pitch } = layout;
    assert.deepEqual(
      [columns, rows, pitch],
      [Columns, Rows, { width: Pitch.Width, height: Pitch.Height, gapX: Pitch.GapX, gapY: Pitch.GapY, tall: Pitch.Tall }],
      name,
    );
    const grid = makeGrid(layout);
    const camera = fit(grid.width, grid.height, stage, state.insets, Scale);
    for (const [here, there] of [
      [camera.x, Camera.X],
      [camera.y, Camera.Y],
      [camera.zoom, Camera.Zoom],
    ])
      assert.ok(Math.abs(here - there) < 1e-9, `${name}: ${JSON.stringify(camera)} beside ${JSON.stringify(Camera)}`);
    const wide = Math.floor(Width * Scale);
    const pixels = new Uint32Array(wide * Math.floor(Height * Scale));
    assert.ok(
      drawPreview(pixels, wide, Scale, {
        ...state,
        frame: frames[Frame],
        grid,
        layers,
        camera,
        light: Light,
        scale: { low: Low, high: High },
      }),
    );
    assert.equal(createHash("sha256").update(new Uint8Array(pixels.buffer)).digest("hex"), Hash, name);
  }
});

test("the outlines of the first paint are laid out as the recording is", async () => {
  const { racks } = await recorded();
  assert.deepEqual([racks.cells, racks.racks, racks.rack], [12500, 261, 48], "page/first.ts says the same");
  for (const most of [LARGEST, 2 * LARGEST])
    for (let width = 290; width < 2600; width += 113)
      for (let height = 150; height < 1400; height += 97) {
        const outlined = layoutIn({ ...racks, shapes: shapesOf(racks.rack, most) }, { width, height, maxCell: most });
        assert.deepEqual(outlined?.pitch, layoutIn(racks, { width, height, maxCell: most })?.pitch, `${width} × ${height}`);
      }
});

test("a stage that has room for no shape shows no recording", async () => {
  const { racks } = await recorded();
  assert.equal(layoutIn(racks, { width: 60, height: 60, maxCell: LARGEST }), undefined);
});

test("the page's own run is what a link without a run opens", () => {
  for (const hash of ["", "#", "#v=1", "#draw=2d", "#embed=1&v=1", "#fill=memory"]) assert.ok(opensFirst(hash), hash);
  for (const hash of ["#n=200", "#s=google-cell", "#at=2m&v=1", "#z=1.x", "#x.scan=3", "#need=a", "#f=none"])
    assert.ok(!opensFirst(hash), hash);
});

test("what was asked for before the recording came is not covered by it", async () => {
  const store = new Store(emptyState(), () => {});
  open(store, { v: 1, system: "central" }, { base: "central-kube" });
  const preview = new Preview(store, await recorded());
  assert.ok(!preview.on);
  assert.equal(store.state.frame, undefined);
});

/** A store with the recording upon its stage, and the page's ear to the engine. */
async function previewed(reducedMotion = false) {
  const keyframes = await recorded();
  const sent: ToWorker[] = [];
  const store = new Store({ ...emptyState(), reducedMotion, stage: { width: 976, height: 467 } }, (message) => sent.push(message));
  const preview = new Preview(store, keyframes);
  const keeper = new FrameKeeper();
  const hear = (message: FromWorker) => {
    const told = preview.lets(message);
    if (told) receive(store, told, keeper, () => {});
    return told !== undefined;
  };
  const frame = (at: number): FromWorker => {
    const buffer = keyframes.frames[0].layers[0].buffer.slice(0) as ArrayBuffer;
    new DataView(buffer).setBigUint64(16, BigInt(at), true);
    return { type: "frame", buffer };
  };
  return { keyframes, store, sent, preview, hear, frame };
}

test("the recorded frame stays until the run is at its moment", async () => {
  const { keyframes, store, sent, preview, hear, frame } = await previewed();
  assert.equal(preview.until, 4e6);
  assert.equal(store.state.frame, keyframes.frames[0]);
  assert.equal(store.state.grid?.cells, 12_500);
  open(store, { v: 1, system: "negotiation" }, { base: DEFAULT_BASE, at: preview.until });
  const grid = store.state.grid;
  assert.ok(grid);
  const { layers } = keyframes;
  assert.ok(
    hear({
      type: "opened",
      scenario: { v: 1, system: "negotiation" },
      hasMachines: false,
      shape: "tasks",
      choices: [],
      layers,
      layout: { ...grid.layout, columns: 1 },
      files: [],
    }),
  );
  assert.deepEqual(store.state.grid, grid, "it stays laid out as it is");
  assert.equal(store.state.frame, keyframes.frames[0], "the frame stays");
  assert.ok(!hear(frame(3e6)), "what the run tells on its way is not shown");
  assert.ok(
    sent.every(({ type }) => type !== "frame"),
    "and its buffer stays here, so that the engine draws no more of them",
  );
  assert.ok(store.state.preview);
  assert.ok(hear(frame(4e6)));
  assert.equal(store.state.preview, undefined);
  assert.equal(sent.at(-1)?.type, "frame", "then the buffer goes back");
  assert.deepEqual(store.state.frame, keyframes.frames[0], "and the picture is the same");
  assert.ok(hear(frame(3e6)), "from then on everything is told");
});

test("who asks for little motion keeps the recording until the run stands where it opens, after the first fault", async () => {
  const { store, preview, hear, frame } = await previewed(true);
  open(store, { v: 1, system: "negotiation" }, { base: DEFAULT_BASE, at: preview.until + 1 });
  await new Promise(setImmediate); // watchers are told after this turn
  assert.ok(store.state.preview);
  assert.ok(!hear(frame(preview.until)), "it is on its way");
  assert.ok(hear(frame(preview.until + 1)));
  assert.equal(store.state.preview, undefined);
});

test("the recording leaves when something else is wanted, or nothing comes", async () => {
  for (const leave of [
    ({ store }: Awaited<ReturnType<typeof previewed>>) => open(store, { v: 1, system: "negotiation" }, { base: DEFAULT_BASE }),
    ({ store, preview }: Awaited<ReturnType<typeof previewed>>) =>
      open(store, { v: 1, system: "central" }, { base: "central-kube", at: preview.until }),
    ({ hear }: Awaited<ReturnType<typeof previewed>>) => hear({ type: "trouble", trouble: { class: "gone", sentence: "It is gone." } }),
  ]) {
    const made = await previewed();
    leave(made);
    await new Promise(setImmediate); // watchers are told after this turn
    assert.equal(made.store.state.preview, undefined);
    assert.equal(made.store.state.frame, undefined);
    assert.ok(made.hear(made.frame(2e6)));
  }
});
