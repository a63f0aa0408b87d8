const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size by its largest unit, with one digit behind the point below ten: `3.2 MB`. */
export const formatBytes = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit] ?? ""}`;
};
