// Values of options as a person types them: counts, durations, times of day, `--since`, the settings of a target, and what
// completions ask for. Nothing is asked of the daemon here.
import { AgtmuxError } from "../../core/model/errors.ts";
import { readDuration } from "../../core/model/words.ts";
import { refusePassword } from "../../core/model/sshAddress.ts";

/** Fails with E_USAGE naming the option and its bounds. */
export const parseCount = (text: string, option: string, bounds: { min: number; max: number }): number => {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= bounds.min && count <= bounds.max) return count;
  throw new AgtmuxError("E_USAGE", `${option}: invalid value '${text}'`, {
    remedy: `Write a whole number from ${bounds.min} to ${bounds.max}.`,
  });
};

/** Fails with E_USAGE naming the option. */
export const parseDuration = (text: string, option: string): number => {
  const ms = readDuration(text);
  if (ms === null)
    throw new AgtmuxError("E_USAGE", `${option}: invalid value '${text}'`, {
      remedy: "Write a duration such as 500ms, 30s, 5m or 2h.",
    });
  return ms;
};

/** `07:00`, or a day with it. */
const TIME = /^(?:(\d{4})-(\d{2})-(\d{2})[T ])?(\d{1,2}):(\d{2})$/;

/**
 * A time as people write it: `07:00`, the next one that comes, or `2026-11-24 07:00`; on the wall clock of this machine. Epoch
 * ms, as `now`. Fails with E_USAGE.
 */
export const parseTime = (text: string, now: number): number => {
  const refuse = (): AgtmuxError =>
    new AgtmuxError("E_USAGE", `--at: invalid value '${text.slice(0, 40)}'`, {
      remedy: "Write 07:00, or 2026-11-24T07:00.",
    });
  const match = TIME.exec(text.trim());
  if (match === null) throw refuse();
  const [year, month, day, hour = 0, minute = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (hour > 23 || minute > 59) throw refuse();
  const today = new Date(now);
  const isNamed = year !== undefined && month !== undefined && day !== undefined;
  const at = isNamed
    ? new Date(year, month - 1, day, hour, minute)
    : new Date(today.getFullYear(), today.getMonth(), today.getDate(), hour, minute);
  // The 31st of a month with thirty days is no day.
  if (isNamed && (at.getMonth() !== month - 1 || at.getDate() !== day)) throw refuse();
  if (!isNamed && at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
};

/**
 * The start of a feed or a log: after a version of the feed (`--since 1234`), at a moment (`--since 2026-11-21T09:00:00Z`), or that
 * long ago (`--since 10m`).
 */
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
  throw new AgtmuxError("E_USAGE", `--since: invalid value '${text}'`, {
    remedy: "Give a feed version, a timestamp such as 2026-11-21T09:00:00Z, or a duration such as 10m.",
  });
};

export const TRANSPORTS = ["auto", "ssh2", "openssh"] as const;
type Transport = (typeof TRANSPORTS)[number];

/** Undefined stays undefined. @throws AgtmuxError E_USAGE. */
export const parseTransport = (text: string | undefined): Transport | undefined => {
  if (text === undefined) return undefined;
  const transport = TRANSPORTS.find((known) => known === text);
  if (transport !== undefined) return transport;
  throw new AgtmuxError("E_USAGE", `--transport: unknown value '${text}'`, {
    remedy: `Transports are ${TRANSPORTS.join(", ")}.`,
  });
};

/** @throws AgtmuxError E_USAGE for an address with a password, so that it is not even sent to the daemon. */
export const parseSshTarget = (text: string): string => {
  refusePassword(text);
  return text;
};

/** Null for `auto`: tmux is searched for. @throws AgtmuxError E_USAGE for a path that is not absolute. */
export const parseTmuxPath = (text: string | undefined): string | null | undefined => {
  if (text === undefined) return undefined;
  if (text === "auto") return null;
  if (text.startsWith("/")) return text;
  throw new AgtmuxError("E_USAGE", `--tmux-path isn't an absolute path: '${text}'`, {
    remedy: "Give the path on the target, from the root, or 'auto'.",
  });
};

/** What `agtmux __complete <kind>` can ask the daemon for while a person types. */
const LIVE_KINDS = ["refs", "runtimes", "targets", "sessions", "target-sessions", "agents"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export const isLiveKind = (text: string): text is LiveKind => LIVE_KINDS.some((kind) => kind === text);
