// Where cells stand: the layout of the cluster with its inverse, so that a
// point of the picture finds its cell. Places are in widths of a cell.
import type { Layout } from "../base/messages.ts";

export interface Grid {
  layout: Layout;
  cells: number;
  at: Int32Array; // the cell on each square of the grid, row by row; -1 if none
  across: Axis;
  down: Axis;
  width: number; // of the whole picture
  height: number;
}

/** Where columns, or rows, are; core/frame's Axis is the same. */
export interface Axis {
  block: number; // squares between two gaps
  cell: number; // their extents
  gap: number;
}

export function makeGrid(layout: Layout): Grid {
  const { columns, rows, x, y, pitch } = layout;
  const at = new Int32Array(columns * rows).fill(-1);
  for (let cell = 0; cell < x.length; cell++) at[y[cell] * columns + x[cell]] = cell;
  const axis = (block: number, cell: number, gap: number): Axis =>
    pitch.width > 0 ? { block, cell, gap } : { block: 1e6, cell: 1, gap: 1 };
  const across = axis(pitch.width, 1, pitch.gapX);
  const down = axis(pitch.height, pitch.tall, pitch.gapY);
  return { layout, cells: x.length, at, across, down, width: place(across, columns), height: place(down, rows) };
}

/** Where a square begins. */
export function place({ block, cell, gap }: Axis, square: number): number {
  const whole = Math.floor(square / (block + 1));
  return whole * (block * cell + gap) + (square - whole * (block + 1)) * cell;
}

/** The square at a place, a gap's own ones among them. */
export function squareOn({ block, cell, gap }: Axis, at: number): number {
  const period = block * cell + gap;
  const whole = Math.floor(at / period);
  return whole * (block + 1) + Math.min(block, Math.floor((at - whole * period) / cell));
}

/** The middle of a cell. */
export function middleOf({ layout, across, down }: Grid, cell: number): [x: number, y: number] {
  return [place(across, layout.x[cell]) + across.cell / 2, place(down, layout.y[cell]) + down.cell / 2];
}

/** The cell at a place, -1 beside all cells. */
export function cellAtPlace(grid: Grid, x: number, y: number): number {
  return cellOn(grid, squareOn(grid.across, x), squareOn(grid.down, y));
}

/** The cell whose middle is nearest to a place. */
export function nearest(grid: Grid, x: number, y: number): number {
  const under = cellAtPlace(grid, x, y);
  if (under >= 0) return under;
  let [best, least] = [0, Infinity];
  for (let cell = 0; cell < grid.cells; cell++) {
    const [mx, my] = middleOf(grid, cell);
    const far = (mx - x) ** 2 + (my - y) ** 2;
    if (far < least) [best, least] = [cell, far];
  }
  return best;
}

/** The cell on a square, -1 beside all cells. */
export function cellOn(grid: Grid, column: number, row: number): number {
  const { columns, rows } = grid.layout;
  if (column < 0 || row < 0 || column >= columns || row >= rows) return -1;
  return grid.at[row * columns + column];
}

/**
 * The next cell from a cell in a direction, over gaps; the cell itself where
 * there is none.
 */
export function neighbour(grid: Grid, cell: number, right: number, down: number): number {
  const { x, y, columns, rows } = grid.layout;
  if (cell < 0 || cell >= grid.cells) return grid.cells > 0 ? 0 : -1;
  let column = x[cell] + right;
  let row = y[cell] + down;
  while (column >= 0 && row >= 0 && column < columns && row < rows) {
    const found = cellOn(grid, column, row);
    if (found >= 0) return found;
    column += right;
    row += down;
  }
  return cell;
}

/** The cells of a rack, in their order. */
export function cellsOfRack(grid: Grid, rack: number): number[] {
  const cells: number[] = [];
  for (let cell = 0; cell < grid.cells; cell++) if (grid.layout.rack[cell] === rack) cells.push(cell);
  return cells;
}
