// Where releases are, and what an address says of them: the file SHA256SUMS of the newest one, whose lines name version and systems.
// That is all that is ever asked for. Everything that comes from there is bounded and checked before anybody sees it.
import { AgtmuxError, errorCodeOf } from "../../core/model/errors.ts";

/** Files are below `<address>/latest/download/` and `<address>/download/v<version>/`, as GitHub has them and a mirror can. */
export interface ReleaseAddress {
  /** Without a slash at its end. */
  readonly base: string;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const MAX_ADDRESS = 1_000;
const MAX_REDIRECTS = 5;
const MAX_SUMS_BYTES = 64 * 1024;
const SUMS_MS = 15_000;

const isTrusted = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname));

/** @throws AgtmuxError E_USAGE for one that isn't encrypted (but on this machine), or has a password, query or fragment. */
export const parseReleaseAddress = (text: string): ReleaseAddress => {
  const url = text.length <= MAX_ADDRESS && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isTrusted(url) || url.username + url.password + url.search + url.hash !== "")
    throw new AgtmuxError("E_USAGE", "the address of releases cannot be used", {
      remedy: "Name one that begins with https:// and has no password in it.",
    });
  return { base: url.href.replace(/\/+$/, "") };
};

// Versions: three numbers, and what may follow a hyphen.

const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([0-9A-Za-z.]{1,20}))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

const compareParts = (one: string, other: string): number => {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : Number(one > other);
};

const comparePrereleases = (one: string | undefined, other: string | undefined): number => {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  const [parts, others] = [one.split("."), other.split(".")];
  for (const [index, part] of parts.entries()) {
    const compared = index < others.length ? compareParts(part, others[index] ?? "") : 1;
    if (compared !== 0) return compared;
  }
  return parts.length - others.length;
};

/** Below 0: `one` is older. By the order of semantic versions; one that is none is older than all. */
export const compareVersions = (one: string, other: string): number => {
  const [parts, others] = [VERSION.exec(one), VERSION.exec(other)];
  if (parts === null || others === null) return Number(parts !== null) - Number(others !== null);
  for (const index of [1, 2, 3]) {
    const compared = Number(parts[index]) - Number(others[index]);
    if (compared !== 0) return compared;
  }
  return comparePrereleases(parts[4], others[4]);
};

// SHA256SUMS.

export interface Release {
  readonly version: string;
  /** By the name of its system (`linux-x64`): the SHA-256 of that archive, in hexadecimal. */
  readonly archives: ReadonlyMap<string, string>;
}

const LINE = /^([0-9a-f]{64}) [ *]agtmux-(.{1,40})-((?:linux|macos)-(?:x64|arm64))\.tar\.gz$/;

/** Lines about other files do not count. @throws AgtmuxError E_UNSUPPORTED where archives are missing or of several versions. */
export const parseSums = (text: string): Release => {
  const archives = new Map<string, string>();
  const versions = new Set<string>();
  for (const line of text.split("\n")) {
    const [, hash = "", version = "", system = ""] = LINE.exec(line) ?? [];
    if (!isVersion(version)) continue;
    if (archives.has(system)) throw wrongSums("names an archive twice");
    archives.set(system, hash);
    versions.add(version);
  }
  const [version, ...others] = versions;
  if (version === undefined) throw wrongSums("names no archive");
  if (others.length > 0) throw wrongSums("names several versions");
  return { version, archives };
};

const wrongSums = (why: string): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `the list of the newest release (SHA256SUMS) ${why}`, {
    remedy: "Check the address of releases ('agtmux config get releases.address'), or try it later.",
  });

// Asking.

const unreachable = (url: string, why: string, cause?: unknown): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `${url} cannot be fetched: ${why}`, {
    cause,
    remedy: "Check the connection and the address of releases, or try it later.",
  });

const describe = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return "it took too long";
  if (error instanceof Error && error.name === "AbortError") return "it was cancelled";
  return errorCodeOf(error instanceof Error ? (error.cause ?? error) : error) || "no connection";
};

/** Follows redirects, but never from an encrypted address to one that isn't. */
const open = async (start: string, signal: AbortSignal): Promise<Response> => {
  let url = new URL(start);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      signal,
      headers: { "user-agent": "agtmux", "accept-encoding": "identity" },
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (next === null || !isTrusted(next) || (url.protocol === "https:" && next.protocol !== "https:"))
      throw unreachable(start, "it leads to an address that isn't encrypted");
    url = next;
  }
  throw unreachable(start, "it leads on and on");
};

/**
 * Gives the pieces of an answer to `take`, one after the other. Ends after `timeoutMs` in all, and where the answer is larger than
 * `maxBytes`. False: there is no such file, which `mayBeMissing`. @throws AgtmuxError E_UNSUPPORTED, or what `take` throws.
 */
export const fetchBounded = async (
  url: string,
  options: { maxBytes: number; timeoutMs: number; signal: AbortSignal; mayBeMissing?: boolean },
  take: (piece: Uint8Array) => Promise<void> | void,
): Promise<boolean> => {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  let taking: unknown = null;
  try {
    const response = await open(url, signal);
    if (response.status === 404 && options.mayBeMissing === true) {
      await response.body?.cancel();
      return false;
    }
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw unreachable(url, `the server answered ${response.status}`);
    }
    let bytes = 0;
    for await (const piece of response.body) {
      bytes += piece.length;
      if (bytes > options.maxBytes) throw unreachable(url, `it is larger than ${options.maxBytes} bytes`);
      try {
        await take(piece);
      } catch (error) {
        taking = error;
        throw error;
      }
    }
    return true;
  } catch (error) {
    if (error instanceof AgtmuxError || error === taking) throw error;
    throw unreachable(url, describe(error), error);
  }
};

/** What the newest release is. @throws AgtmuxError E_UNSUPPORTED where that cannot be found out. */
export const findNewest = async ({ base }: ReleaseAddress, signal: AbortSignal): Promise<Release> => {
  const pieces: Uint8Array[] = [];
  const limits = { maxBytes: MAX_SUMS_BYTES, timeoutMs: SUMS_MS, signal };
  await fetchBounded(`${base}/latest/download/SHA256SUMS`, limits, (piece) => void pieces.push(piece));
  return parseSums(Buffer.concat(pieces).toString("utf8"));
};

/** Where a file of a release is. */
export const fileOfRelease = ({ base }: ReleaseAddress, version: string, file: string): string =>
  `${base}/download/v${version}/${file}`;
