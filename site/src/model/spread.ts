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

/** Two-sided 95 % points of Student's t for 1, 2, 3 … degrees of freedom. */
const STUDENT = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739,
  2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452,
];

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
  const half = sample.n > 1 ? (STUDENT[Math.min(sample.n - 2, STUDENT.length - 1)] * sample.sd) / Math.sqrt(sample.n) : Infinity;
  return { ...sample, low: sample.mean - half, high: sample.mean + half };
}

/** Whether b's figure is lower or higher than a's; "" where the interval touches zero or one seed alone tells. */
export function verdictOf({ low, high }: Difference): "lower" | "higher" | "" {
  return high < 0 ? "lower" : low > 0 ? "higher" : "";
}
