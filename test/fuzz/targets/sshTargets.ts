// What the person's SSH configuration and a server can say: names, host keys, errors, frames of both transports.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { createStartGate, FramedOutput } from "../../../core/targets/executors/remoteRun.ts";
import { createRemoteProcesses } from "../../../core/targets/remote/remoteProcesses.ts";
import {
  createRemoteReader,
  createRemoteShell,
  type RemoteShell,
} from "../../../core/targets/remote/remoteShell.ts";
import { createRemoteSpool, parseListing } from "../../../core/targets/remote/remoteSpool.ts";
import type { ByteChannel } from "../../../core/targets/sshTransport.ts";
import { encodeForPrintf, quoteArgv, quoteForLogin } from "../../../core/targets/remoteScript.ts";
import { checkSshAlias, parseSshConfig, readSshAliases } from "../../../core/targets/sshConfig.ts";
import { errorFromOpenSsh } from "../../../core/targets/sshErrors.ts";
import { judgeHostKey, kindOfKey, parseKnownHosts, typeOfKey } from "../../../core/targets/sshKeys.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";
import { stubClock } from "../stubs.ts";

// What the shell on a target answers, whole and broken, in pieces of any size: files, listings, processes.

interface StubChannel {
  channel: ByteChannel;
  out: (chunk: Buffer) => void;
  err: (chunk: Buffer) => void;
}
const stubChannel = (): StubChannel => {
  let out: (chunk: Buffer) => void = () => {};
  let err: (chunk: Buffer) => void = () => {};
  return {
    channel: {
      write: () => {},
      onStdout: (listener) => {
        out = listener;
      },
      onStderr: (listener) => {
        err = listener;
      },
      onClose: () => {},
      destroy: () => {},
      close: () => Promise.resolve(),
    },
    out: (chunk) => out(chunk),
    err: (chunk) => err(chunk),
  };
};

