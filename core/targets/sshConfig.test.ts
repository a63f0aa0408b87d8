import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { chooseTransport } from "./executors/createRemoteExecutor.ts";
import { SSH2_ALGORITHMS } from "./executors/ssh2Transport.ts";
import { type KnownHost, kindOfKey, readIdentities, type SshIdentities } from "./sshKeys.ts";
import { checkSshAlias, readSshConfig } from "./sshConfig.ts";

let folder: string;
let configFile: string;
const env = { PATH: process.env["PATH"] };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-config-"));
  configFile = join(folder, "config");
});
const read = (lines: readonly string[], alias = "vm") => {
  writeFileSync(configFile, `Host vm\n${lines.join("\n")}\n`);
  return readSshConfig(alias, { env, configFile });
};

describe("an alias", () => {
  it.each(["vm1", "user@host", "host.example.org", "fe80::1%eth0", "10.0.0.1", "ホスト"])(
    "may be %s",
    (alias) => {
      expect(() => checkSshAlias(alias)).not.toThrow();
    },
  );
  it.each([
    "",
    "-oProxyCommand=id",
    "a b",
    "a\nb",
    "a\0b",
    "a;b",
    "$(id)",
    "a'b",
    "a\u202eb",
    "x".repeat(256),
  ])("may not be %j", async (alias) => {
    await expect(readSshConfig(alias, { env, configFile: null })).rejects.toMatchObject({ code: "E_USAGE" });
  });
});

describe("what ssh says about an alias", () => {
  it("becomes a record", async () => {
    const { config } = await read([
      "HostName Vm.Example.org",
      "Port 2222",
      "User me",
      "IdentityFile /k/one",
      "IdentityFile /k/two",
      "IdentitiesOnly yes",
      "UserKnownHostsFile /a /b",
      "ProxyJump jump",
      "HostKeyAlias other",
    ]);
    expect(config).toMatchObject({
      alias: "vm",
      hostname: "vm.example.org",
      port: 2222,
      user: "me",
      identityFiles: ["/k/one", "/k/two"],
      identitiesonly: true,
      userknownhostsfile: ["/a", "/b"],
      proxyjump: "jump",
      hostkeyalias: "other",
      certificateFiles: [],
      gssapiauthentication: false,
      pubkeyauthentication: true,
    });
    expect(config.ciphers.length).toBeGreaterThan(2);
  });
  it("is an error with what to do when the configuration has one", async () => {
    await expect(read(["NoSuchOption yes"])).rejects.toMatchObject({
      code: "E_TARGET_UNREACHABLE",
      remedy: expect.stringContaining("ssh -G vm"),
    });
  });
  it("is an error when there is no ssh", async () => {
    await expect(readSshConfig("vm", { env: { PATH: folder }, configFile: null })).rejects.toMatchObject({
      code: "E_TARGET_UNREACHABLE",
      remedy: expect.stringContaining("OpenSSH"),
    });
  });
});

