// Turns what OpenSSH or the ssh2 library say about a failed connection into errors with a remedy. Texts of the remote side are
// hostile: control characters are removed, and length is bounded.
import { AgtmuxError } from "../model/errors.ts";

const MAX_DETAIL_LENGTH = 200;
const MAX_DETAILS = 3;

/** One printable, bounded line. */
export const cleanLine = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ")
    .trim()
    .slice(0, MAX_DETAIL_LENGTH);

/** The host key differs from the one in the known_hosts files, or they have none. */
export const hostKeyError = (
  alias: string,
  why: "unknown" | "changed" | "revoked",
  options: { knownName?: string; file?: string; details?: readonly string[] } = {},
): AgtmuxError => {
  const name = options.knownName ?? alias;
  // Without a file, ssh-keygen takes the usual one.
  const isUsual = options.file === undefined || options.file.endsWith("/.ssh/known_hosts");
  const where = isUsual ? "" : ` -f "${options.file}"`;
  const remedies = {
    unknown: `Run 'ssh ${alias}' once in a terminal and accept the key only if it is the right one.`,
    changed: `If the change is expected, run 'ssh-keygen -R "${name}"${where}' and then 'ssh ${alias}' once; if not, somebody may be listening.`,
    revoked: `The key is marked as revoked in the known_hosts file: ask who runs ${alias}.`,
  };
  const says = {
    unknown: "its host key is unknown",
    changed: "its host key has CHANGED",
    revoked: "its host key is revoked",
  };
  return new AgtmuxError("E_TARGET_HOST_KEY", `connect to ${alias}: ${says[why]}`, {
    remedy: remedies[why],
    details: options.details ?? [],
  });
};

export const authError = (alias: string, details: readonly string[] = []): AgtmuxError =>
  new AgtmuxError("E_TARGET_AUTH", `connect to ${alias}: the server accepts none of the keys at hand`, {
    remedy: `Make 'ssh -o BatchMode=yes ${alias} true' work in a terminal: load the key with ssh-add, or name it in the SSH configuration.`,
    details,
  });

export const unreachableError = (
  alias: string,
  why: string,
  options: { details?: readonly string[]; cause?: unknown; remedy?: string } = {},
): AgtmuxError =>
  new AgtmuxError("E_TARGET_UNREACHABLE", `connect to ${alias}: ${cleanLine(why)}`, {
    remedy: options.remedy ?? `Check that 'ssh ${alias}' works in a terminal.`,
    details: options.details ?? [],
    ...(options.cause === undefined ? {} : { cause: options.cause }),
  });

/**
 * There is no route. macOS 15 and newer give the same error to a program that may not reach the local network, and to every
 * program that it starts.
 */
export const noRouteError = (
  alias: string,
  options: { details?: readonly string[]; cause?: unknown },
  platform: NodeJS.Platform = process.platform,
): AgtmuxError =>
  unreachableError(alias, "the network has no route to it", {
    ...options,
    ...(platform === "darwin"
      ? {
          remedy: `Allow agtmux, or the terminal that started it, in System Settings, Privacy & Security, Local Network; if it is allowed, check that 'ssh ${alias}' works in a terminal.`,
        }
      : {}),
  });

/** Lines of OpenSSH that say nothing about why: advice, banners, and the frame of its big warnings. */
const NOISE = /^(@+$|Warning: Permanently added|debug\d:|\*\* |$)/;

/** Texts of OpenSSH, which are always English, with the most telling first: the first that matches names the reason. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/Could not resolve hostname/i, "the host name cannot be resolved"],
  [/Connection refused/i, "the connection was refused"],
  [/(Connection|Operation) timed out|did not respond|Timeout, server/i, "it does not answer"],
  [/Too many authentication failures/i, "too many keys were tried"],
  [/Bad configuration option|terminating, \d+ bad configuration/i, "the SSH configuration has an error"],
  [/Bad owner or permissions/i, "a file of the SSH configuration can be written by others"],
  [/no matching .* found/i, "no common algorithm"],
  [/Connection (closed|reset)|kex_exchange_identification|Broken pipe/i, "the connection was closed"],
];

const NO_ROUTE = /No route to host|Network is unreachable|Host is down/i;

/** Reads the stderr of an OpenSSH client that could not connect, or that lost its connection. */
export const errorFromOpenSsh = (
  alias: string,
  stderr: string,
  platform: NodeJS.Platform = process.platform,
): AgtmuxError => {
  const lines = stderr
    .split("\n")
    .map(cleanLine)
    .filter((line) => !NOISE.test(line));
  const details = lines.slice(-MAX_DETAILS);
  if (/REVOKED HOST KEY|revoked/i.test(stderr) && /Host key verification failed/i.test(stderr))
    return hostKeyError(alias, "revoked", { details });
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/i.test(stderr)) {
    const knownName = /Host key for (\S+) has changed/.exec(stderr)?.[1];
    const file = /Offending \S+ key in (.+):\d+/.exec(stderr)?.[1];
    return hostKeyError(alias, "changed", {
      details,
      ...(file === undefined ? {} : { file: cleanLine(file) }),
      ...(knownName === undefined ? {} : { knownName: cleanLine(knownName) }),
    });
  }
  if (/Host key verification failed|host key is known for/i.test(stderr))
    return hostKeyError(alias, "unknown", { details });
  if (/Permission denied|Too many authentication failures|No more authentication methods/i.test(stderr))
    return authError(alias, details);
  if (NO_ROUTE.test(stderr)) return noRouteError(alias, { details }, platform);
  const reason = REASONS.find(([pattern]) => pattern.test(stderr))?.[1];
  return unreachableError(alias, reason ?? lines.at(-1) ?? "ssh ended without a message", { details });
};
