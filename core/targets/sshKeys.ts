// What is known of a host and of the person's keys before a connection, without reading a secret: the kind of each key file, by its
// unencrypted header, what the agent holds, and what the known_hosts files say. Only the server knows whether a key is accepted.
import { open, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { runProgram } from "./runProgram.ts";
import type { SshConfig } from "./sshConfig.ts";
import { unreachableError } from "./sshErrors.ts";

/** `plain` can be used as it is; `encrypted` only through the agent; `hardware` and `other` only by OpenSSH. */
type KeyFileKind = "plain" | "encrypted" | "hardware" | "other";

interface KeyFile {
  path: string;
  kind: KeyFileKind;
  hasCertificate: boolean;
}

export interface SshIdentities {
  /** The key files of the configuration that exist, in its order. */
  keyFiles: readonly KeyFile[];
  /** Null: there is no agent. */
  agentSocket: string | null;
  /** Types of the agent's keys, as their public key lines name them. */
  agentKeyTypes: readonly string[];
  /** Paths of the configuration that hold parts which only OpenSSH expands. */
  unexpanded: readonly string[];
}

const MAX_KEY_BYTES = 32 * 1024;
const AGENT_TIMEOUT_MS = 3_000;
const MAGIC = "openssh-key-v1\0";

/** OpenSSH takes the home folder of the account, not of HOME. */
const expandTilde = (path: string): string =>
  path === "~" || path.startsWith("~/") ? `${userInfo().homedir}${path.slice(1)}` : path;

const readString = (bytes: Buffer, at: number): { text: string; next: number } => {
  const length = bytes.readUInt32BE(at);
  return { text: bytes.toString("latin1", at + 4, at + 4 + length), next: at + 4 + length };
};

/** The header of an OpenSSH key names cipher and type unencrypted. */
const kindOfOpenSshKey = (body: string): KeyFileKind => {
  const bytes = Buffer.from(body, "base64");
  if (!bytes.toString("latin1").startsWith(MAGIC)) return "other";
  const cipher = readString(bytes, MAGIC.length);
  const kdf = readString(bytes, cipher.next);
  const kdfOptions = readString(bytes, kdf.next);
  const publicKey = kdfOptions.next + 4;
  const { text: type } = readString(bytes, publicKey + 4);
  if (type.startsWith("sk-")) return "hardware";
  if (!/^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521))$/.test(type)) return "other";
  return cipher.text === "none" ? "plain" : "encrypted";
};

/** The kind of a private key, from its file's text; `other` for every unknown format. */
export const kindOfKey = (text: string): KeyFileKind => {
  const openSsh = /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END/.exec(text)?.[1];
  if (openSsh !== undefined) {
    try {
      return kindOfOpenSshKey(openSsh);
    } catch (error) {
      if (error instanceof RangeError) return "other";
      throw error;
    }
  }
  if (/^-----BEGIN (RSA|EC) PRIVATE KEY-----/.test(text))
    return /^Proc-Type: 4,ENCRYPTED/m.test(text) ? "encrypted" : "plain";
  return "other";
};

const readKeyFile = async (path: string): Promise<KeyFile | null> => {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_KEY_BYTES), 0, MAX_KEY_BYTES, 0);
      const hasCertificate = await stat(`${path}-cert.pub`).then(
        () => true,
        () => false,
      );
      return { path, kind: kindOfKey(buffer.toString("latin1", 0, bytesRead)), hasCertificate };
    } finally {
      await file.close();
    }
  } catch {
    // Most of the default names do not exist, and a file that cannot be read cannot be used.
    return null;
  }
};

const agentSocketOf = (config: SshConfig, env: NodeJS.ProcessEnv): string | null => {
  const { identityagent } = config;
  if (identityagent.toLowerCase() === "none") return null;
  if (identityagent === "SSH_AUTH_SOCK") return env["SSH_AUTH_SOCK"] ?? null;
  if (/^\$[A-Za-z_]\w*$/.test(identityagent)) return env[identityagent.slice(1)] ?? null;
  return expandTilde(identityagent);
};

/** What a program of OpenSSH prints; nothing where it fails or is not there. */
const outputOf = async (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<string> => {
  // Without an answer, the known_hosts file counts as one without hosts, and the agent as one without keys.
  const result = await runProgram(argv, { env, timeoutMs }).catch(() => null);
  return result?.exitCode === 0 ? result.stdout : "";
};

const agentKeyTypes = async (socket: string, env: NodeJS.ProcessEnv): Promise<string[]> => {
  const stdout = await outputOf(["ssh-add", "-L"], { ...env, SSH_AUTH_SOCK: socket }, AGENT_TIMEOUT_MS);
  return stdout.split("\n").flatMap((line) => /^((?:ssh|sk|ecdsa)-\S+) /.exec(line)?.[1] ?? []);
};

const needsOpenSsh = (path: string): boolean => /[%$]/.test(path);

/**
 * Reads the key files of the configuration and asks the agent what it holds. Never fails: keys that cannot be read are left out.
 */
export const readIdentities = async (config: SshConfig, env: NodeJS.ProcessEnv): Promise<SshIdentities> => {
  const socket = agentSocketOf(config, env);
  const paths = config.identityFiles.filter((path) => !needsOpenSsh(path)).map(expandTilde);
  const [keyFiles, types] = await Promise.all([
    Promise.all(paths.map(readKeyFile)),
    socket === null || needsOpenSsh(socket) ? [] : agentKeyTypes(socket, env),
  ]);
  return {
    keyFiles: keyFiles.filter((file) => file !== null),
    agentSocket: socket,
    agentKeyTypes: types,
    unexpanded: [...config.identityFiles, ...(socket === null ? [] : [socket])].filter(needsOpenSsh),
  };
};

// Known hosts: `ssh-keygen -F` does the looking up, with hashed names, patterns and negations as OpenSSH has them; its answer is
// read here, and a key is judged by it.

interface KnownHostKey {
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
      // It ends with status 1 where nothing was found or the file does not exist.
      const stdout = await outputOf(["ssh-keygen", "-F", name, "-f", file], env, TIMEOUT_MS);
      return parseKnownHosts(stdout).map((key) => ({ ...key, file }));
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
