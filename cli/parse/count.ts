// Whole numbers that options take.
import { AgtmuxError } from "../../core/model/errors.ts";

/** Fails with E_USAGE naming the option and its bounds. */
export const parseCount = (text: string, option: string, bounds: { min: number; max: number }): number => {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= bounds.min && count <= bounds.max) return count;
  throw new AgtmuxError("E_USAGE", `${option} does not understand '${text}'`, {
    remedy: `Write a whole number from ${bounds.min} to ${bounds.max}.`,
  });
};
