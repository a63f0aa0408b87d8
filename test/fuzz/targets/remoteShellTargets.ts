// What the shell on a target answers, whole and broken, in pieces of any size: files, listings, processes.
import * as fc from "fast-check";
import type { ByteChannel } from "../../../core/targets/remoteExecutor.ts";
import { parseListing, createRemoteSpool } from "../../../core/targets/remote/remoteSpool.ts";
import { createRemoteProcesses } from "../../../core/targets/remote/remoteProcesses.ts";
import {
  createRemoteReader,
  createRemoteShell,
  type RemoteShell,
} from "../../../core/targets/remote/remoteShell.ts";
import { hold, holdLine } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedBytes, mutatedText } from "../mutateText.ts";
import { stubClock } from "../stubs.ts";
const NONCE = "00112233445566778899aabbccddeeff";

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
      const shell = createRemoteShell({ channel, clock: stubClock(), makeNonce: () => NONCE });
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
      const shell = createRemoteShell({ channel, clock: stubClock(), makeNonce: () => NONCE });
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
      fail: () => {},
      onNotice: (next) => {
        listener = next;
      },
      onClose: () => {},
      isClosed: false,
      traffic: { sent: 0, received: 0 },
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
