// Where the viewer looks: the place at the top left of the stage, in widths of a
// cell, and the CSS pixels of such a width. Plain functions of plain values.

export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

/** How much of the stage's border is covered by menus, in CSS pixels. */
export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export const NEAREST = 480; // CSS pixels a cell

/** The largest side of a cell in CSS pixels while all of them are shown; of nodes with devices, as core/heatmap/raster has it. */
export const LARGEST = 48;
export const LARGEST_WITH_DEVICES = 128;

/** What the insets leave free of the stage. */
export function room(stage: Size, insets: Insets): Size {
  return { width: Math.max(1, stage.width - insets.left - insets.right), height: Math.max(1, stage.height - insets.top - insets.bottom) };
}

/** Shows all of a picture whose size is given in cells in the middle of what the insets leave free, with cells of whole pixels of the screen, of which a CSS pixel has scale. */
export function fit(across: number, down: number, stage: Size, insets: Insets, scale: number, largest = LARGEST): Camera {
  const { width, height } = room(stage, insets);
  const most = Math.min(largest, width / Math.max(1, across), height / Math.max(1, down));
  const whole = Math.floor(most * scale + 1e-6) / scale;
  const zoom = whole > 0 ? whole : most;
  const aside = (inset: number, free: number) => -Math.round((inset + free / 2) * scale) / scale / zoom;
  return { zoom, x: aside(insets.left, width - across * zoom), y: aside(insets.top, height - down * zoom) };
}

/** Zooms by a factor, between two bounds, so that the point of the stage stays where it is. */
export function zoomAt(camera: Camera, factor: number, px: number, py: number, least: number, most = NEAREST): Camera {
  const zoom = Math.min(most, Math.max(least, camera.zoom * factor));
  return { zoom, x: camera.x + px / camera.zoom - px / zoom, y: camera.y + py / camera.zoom - py / zoom };
}

/** Moves the picture by CSS pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { zoom: camera.zoom, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/** Keeps the middle of the stage on a picture of a given number of widths of a cell. */
export function hold(camera: Camera, across: number, down: number, stage: Size): Camera {
  const middle = (at: number, length: number, most: number) => Math.min(most, Math.max(0, at + length / 2)) - length / 2;
  return {
    zoom: camera.zoom,
    x: middle(camera.x, stage.width / camera.zoom, across),
    y: middle(camera.y, stage.height / camera.zoom, down),
  };
}

/** Puts a place into the middle of the stage, or of what insets leave free of it. */
export function centre(x: number, y: number, zoom: number, stage: Size, { left, right, top, bottom } = NO_INSETS): Camera {
  return { zoom, x: x - (stage.width + left - right) / zoom / 2, y: y - (stage.height + top - bottom) / zoom / 2 };
}

const NO_INSETS: Insets = { top: 0, right: 0, bottom: 0, left: 0 };

/** The place under a point of the stage. */
export function placeAt(camera: Camera, px: number, py: number): [x: number, y: number] {
  return [camera.x + px / camera.zoom, camera.y + py / camera.zoom];
}

/** The point of the stage at a place. */
export function pointOf(camera: Camera, [x, y]: [number, number]): [px: number, py: number] {
  return [(x - camera.x) * camera.zoom, (y - camera.y) * camera.zoom];
}
