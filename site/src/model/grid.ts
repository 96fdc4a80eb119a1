// Where cells stand: the layout of the cluster with its inverse, so that a
// point of the picture finds its cell.
import type { Layout } from "../base/messages.ts";

export interface Grid {
  layout: Layout;
  cells: number;
  at: Int32Array; // the cell on each square of the grid, row by row; -1: none
}

export function makeGrid(layout: Layout): Grid {
  const at = new Int32Array(layout.columns * layout.rows).fill(-1);
  for (let cell = 0; cell < layout.x.length; cell++) at[layout.y[cell] * layout.columns + layout.x[cell]] = cell;
  return { layout, cells: layout.x.length, at };
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
