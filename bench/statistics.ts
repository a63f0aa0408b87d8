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

export const medianOf = (sample: readonly number[]): number => spreadOf(sample).median;

/** Slope of the straight line through the points, by least squares. */
export const fitSlope = (points: readonly { x: number; y: number }[]): number => {
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const above = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return above / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
};

/** Exponent of the power law through the points: 1 is linear. */
export const fitExponent = (points: readonly { x: number; y: number }[]): number =>
  fitSlope(points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) })));
