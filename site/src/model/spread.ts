// What several seeds say together: the mean of a figure, how far it varies, and
// the interval in which the mean of paired differences lies.

/** A figure over seeds. */
export interface Sample {
  mean: number;
  sd: number; // standard deviation; 0 of one seed
  n: number; // seeds
}

/** The mean of differences, seed by seed, and its 95 % interval; infinite where one seed alone tells. */
export interface Difference extends Sample {
  low: number;
  high: number;
}

/** The 97.5 % points of Student's t for 1, 2, 3 … degrees of freedom; core/estimate has the same, and core/estimate/testdata/intervals.txt holds both to it. */
const POINTS = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056,
  2.052, 2.048, 2.045, 2.042,
];

export function student(freedom: number): number {
  return POINTS[freedom - 1] ?? 1.96 + 2.45 / freedom;
}

/** The 95 % interval of the mean of a sample; infinite where one value alone tells. */
export function intervalOf({ mean, sd, n }: Sample): { low: number; high: number } {
  const half = n > 1 ? (student(n - 1) * sd) / Math.sqrt(n) : Infinity;
  return { low: mean - half, high: mean + half };
}

export function sampleOf(values: number[]): Sample | undefined {
  const n = values.length;
  if (n === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : 0, n };
}

/** The differences b − a of those seeds that both have, at the same places. */
export function differenceOf(a: (number | undefined)[], b: (number | undefined)[]): Difference | undefined {
  const pairs = b.flatMap((value, i) => {
    const base = a[i];
    return value === undefined || base === undefined ? [] : [value - base];
  });
  const sample = sampleOf(pairs);
  if (!sample) return undefined;
  return { ...sample, ...intervalOf(sample) };
}

/** Whether b's figure is lower or higher than a's; "" where the interval touches zero or one seed alone tells. */
export function verdictOf({ low, high }: Difference): "lower" | "higher" | "" {
  return high < 0 ? "lower" : low > 0 ? "higher" : "";
}
