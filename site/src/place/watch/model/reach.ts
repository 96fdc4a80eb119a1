// How high a chart reaches. A run begins with the placement of all its tasks, and what
// that takes would press everything after it to the ground.

const MUCH = 3; // times the highest later value
const FIRST = 2; // different values of a line that belong to its beginning, at most

type Values = ArrayLike<number | null | undefined>;

/** Where a line begins: its first place with a value. */
export function beginOf(values: Values): number {
  let i = 0;
  while (i < values.length && (values[i] ?? undefined) === undefined) i++;
  return i;
}

/** Where the first different values of a line, many of them, are over: a rate is drawn until the next minute has one. */
export function afterFirst(values: Values, many: number): number {
  let i = beginOf(values);
  for (let n = 0; n < many && i < values.length; n++) {
    const value = values[i];
    while (i < values.length && values[i] === value) i++;
  }
  return i;
}

/** The highest value of lines; without their first ones, of which there are many, where each of those is far above all later ones. */
export function reach(lines: readonly Values[]): { top: number; first: number; many: number } {
  let top = 0;
  for (let many = FIRST; many >= 0; many--) {
    let first = 0; // the highest of those left out
    let latest = 0; // the highest of the last of those
    let rest = 0; // how many values a line has later
    top = 0;
    for (const values of lines) {
      const end = afterFirst(values, many);
      rest = Math.max(rest, values.length - end);
      if (end > 0) latest = Math.max(latest, values[end - 1] ?? 0);
      for (let i = 0; i < values.length; i++) {
        const value = values[i] ?? 0;
        if (i < end) first = Math.max(first, value);
        else top = Math.max(top, value);
      }
    }
    if (many > 0 && top > 0 && latest > MUCH * top && rest >= many) return { top, first, many };
  }
  return { top, first: 0, many: 0 };
}
