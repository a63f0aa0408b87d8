import { describe, expect, it } from "vitest";
import { judgeHostKey, parseKnownHosts, typeOfKey, type KnownHost } from "./sshKeys.ts";

type KnownHostKey = KnownHost["keys"][number];

const keyOf = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from(body)]);
};
const plain = (key: Buffer): KnownHostKey => ({
  marker: "plain",
  type: typeOfKey(key),
  key: key.toString("base64"),
});
const host = (keys: readonly KnownHostKey[], bareKeys: readonly KnownHostKey[] = []): KnownHost => ({
  name: "[vm]:2222",
  keys,
  bareKeys,
});
const ED = keyOf("ssh-ed25519", "one");
const OTHER_ED = keyOf("ssh-ed25519", "two");
const RSA = keyOf("ssh-rsa", "three");

describe("lines of known_hosts", () => {
  it("are read with their markers; comments and rubbish are passed over", () => {
    const text = [
      "# Host vm found: line 1",
      "vm,10.0.0.1 ssh-ed25519 AAAAC3Nz comment here",
      "|1|salt=|hash= ecdsa-sha2-nistp256 AAAAE2Vj",
      "@cert-authority *.example.org ssh-rsa AAAAB3Nz",
      "@revoked * ssh-ed25519 AAAAC3Nx",
      "@unheard-of * ssh-ed25519 AAAAC3Ny",
      "vm 2048 65537 123456",
      "",
      "nonsense",
    ].join("\n");
    expect(parseKnownHosts(text)).toEqual([
      { marker: "plain", type: "ssh-ed25519", key: "AAAAC3Nz" },
      { marker: "plain", type: "ecdsa-sha2-nistp256", key: "AAAAE2Vj" },
      { marker: "authority", type: "ssh-rsa", key: "AAAAB3Nz" },
      { marker: "revoked", type: "ssh-ed25519", key: "AAAAC3Nx" },
    ]);
  });
});

describe("a host key", () => {
  it("is known when it is the same, byte for byte", () => {
    expect(judgeHostKey(host([plain(RSA), plain(ED)]), ED)).toBe("known");
    expect(judgeHostKey(host([], [plain(ED)]), ED)).toBe("known");
  });
  it("is changed when another one of its type is known for this port", () => {
    expect(judgeHostKey(host([plain(OTHER_ED)]), ED)).toBe("changed");
  });
  it("is unknown when nothing, another type, or another key of the bare name is known", () => {
    expect(judgeHostKey(host([]), ED)).toBe("unknown");
    expect(judgeHostKey(host([plain(RSA)]), ED)).toBe("unknown");
    expect(judgeHostKey(host([], [plain(OTHER_ED)]), ED)).toBe("unknown");
  });
  it("is revoked whatever else says so", () => {
    expect(judgeHostKey(host([plain(ED), { ...plain(ED), marker: "revoked" }]), ED)).toBe("revoked");
  });
  it("is not known because an authority has it, nor when it is cut", () => {
    expect(judgeHostKey(host([{ ...plain(ED), marker: "authority" }]), ED)).toBe("unknown");
    expect(judgeHostKey(host([plain(ED)]), Buffer.from([0, 0]))).toBe("unknown");
  });
});
