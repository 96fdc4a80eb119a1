// How high a chart reaches. A run begins with the placement of all its tasks, and what
// that takes would press everything after it to the ground.

const MUCH = 3; // times the highest later value

type Values = ArrayLike<number | null | undefined>;

/** Where a line begins: its first place with a value. */
export function beginOf(values: Values): number {
  let i = 0;
  while (i < values.length && (values[i] ?? undefined) === undefined) i++;
  return i;
}

/** The highest value of lines; without their first ones where those are far above all later ones. */
export function reach(lines: readonly Values[]): { top: number; first: number } {
  let first = 0;
  let later = 0;
  for (const values of lines) {
    const begin = beginOf(values);
    first = Math.max(first, values[begin] ?? 0);
    for (let i = begin + 1; i < values.length; i++) later = Math.max(later, values[i] ?? 0);
  }
  const beyond = later > 0 && first > MUCH * later;
  return { top: beyond ? later : Math.max(first, later), first: beyond ? first : 0 };
}
