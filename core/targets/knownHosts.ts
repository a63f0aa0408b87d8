// What the person's known_hosts files say about a host. `ssh-keygen -F` does the looking up, with hashed names, patterns
// and negations as OpenSSH has them; this module reads its answer and judges a key by it.
import { execa } from "execa";
import { unreachableError } from "./sshErrors.ts";
import { expandTilde } from "./sshIdentities.ts";
import type { SshConfig } from "./sshConfig.ts";

export interface KnownHostKey {
  /** `authority` signs other keys; `revoked` must never be accepted. */
  marker: "plain" | "authority" | "revoked";
  type: string;
  /** Base64. */
  key: string;
  /** Where it was found. */
  file?: string;
}

/** The keys that are known under the name with its port, and under the bare host name where that may stand for it. */
export interface KnownHost {
  /** The name that is looked up: `[host]:port` where the port is not 22. */
  name: string;
  keys: readonly KnownHostKey[];
  /** Entries of the bare host name: they can accept a key on another port, but cannot refuse one. */
  bareKeys: readonly KnownHostKey[];
}

const TIMEOUT_MS = 5_000;
const DEFAULT_PORT = 22;

/** Reads lines of known_hosts. Comments (also those of `ssh-keygen -F`) and other lines without a key are skipped. */
export const parseKnownHosts = (text: string): KnownHostKey[] =>
  text.split("\n").flatMap((line): KnownHostKey[] => {
    if (line.startsWith("#")) return [];
    const found = /^(?:(@\S+)\s+)?(\S+)\s+([a-z][\w.@-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/.exec(line);
    if (found === null) return [];
    const [, marker, , type = "", key = ""] = found;
    if (marker === "@cert-authority") return [{ marker: "authority", type, key }];
    if (marker === "@revoked") return [{ marker: "revoked", type, key }];
    return marker === undefined ? [{ marker: "plain", type, key }] : [];
  });

const lookUp = async (
  name: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<KnownHostKey[]> => {
  const found = await Promise.all(
    files.map(async (file) => {
      const result = await execa("ssh-keygen", ["-F", name, "-f", file], {
        env,
        extendEnv: false,
        reject: false,
        timeout: TIMEOUT_MS,
        stdin: "ignore",
      });
      // Status 1 means that nothing was found or that the file does not exist.
      if (result.exitCode !== 0) return [];
      return parseKnownHosts(result.stdout).map((key) => ({ ...key, file }));
    }),
  );
  return found.flat();
};

/** The names under which OpenSSH would write this host into known_hosts files. */
const namesOf = ({ hostname, port, hostkeyalias }: SshConfig): { name: string; bareName: string | null } => {
  if (hostkeyalias !== null) return { name: hostkeyalias, bareName: null };
  const host = hostname.toLowerCase();
  return port === DEFAULT_PORT
    ? { name: host, bareName: null }
    : { name: `[${host}]:${port}`, bareName: host };
};

/** @throws AgtmuxError E_TARGET_UNREACHABLE for a name that would be an option. */
export const readKnownHost = async (config: SshConfig, env: NodeJS.ProcessEnv): Promise<KnownHost> => {
  const files = [...config.userknownhostsfile, ...config.globalknownhostsfile]
    .filter((file) => file !== "/dev/null")
    .map(expandTilde);
  const { name, bareName } = namesOf(config);
  if (name.startsWith("-")) throw unreachableError(config.alias, "its host name begins with a dash");
  const [keys, bareKeys] = await Promise.all([
    lookUp(name, files, env),
    bareName === null ? [] : lookUp(bareName, files, env),
  ]);
  return { name, keys, bareKeys };
};

/** The type that a public key names in its first field. */
export const typeOfKey = (key: Buffer): string => {
  if (key.length < 4) return "";
  return key.toString("latin1", 4, 4 + key.readUInt32BE(0));
};

/**
 * Compares a server's key with the known ones. A revoked key is always refused; another key of the same type counts as a
 * change.
 */
export const judgeHostKey = (host: KnownHost, key: Buffer): "known" | "unknown" | "changed" | "revoked" => {
  const type = typeOfKey(key);
  const text = key.toString("base64");
  const isSame = (known: KnownHostKey): boolean => known.type === type && known.key === text;
  const all = [...host.keys, ...host.bareKeys];
  if (all.some((known) => known.marker === "revoked" && known.key === text)) return "revoked";
  if (all.some((known) => known.marker === "plain" && isSame(known))) return "known";
  return host.keys.some((known) => known.marker === "plain" && known.type === type) ? "changed" : "unknown";
};

/** The file with the entry that a changed key contradicts. */
export const fileOfChanged = (host: KnownHost, key: Buffer): string | undefined =>
  host.keys.find(({ marker, type }) => marker === "plain" && type === typeOfKey(key))?.file;
