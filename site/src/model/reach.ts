// How high a chart reaches. A run begins with the placement of all its tasks, and what
// that takes would press everything after it to the ground.

const MUCH = 3; // times the highest later value

/** The highest value of lines; without their first ones where those are far above all later ones. */
export function reach(lines: readonly ArrayLike<number | null | undefined>[]): { top: number; first: number } {
  let first = 0;
  let later = 0;
  for (const values of lines) {
    first = Math.max(first, values[0] ?? 0);
    for (let i = 1; i < values.length; i++) later = Math.max(later, values[i] ?? 0);
  }
  const beyond = later > 0 && first > MUCH * later;
  return { top: beyond ? later : Math.max(first, later), first: beyond ? first : 0 };
}
