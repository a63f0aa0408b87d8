/** Order statistics of a sample, in the sample's own unit. */
export interface Spread {
  count: number;
  median: number;
  p95: number;
  max: number;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;

export const spreadOf = (sample: readonly number[]): Spread => {
  const sorted = sample.toSorted((a, b) => a - b);
  return { count: sorted.length, median: at(sorted, 0.5), p95: at(sorted, 0.95), max: at(sorted, 1) };
};
