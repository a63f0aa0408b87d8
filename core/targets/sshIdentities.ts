// Which keys an alias can log in with, without reading a secret: the kind of each key file, by its unencrypted header, and what
// the agent holds. Only the server knows whether a key is accepted.
import { open, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { execa } from "execa";
import type { SshConfig } from "./sshConfig.ts";

/** `plain` can be used as it is; `encrypted` only through the agent; `hardware` and `other` only by OpenSSH. */
export type KeyFileKind = "plain" | "encrypted" | "hardware" | "other";

export interface KeyFile {
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
export const expandTilde = (path: string): string =>
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

const agentKeyTypes = async (socket: string, env: NodeJS.ProcessEnv): Promise<string[]> => {
  const result = await execa("ssh-add", ["-L"], {
    env: { ...env, SSH_AUTH_SOCK: socket },
    extendEnv: false,
    reject: false,
    timeout: AGENT_TIMEOUT_MS,
    stdin: "ignore",
  });
  if (result.exitCode !== 0) return [];
  return result.stdout.split("\n").flatMap((line) => /^((?:ssh|sk|ecdsa)-\S+) /.exec(line)?.[1] ?? []);
};

const needsOpenSsh = (path: string): boolean => /[%$]/.test(path);

/**
 * Looks at the key files of the configuration and asks the agent what it holds. Never fails: keys that cannot be read are left
 * out.
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