const NONCE = "00112233445566778899aabbccddeeff";
const SHORT = NONCE.slice(0, 12);
const noMark = (text: string): string => text.replaceAll(SHORT, "");
/** Answers come whole and in order, whatever is in them and however they are cut. */
const remoteShellTarget = defineTarget({
  name: "remote shell/answers in pieces",
  weight: 3,
  open: () => ({
    arbitrary: fc.record({
      answers: fc.array(
        fc.record({
          status: fc.nat(255),
          stdout: mutatedBytes(hostileText.map(noMark)),
          stderr: hostileText.map((text) => noMark(text).toWellFormed()),
          notice: fc.option(hostileText.map(noMark)),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      background: mutatedBytes(hostileText),
      cuts: cutsArbitrary,
      isByByte: fc.boolean(),
    }),
    check: async ({ answers, background, cuts, isByByte }) => {
      const { channel, out, err } = stubChannel();
      const shell = createRemoteShell({ channel, clock: stubClock(), makeNonce: () => SHORT });
      const notices: string[] = [];
      shell.onNotice((body) => notices.push(body.toString("utf8")));
      const asked = answers.map(() => shell.ask("true", { timeoutMs: 1 }));
      err(background);
      // A question goes out when the one before it is answered, so no answer begins in the chunk of another.
      for (const [index, { status, stdout, stderr, notice }] of answers.entries()) {
        const mark = `${SHORT}-${index + 1}`;
        const stream = Buffer.concat([
          stdout,
          Buffer.from(`\n${mark} ${status}\n${stderr}\n${mark}.\n`),
          ...(notice === null ? [] : [Buffer.from(`\n${SHORT}!\n${notice}\n${SHORT}.\n`)]),
        ]);
        const isShort = isByByte && stream.length < 2_000;
        if (notice !== null) shell.tellForNotice("p");
        for (const piece of isShort ? [...stream].map((byte) => Buffer.of(byte)) : cutBytes(stream, cuts))
          out(piece);
      }
      const got = await Promise.all(asked);
      for (const [index, answer] of got.entries()) {
        const expected = answers[index];
        hold(answer.status === expected?.status, `answer ${index}: status ${answer.status}`);
        hold(answer.stdout.equals(expected?.stdout ?? Buffer.alloc(0)), `answer ${index}: another output`);
        hold(answer.stderr === expected?.stderr, `answer ${index}: other errors`);
      }
      const told = answers.flatMap(({ notice }) =>
        notice === null ? [] : [Buffer.from(notice).toString("utf8")],
      );
      hold(notices.join("\u0000") === told.join("\u0000"), "other notices");
    },
  }),
});

const brokenShellTarget = defineTarget({
  name: "remote shell/answers that are broken",
  open: () => ({
    arbitrary: mutatedBytes(
      mutatedText([
        `out\n${SHORT}-1 0\nerr\n${SHORT}-1.\n\n${SHORT}!\nx\n${SHORT}.\n\n${SHORT}-2 1\n\n${SHORT}-2.\n`,
      ]),
    ),
    check: async (bytes) => {
      const { channel, out } = stubChannel();
      const shell = createRemoteShell({ channel, clock: stubClock(), makeNonce: () => SHORT });
      const asked = [1, 2].map(() => shell.ask("true", { timeoutMs: 1 }));
      out(bytes);
      await shell.close();
      for (const settled of await Promise.allSettled(asked))
        if (settled.status === "fulfilled") hold(Number.isFinite(settled.value.status), "no status");
        else
          hold(/the remote shell/.test(String(settled.reason)), `another error: ${String(settled.reason)}`);
    },
  }),
});

/** A shell that answers what the case says, whatever it is asked. */
const answeringShell = (answer: Buffer): { shell: RemoteShell; notify: (body: Buffer) => void } => {
  let listener: (body: Buffer) => void = () => {};
  return {
    shell: {
      ask: () => Promise.resolve({ status: 0, stdout: answer, stderr: "" }),
      tell: () => {},
      tellForNotice: () => {},
      onNotice: (next) => {
        listener = next;
      },
      onClose: () => {},
      isClosed: false,
      close: () => Promise.resolve(),
    },
    notify: (body) => listener(body),
  };
};

const NAME = /^[A-Za-z0-9._-]{1,255}$/;
const LISTING = [
  "1795238680 123456789",
  "G 1795238670 120 2026-11-21 05:11:10.123456789 +0000 1795238670-1.event",
  "G 1795238671 7 2026-11-21 05:11:11 +0000 b.event",
  "B 1795238672 9 1795238672.5 c.event",
].join("\n");
const remoteFilesTarget = defineTarget({
  name: "remote shell/files and processes",
  weight: 2,
  open: () => {
    const process = "4242 (node) S 1 11 123456 140735\n77 (a) b) Z 4242 1 5 9";
    const glance = `${LISTING}\n${NONCE}\nF1795238670-1.event\nhello\n${NONCE}\nEb.event\n`;
    const answers = [
      LISTING,
      `${process}\n${NONCE}\n`,
      `node\0--x\n${NONCE}\n`,
      "1000.5",
      "Ftext",
      "N",
      "S",
      "H 1795238680 12 81a4\n",
      "a\0b\0",
      `Fx\n${NONCE}\nE\n${NONCE}\n`,
      glance,
    ];
    return {
      arbitrary: mutatedBytes(mutatedText(answers)),
      check: async (bytes) => {
        for (const { name, ageMs, size } of parseListing(bytes.toString("utf8"))) {
          hold(NAME.test(name), "a name that is none of ours");
          hold(ageMs >= 0 && size >= 0, "a negative age or size");
        }
        const { shell, notify } = answeringShell(bytes);
        const spool = createRemoteSpool({
          shell,
          spoolDir: "/home/dev/.agtmux/spool",
          makeNonce: () => NONCE,
        });
        spool.onFiles((files) => {
          for (const { name } of files ?? []) hold(NAME.test(name), "a name that is none of ours");
        });
        notify(bytes);
        for (const { name } of await spool.read({ count: 10, maxBytes: 100 }))
          hold(NAME.test(name), "a name");
        const reader = createRemoteReader(shell);
        const isDeclared = (error: unknown): void =>
          hold(
            error instanceof Error && /no readable file|not understood/.test(error.message),
            String(error),
          );
        await reader.readText("/x").catch(isDeclared);
        await reader.stat("/x").catch(isDeclared);
        hold(
          (await reader.list("/x")).every((name) => name !== ""),
          "an empty name",
        );
        await reader.readLink("/x");
        const processes = createRemoteProcesses({
          shell,
          clock: stubClock(),
          makeNonce: () => NONCE,
          ofPath: () => null,
        });
        const isBoot = (error: unknown): void =>
          hold(error instanceof Error && error.message.includes("/proc/uptime"), String(error));
        const trees = await processes.ofPanes([4242]).catch((error: unknown) => {
          isBoot(error);
          return new Map<number, never[]>();
        });
        for (const tree of trees.values())
          for (const { pid, ppid, comm, args, startedAt } of tree) {
            hold(
              Number.isSafeInteger(pid) && Number.isSafeInteger(ppid),
              `the pid ${pid}, the parent ${ppid}`,
            );
            hold(Number.isFinite(startedAt), "the start is no number");
            holdLine(comm, 64, "a name");
            holdLine(args, 4_096, "arguments");
          }
        await processes.verify(4242, 0).catch(isBoot);
      },
    };
  },
});

export const remoteShellTargets = (): FuzzTarget[] => [
  remoteShellTarget,
  brokenShellTarget,
  remoteFilesTarget,
];

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
        const framed = new FramedOutput({ start, end, maxBytes: 1e9 });
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