describe("the kind of a key file", () => {
  const make = (name: string, ...more: string[]): string => {
    execFileSync("ssh-keygen", ["-q", "-f", join(folder, name), ...more]);
    return execFileSync("cat", [join(folder, name)], { encoding: "utf8" });
  };
  it("is read from its frame", () => {
    expect(kindOfKey(make("plain", "-t", "ed25519", "-N", ""))).toBe("plain");
    expect(kindOfKey(make("locked", "-t", "ed25519", "-N", "secret"))).toBe("encrypted");
    expect(kindOfKey(make("pem", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""))).toBe("plain");
    expect(kindOfKey(make("pem-locked", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret"))).toBe(
      "encrypted",
    );
    expect(kindOfKey(execFileSync("cat", [join(folder, "plain.pub")], { encoding: "utf8" }))).toBe("other");
    expect(kindOfKey("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END")).toBe("other");
    expect(kindOfKey("")).toBe("other");
  });
  it("is `hardware` for a key of a token", () => {
    const text = (value: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(value.length);
      return Buffer.concat([length, Buffer.from(value)]);
    };
    const one = Buffer.from([0, 0, 0, 1]);
    const frame = Buffer.concat([
      Buffer.from("openssh-key-v1\0"),
      text("none"),
      text("none"),
      text(""),
      one,
      text(text("sk-ssh-ed25519@openssh.com").toString("latin1")),
    ]);
    const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${frame.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----\n`;
    expect(kindOfKey(pem)).toBe("hardware");
  });
  it("is found for those that exist, with certificates and without the agent's", async () => {
    make("one", "-t", "ed25519", "-N", "");
    writeFileSync(join(folder, "one-cert.pub"), "");
    const { config } = await read([
      `IdentityFile ${folder}/one`,
      `IdentityFile ${folder}/none`,
      "IdentityAgent none",
    ]);
    expect(await readIdentities(config, { ...env, SSH_AUTH_SOCK: "/nowhere" })).toEqual({
      keyFiles: [{ path: join(folder, "one"), kind: "plain", hasCertificate: true }],
      agentSocket: null,
      agentKeyTypes: [],
      unexpanded: [],
    });
  });
});

describe("the transport", () => {
  const plain: SshIdentities = {
    keyFiles: [{ path: "/k", kind: "plain", hasCertificate: false }],
    agentSocket: null,
    agentKeyTypes: [],
    unexpanded: [],
  };
  const noHost: KnownHost = { name: "vm", keys: [], bareKeys: [] };
  const choose = async (
    lines: readonly string[],
    more: Partial<Parameters<typeof chooseTransport>[0]> = {},
  ) => {
    const { config, unconfigured } = await read(lines);
    const inputs = { config, unconfigured, identities: plain, knownHost: noHost, supported: SSH2_ALGORITHMS };
    return chooseTransport({ ...inputs, ...more }, null);
  };

  it("is ssh2 for a plain host, whatever is set that does not matter", async () => {
    const lines = [
      "HostName h",
      "Port 2200",
      "User u",
      "IdentityFile /k",
      "ForwardAgent yes",
      "SendEnv LANG LC_*",
      "HashKnownHosts yes",
      "ControlMaster auto",
      "ControlPath ~/.ssh/%C",
      "ServerAliveInterval 5",
      "GSSAPIAuthentication yes",
      "LocalForward 8080 localhost:80",
      "RequestTTY yes",
      "RemoteCommand tmux a",
    ];
    expect(await choose(lines)).toMatchObject({ transport: "ssh2" });
  });
  it.each([
    [["ProxyJump jump"], "jump host"],
    [["ProxyCommand nc %h %p"], "proxy command"],
    [["CertificateFile /c"], "certificate"],
    [["HostbasedAuthentication yes"], "host-based"],
    [["PubkeyAuthentication no"], "does not use keys"],
    [["PKCS11Provider /lib/p11.so"], "pkcs11provider"],
    [["BindAddress 10.0.0.1"], "bindaddress"],
    [["KexAlgorithms sntrup761x25519-sha512@openssh.com"], "kexalgorithms"],
    [["RevokedHostKeys /r"], "revokedhostkeys"],
    [["KnownHostsCommand /bin/true"], "knownhostscommand"],
    [['UserKnownHostsFile "/k/a b"'], "known_hosts"],
  ])("is OpenSSH for %j", async (lines, why) => {
    expect(await choose(lines)).toMatchObject({ transport: "openssh", reason: expect.stringContaining(why) });
  });
  it("is OpenSSH for keys that ssh2 cannot use", async () => {
    const file = (
      kind: "hardware" | "other" | "encrypted" | "plain",
      hasCertificate = false,
    ): SshIdentities => ({
      ...plain,
      keyFiles: [{ path: "/k", kind, hasCertificate }],
    });
    const agent = (type: string): SshIdentities => ({
      ...plain,
      keyFiles: [],
      agentSocket: "/a",
      agentKeyTypes: [type],
    });
    const reasons = await Promise.all(
      [
        file("hardware"),
        file("other"),
        file("encrypted"),
        file("plain", true),
        agent("sk-ssh-ed25519@openssh.com"),
        agent("ssh-ed25519-cert-v01@openssh.com"),
        agent("ssh-ed25519"),
      ].map(async (identities) => (await choose([], { identities })).transport),
    );
    expect(reasons).toEqual(["openssh", "openssh", "openssh", "openssh", "openssh", "openssh", "ssh2"]);
    expect(await choose(["IdentitiesOnly yes"], { identities: agent("ssh-ed25519") })).toMatchObject({
      transport: "openssh",
    });
  });
  it("is OpenSSH for a host key that an authority signs, and what the settings say before all", async () => {
    const knownHost: KnownHost = {
      ...noHost,
      keys: [{ marker: "authority", type: "ssh-ed25519", key: "AAAA" }],
    };
    expect(await choose([], { knownHost })).toMatchObject({ transport: "openssh" });
    const { config, unconfigured } = await read(["ProxyJump jump"]);
    const inputs = { config, unconfigured, identities: plain, knownHost, supported: SSH2_ALGORITHMS };
    expect(chooseTransport(inputs, "ssh2")).toEqual({
      transport: "ssh2",
      reason: "the target's settings say so, although it is reached through a jump host",
    });
    expect(chooseTransport(inputs, "openssh").transport).toBe("openssh");
  });
});
