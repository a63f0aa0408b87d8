// Where `watch` starts: after a version of the feed (`--since 1234`), at a moment (`--since 2026-11-21T09:00:00Z`), or that
// long ago (`--since 10m`).
import { AgtmuxError } from "../../core/model/errors.ts";
import { readDuration } from "../../core/model/duration.ts";

export interface Since {
  readonly version: number | null;
  /** Epoch ms. */
  readonly time: number | null;
}

/** A bare whole number is a version; a duration needs its unit. Fails with E_USAGE. */
export const parseSince = (text: string, now: number): Since => {
  const version = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(version)) return { version, time: null };
  const ago = Number.isNaN(version) ? readDuration(text) : null;
  if (ago !== null) return { version: null, time: now - ago };
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return { version: null, time: moment };
  throw new AgtmuxError("E_USAGE", `--since does not understand '${text}'`, {
    remedy: "Give a feed version, a timestamp such as 2026-11-21T09:00:00Z, or a duration such as 10m.",
  });
};
