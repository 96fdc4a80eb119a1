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
  12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985, 2.178813, 2.160369,
  2.144787, 2.13145, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
  2.048407, 2.04523, 2.042272,
];

export function student(freedom: number): number {
  const part = 1 / freedom;
  return POINTS[freedom - 1] ?? 1.959963985 + part * (2.37227123 + part * (2.822498616 + part * 2.55584968));
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
