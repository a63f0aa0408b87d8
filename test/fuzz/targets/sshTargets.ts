// What the person's SSH configuration and a server can say: names, host keys, errors, frames of both transports.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { createFramedOutput, createStartGate } from "../../../core/targets/executors/remoteRun.ts";
import { judgeHostKey, parseKnownHosts, typeOfKey, kindOfKey } from "../../../core/targets/sshKeys.ts";
import { encodeForPrintf, quoteArgv, quoteForLogin } from "../../../core/targets/remoteScript.ts";
import { readSshAliases, checkSshAlias, parseSshConfig } from "../../../core/targets/sshConfig.ts";
import { errorFromOpenSsh } from "../../../core/targets/sshErrors.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";

const NONCE = "00112233445566778899aabbccddeeff";

/** As OpenSSH 9 prints it, shortened. */
const SSH_G = [
  "user dev",
  "hostname 10.0.0.7",
  "port 22",
  "addressfamily any",
  "identitiesonly no",
  "gssapiauthentication no",
  "pubkeyauthentication true",
  "compression no",
  "connecttimeout none",
  "userknownhostsfile /home/dev/.ssh/known_hosts /home/dev/.ssh/known_hosts2",
  "globalknownhostsfile /etc/ssh/ssh_known_hosts",
  "hostkeyalgorithms ssh-ed25519,rsa-sha2-512",
  "ciphers aes128-ctr",
  "identityfile ~/.ssh/id_ed25519",
  "identityfile ~/.ssh/id_rsa",
  "proxyjump none",
].join("\n");
const sshConfigTarget = defineTarget({
  name: "ssh/configuration",
  weight: 2,
  open: () => ({
    arbitrary: mutatedText([SSH_G]),
    check: (text) => {
      let config;
      try {
        config = parseSshConfig("box", text);
      } catch (error) {
        // Its caller says that the output is not understood.
        hold(error instanceof Error && error.name === "ZodError", `another error: ${String(error)}`);
        return;
      }
      hold(config.hostname !== "" && config.user !== "" && config.alias === "box", "no name");
      hold(config.port >= 1 && config.port <= 65_535 && Number.isInteger(config.port), "no port");
    },
  }),
});

const aliasTarget = defineTarget({
  name: "ssh/names and words for a shell",
  open: () => ({
    arbitrary: fc.tuple(
      fc.oneof(mutatedText(["box", "dev@10.0.0.7"], 2), hostileText),
      fc.array(hostileText),
    ),
    check: ([alias, words]) => {
      const isAccepted = orRefused(() => {
        checkSshAlias(alias);
        return true;
      });
      if (isAccepted === true)
        hold(/^[^-\s\p{C}'"`$\\;&<>|(){}][^\s\p{C}'"`$\\;&<>|(){}]*$/u.test(alias), "a name that is no name");
      const printable = encodeForPrintf(words.join("\n"));
      hold(/^[ -~]*$/.test(printable) && !/['!]/.test(printable), "an encoding that a shell would read");
      const command = orRefused(() => quoteForLogin(words));
      hold((command === null) === words.some((word) => word.includes("\0")), "a NUL, or none, decides");
      if (command !== null) hold(/^[ -~]*$/.test(command), "a command of more than one printable line");
      orRefused(() => quoteArgv(words));
    },
  }),
});

const KEY = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from("ssh-ed25519"), Buffer.alloc(36, 7)]);
const KNOWN_HOSTS = [
  "# Host box found: line 3",
  `box,10.0.0.7 ssh-ed25519 ${KEY.toString("base64")} comment`,
  "|1|hash=|hash= ssh-rsa AAAAB3NzaC1yc2E=",
  "@cert-authority *.example.org ssh-rsa AAAAB3NzaC1yc2E=",
  "@revoked box ssh-ed25519 AAAAC3NzaC1lZDI1NTE5",
].join("\n");
const hostKeyTarget = defineTarget({
  name: "ssh/known hosts",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText([KNOWN_HOSTS]), mutatedBytes(fc.constant(KEY.toString("latin1")))),
    check: ([text, key]) => {
      const keys = parseKnownHosts(text);
      for (const { type, key: base64 } of keys)
        hold(/^[\w.@-]+$/.test(type) && /^[A-Za-z0-9+/]+=*$/.test(base64), "no key");
      typeOfKey(key);
      const verdict = judgeHostKey({ name: "box", keys, bareKeys: [] }, key);
      // Only the same bytes are known.
      if (verdict === "known")
        hold(
          keys.some((known) => known.marker === "plain" && known.key === key.toString("base64")),
          "accepted",
        );
    },
  }),
});

