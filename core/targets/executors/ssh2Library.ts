// The ssh2 library itself, loaded on first use only, and which of its algorithms a connection may use. An algorithm that
// OpenSSH's configuration leaves out is left out here too. The types of known host keys come first, so that the server shows
// one of these keys.
import type { Algorithms, ServerHostKeyAlgorithm } from "ssh2";
import type { KnownHost } from "../knownHosts.ts";
import type { SshConfig } from "../sshConfig.ts";

export type Ssh2 = Pick<typeof import("ssh2"), "Client">;

/** Loads the library: about 60 ms once, which no command of the CLI pays. */
export const loadSsh2 = async (): Promise<Ssh2> => {
  const { default: ssh2 } = await import("ssh2");
  return ssh2;
};

/** What ssh2 1.17 can do without its native part. Like OpenSSH, without SHA-1 signatures. */
export const SSH2_ALGORITHMS = {
  kexalgorithms: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group15-sha512",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group17-sha512",
    "diffie-hellman-group18-sha512",
  ],
  ciphers: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
    "chacha20-poly1305@openssh.com",
  ],
  macs: [
    "hmac-sha2-256-etm@openssh.com",
    "hmac-sha2-512-etm@openssh.com",
    "hmac-sha1-etm@openssh.com",
    "hmac-sha2-256",
    "hmac-sha2-512",
    "hmac-sha1",
  ],
  hostkeyalgorithms: [
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
  ],
} as const;

const allowed = <T extends string>(ours: readonly T[], theirs: readonly string[]): T[] =>
  theirs.length === 0 ? [...ours] : ours.filter((name) => theirs.includes(name));

/** The type of the key that an algorithm signs with. */
const keyTypeOf = (algorithm: string): string => (algorithm.startsWith("rsa-") ? "ssh-rsa" : algorithm);

/** The algorithms for a connection: those of the configuration that ssh2 can do. */
export const algorithmsFor = (config: SshConfig, knownHost: KnownHost): Algorithms => {
  const known = new Set([...knownHost.keys, ...knownHost.bareKeys].map(({ type }) => type));
  const hostKeys: ServerHostKeyAlgorithm[] = allowed(
    SSH2_ALGORITHMS.hostkeyalgorithms,
    config.hostkeyalgorithms,
  );
  return {
    kex: allowed(SSH2_ALGORITHMS.kexalgorithms, config.kexalgorithms),
    cipher: allowed(SSH2_ALGORITHMS.ciphers, config.ciphers),
    hmac: allowed(SSH2_ALGORITHMS.macs, config.macs),
    serverHostKey: [
      ...hostKeys.filter((name) => known.has(keyTypeOf(name))),
      ...hostKeys.filter((name) => !known.has(keyTypeOf(name))),
    ],
    // Watching sends nearly the same text each second; compressed it is a tenth.
    compress: ["zlib@openssh.com", "none"],
  };
};
