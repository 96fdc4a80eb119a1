// Where the viewer looks: the square of the grid at the top left of the stage
// and the CSS pixels of a square. Plain functions of plain values.

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

const NEAREST = 96; // CSS pixels a square

/** Shows the whole grid in the middle of what the insets leave free. */
export function fit(columns: number, rows: number, stage: Size, insets: Insets): Camera {
  const width = Math.max(1, stage.width - insets.left - insets.right);
  const height = Math.max(1, stage.height - insets.top - insets.bottom);
  const zoom = Math.min(NEAREST / 2, width / Math.max(1, columns), height / Math.max(1, rows));
  return {
    zoom,
    x: -(insets.left + (width - columns * zoom) / 2) / zoom,
    y: -(insets.top + (height - rows * zoom) / 2) / zoom,
  };
}

/** Zooms by a factor so that the point of the stage stays where it is. */
export function zoomAt(camera: Camera, factor: number, px: number, py: number, least: number): Camera {
  const zoom = Math.min(NEAREST, Math.max(least, camera.zoom * factor));
  return { zoom, x: camera.x + px / camera.zoom - px / zoom, y: camera.y + py / camera.zoom - py / zoom };
}

/** Moves the picture by CSS pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { zoom: camera.zoom, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/** Keeps the middle of the stage on the grid. */
export function hold(camera: Camera, columns: number, rows: number, stage: Size): Camera {
  const middle = (at: number, length: number, most: number) => Math.min(most, Math.max(0, at + length / 2)) - length / 2;
  return {
    zoom: camera.zoom,
    x: middle(camera.x, stage.width / camera.zoom, columns),
    y: middle(camera.y, stage.height / camera.zoom, rows),
  };
}

/** Puts a square into the middle. */
export function centre(column: number, row: number, zoom: number, stage: Size): Camera {
  return { zoom, x: column + 0.5 - stage.width / zoom / 2, y: row + 0.5 - stage.height / zoom / 2 };
}

/** The square under a point of the stage. */
export function squareAt(camera: Camera, px: number, py: number): [column: number, row: number] {
  return [Math.floor(camera.x + px / camera.zoom), Math.floor(camera.y + py / camera.zoom)];
}
