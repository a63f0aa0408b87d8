// How figures are written in tables.
import type { Spread } from "../statistics.ts";

/** Three significant digits, without a fraction from a hundred on. */
export const digits = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

export const ms = (value: number): string => `${digits(value)} ms`;
export const percent = (value: number): string => `${value.toFixed(2)} %`;
export const mb = (value: number): string => `${digits(value)} MB`;

export const SPREAD_HEAD = ["median", "p95", "max", "n"] as const;
export const spreadCells = ({ median, p95, max, count }: Spread): string[] => [
  ms(median),
  ms(p95),
  ms(max),
  String(count),
];