const PRIVATE = [
  "-----BEGIN OPENSSH PRIVATE KEY-----",
  Buffer.from(
    "openssh-key-v1\0\0\0\0\u0004none\0\0\0\u0004none\0\0\0\0\0\0\0\u0001\0\0\0\u0033\0\0\0\u000bssh-ed25519xxxx",
  ).toString("base64"),
  "-----END OPENSSH PRIVATE KEY-----",
].join("\n");
const keyFileTarget = defineTarget({
  name: "ssh/key files",
  open: () => ({
    arbitrary: mutatedText([PRIVATE, "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nxx\n"]),
    check: (text) => hold(["plain", "encrypted", "hardware", "other"].includes(kindOfKey(text)), "no kind"),
  }),
});

const STDERR = [
  "ssh: Could not resolve hostname box: Name or service not known",
  "@@@@@@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nOffending ED25519 key in /home/dev/.ssh/known_hosts:3\nHost key for [box]:2222 has changed and you have requested strict checking.\nHost key verification failed.",
  "dev@box: Permission denied (publickey).",
  "kex_exchange_identification: Connection closed by remote host",
  "No ED25519 host key is known for box and you have requested strict checking.\nHost key verification failed.",
];
const sshErrorTarget = defineTarget({
  name: "ssh/errors",
  weight: 2,
  open: () => ({
    arbitrary: mutatedText(STDERR, 4),
    check: (text) => {
      const error = errorFromOpenSsh("box", text);
      hold(/^E_TARGET_(UNREACHABLE|HOST_KEY|AUTH)$/.test(error.code), error.code);
      holdLine(error.message, 500, "the message");
      holdLine(error.remedy, 900, "the remedy");
      for (const detail of error.details) holdLine(detail, 200, "a detail");
    },
  }),
});

const frameTarget = defineTarget({
  name: "ssh/frames in pieces",
  weight: 2,
  open: () => {
    const [start, end] = [`agtmux-${NONCE}-start`, `agtmux-${NONCE}-end`];
    return {
      arbitrary: fc.record({
        banner: mutatedBytes(hostileText),
        body: mutatedBytes(mutatedText(["line\nline\n", `agtmux-${"f".repeat(32)}-end 0\n`, "\0\0"])),
        cuts: cutsArbitrary,
        isByByte: fc.boolean(),
      }),
      check: ({ banner, body, cuts, isByByte }) => {
        const whole = Buffer.concat([
          banner,
          Buffer.from(`\n${start} 4242\n`),
          body,
          Buffer.from(`${end} 7\n`),
          Buffer.from("rest"),
        ]);
        const pieces =
          isByByte && whole.length < 3_000
            ? [...whole].map((byte) => Buffer.of(byte))
            : cutBytes(whole, cuts);
        const framed = createFramedOutput({ start, end, maxBytes: 1e9 });
        for (const piece of pieces) framed.push(piece);
        hold(framed.opening === "4242" && framed.ending === "7", `${framed.opening} and ${framed.ending}`);
        hold(framed.body.equals(body), "another body");
        const passed: Buffer[] = [];
        let opening = "";
        const gate = createStartGate({
          start,
          onData: (chunk) => passed.push(chunk),
          onOpen: (text) => {
            opening = text;
          },
          onFlood: () => hold(false, "taken for a flood"),
        });
        for (const piece of pieces) gate(piece);
        hold(opening === "4242", "another opening");
        hold(
          Buffer.concat(passed).equals(Buffer.concat([body, Buffer.from(`${end} 7\nrest`)])),
          "lost bytes",
        );
      },
    };
  },
});

const ALIASES = [
  "Host box *.example.org !bad\n  HostName 10.0.0.7\nInclude config.d/*\n",
  'Host "quoted name" other # comment\nInclude ~/.ssh/config.d/?.conf /nowhere/*\nMatch all\n',
  "Include ***************z\nInclude config\nhost=box2\n",
];
const aliasFileTarget = defineTarget({
  name: "ssh/names in the configuration",
  weight: 0.2,
  open: () => {
    const home = mkdtempSync(join(tmpdir(), "agtmux-fuzz-ssh-"));
    mkdirSync(join(home, ".ssh", "config.d"), { recursive: true });
    writeFileSync(join(home, ".ssh", "config.d", "a.conf"), "Host included\nInclude ../config\n");
    writeFileSync(join(home, ".ssh", "a".repeat(200)), "Host long\n");
    return {
      arbitrary: mutatedText(ALIASES, 4),
      check: async (text) => {
        writeFileSync(join(home, ".ssh", "config"), text);
        const { aliases, problems } = await readSshAliases(home);
        hold(new Set(aliases).size === aliases.length, "a name twice");
        for (const alias of aliases) checkSshAlias(alias);
        for (const problem of problems) hold(problem.length < 5_000, "a problem without bound");
      },
      close: () => {
        rmSync(home, { recursive: true, force: true });
        return Promise.resolve();
      },
    };
  },
});

export const sshTargets = (): FuzzTarget[] => [
  sshConfigTarget,
  aliasTarget,
  aliasFileTarget,
  hostKeyTarget,
  keyFileTarget,
  sshErrorTarget,
  frameTarget,
];
