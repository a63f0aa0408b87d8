// Sends texts into a real pane whose program is the test itself, and compares every byte that arrives. The waits of an
// action are passed at once: they are about programs that draw, and this one does not.
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createPaneClient, type PaneClient } from "../../../core/actions/paneClient.ts";
import type { VerifiedAction } from "../../../core/actions/prepare.ts";
import { type SendReport, sendText } from "../../../core/actions/send.ts";
import { isPaste, strippedNotes, toSendable } from "../../../core/actions/typing.ts";
import type { Pane } from "../../../core/model/runtime.ts";
import { createLocalExecutor } from "../../../core/targets/executors/localExecutor.ts";
import { createPrivateTmux } from "../../harness/privateTmux.ts";
import { callsOn } from "../../harness/tmuxCalls.ts";
import { randomIds, until } from "../../setup/realClock.ts";
import { Terminal } from "../real/terminal.ts";

// Many generated texts through a real pane, each byte compared.

interface TextTally {
  texts: number;
  bytes: number;
  largest: number;
  stripped: number;
}

/** @throws the smallest text that fast-check finds, when one arrived otherwise. */
export const surveyTexts = async (texts: number, seed: number): Promise<TextTally> => {
  const bench = await openTextBench();
  const tally: TextTally = { texts: 0, bytes: 0, largest: 0, stripped: 0 };
  const modes = fc.record({ isBracketed: fc.boolean(), pressEnter: fc.boolean() });
  try {
    await fc.assert(
      fc.asyncProperty(hostileText, modes, async (text, mode) => {
        const { bytes, expected, stripped, report } = await bench.send(text, mode);
        if (!bytes.equals(expected)) {
          const at = bytes.findIndex((byte, index) => byte !== expected[index]);
          const near = (all: Buffer): string =>
            JSON.stringify(all.subarray(Math.max(0, at - 10), at + 30).toString());
          throw new Error(
            `${bytes.length} of ${expected.length} bytes, from ${at}: ${near(bytes)} for ${near(expected)}`,
          );
        }
        const [note = "control character"] = strippedNotes(stripped);
        if (report.notes.some((one) => one.includes(note)) !== stripped > 0)
          throw new Error(`notes are ${report.notes.join("; ")} for ${stripped}`);
        tally.texts += 1;
        tally.bytes += bytes.length;
        tally.largest = Math.max(tally.largest, bytes.length);
        tally.stripped += stripped;
      }),
      { numRuns: texts, seed },
    );
  } finally {
    await bench.close();
  }
  return tally;
};

// Generates texts that shells, tmux, terminals or programs might take for something else than text.

const TOKENS = [
  ..."; -  ~ # $ ` \\ ' \" % { } [ ] ( ) < > | & * ? ! = : @ ^ , .".split(" "),
  " ; ",
  "\\;",
  ";;",
  "-l",
  "--",
  "~/",
  "#{pane_id}",
  "#{?1,a,b}",
  "#(touch x)",
  "##",
  "#[fg=red]",
  "$(id)",
  "${HOME}",
  "`id`",
  "\\n",
  "\\e[201~",
  "%0",
  "%H:%M",
  "'\"'\"'",
  "Enter",
  "C-c",
  "漢字",
  "한국어",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "é",
  "e\u0301",
  "a\u200db",
  "\u202eabc\u202c",
  "\ufeff",
  "\u00a0",
  "\u2028",
  "\ufffd",
  "\u{10ffff}",
  "\ue000",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\u0000",
  "\u0003",
  "\u0004",
  "\u001b[201~",
  "\u001b]0;x\u0007",
  "\u007f",
  "\u0085",
  "\u009b31m",
  "\ud83d",
  "\udc4d",
];

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TOKENS) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z ]{1,12}$/) },
);
const MAX_LENGTH = 100_000;
/** UTF-8 needs up to three bytes for one unit of a string. */
const cut = (text: string): string =>
  text.slice(0, Math.floor((MAX_LENGTH * text.length) / Buffer.byteLength(text)));

/** Up to 100 kB; half of them on one line. Something of each is left to send. */
export const hostileText: fc.Arbitrary<string> = fc
  .record({
    pieces: fc.array(piece, { minLength: 1, maxLength: 30 }),
    isOneLine: fc.boolean(),
    size: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: MAX_LENGTH }) },
    ),
    end: fc.constantFrom("", ";", "\\", "\n", " "),
  })
  .map(({ pieces, isOneLine, size, end }) => {
    const once = pieces.join("");
    const plain = isOneLine ? once.replaceAll(/[\r\n\t]/g, "") : once;
    const times = Math.max(1, Math.ceil(size / Math.max(1, Buffer.byteLength(plain))));
    return `${cut(plain.repeat(times))}${end}x`.slice(0, end === "" ? undefined : -1);
  })
  .filter((text) => toSendable(text).text.trim() !== "");

const LIMIT_MS = 20_000;

export interface Sent {
  report: SendReport;
  /** What the program read. */
  bytes: Buffer;
  /** What it had to read. */
  expected: Buffer;
  /** Characters that `text` lost on the way. */
  stripped: number;
}

const expectedOf = (text: string, options: { isBracketed: boolean; pressEnter: boolean }): Buffer => {
  const [open, close] = isPaste(text) && options.isBracketed ? ["\u001b[200~", "\u001b[201~"] : ["", ""];
  return Buffer.from(`${open}${text}${close}${options.pressEnter ? "\r" : ""}`);
};

/** What is waited for is over at once, and much later than that: two looks in vain are enough. */
const HURRY = 30;
const hurriedClock = () => {
  let now = 1_000_000;
  return {
    now: () => now,
    setTimer: (delayMs: number, callback: () => void) => {
      const timer = setImmediate(() => {
        now += delayMs * HURRY;
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
};

export const openTextBench = async () => {
  const tmux = createPrivateTmux();
  const executor = createLocalExecutor({ targetId: "host", env: process.env });
  const mark = join(tmux.folder, "ready");
  const paneId = await tmux.newSession("texts", `stty raw -echo; : > ${mark}; exec sleep 100000`);
  await until(() => existsSync(mark), "the pane is ready", LIMIT_MS);
  const facts = await tmux.run("display-message", "-p", "-t", paneId, "#{pane_pid} #{pane_tty}");
  const [pid = "", tty = ""] = facts.split(" ");
  const terminal = new Terminal(tty);
  const pane = { targetId: "host", server: "default", paneId, panePid: Number(pid), title: "" } as Pane;
  const client: PaneClient = createPaneClient({
    tmux: callsOn(executor, tmux.socketPath),
    makeNonce: randomIds.nonce,
  });
  const action = {
    snapshot: { snapshotId: "s", targetId: "host", server: "default", paneId },
  } as VerifiedAction;
  let screens = 0;
  let mode: boolean | null = null;

  /** tmux has seen the mode once it shows what was written after it. */
  const setMode = async (isBracketed: boolean): Promise<void> => {
    if (mode === isBracketed) return;
    const shown = `screen ${(screens += 1)}`;
    terminal.write(`\u001b[2J\u001b[H\u001b[?2004${isBracketed ? "h" : "l"}${shown}`);
    const isShown = async () => (await tmux.run("capture-pane", "-p", "-t", paneId)).includes(shown);
    await until(isShown, shown, LIMIT_MS);
    mode = isBracketed;
  };

  return {
    send: async (raw: string, options: { isBracketed: boolean; pressEnter: boolean }): Promise<Sent> => {
      await setMode(options.isBracketed);
      const parts = [terminal.drain()];
      const read = (): number => {
        parts.push(terminal.drain());
        return parts.reduce((sum, { length }) => sum + length, 0);
      };
      const { text, stripped } = toSendable(raw);
      const expected = expectedOf(text, options);
      const reading = setInterval(read, 2);
      try {
        const report = await sendText({
          pane,
          paneRef: "pane",
          client,
          clock: hurriedClock(),
          agent: null,
          unattended: null,
          hasAgent: () => Promise.resolve(false),
          text: raw,
          pressEnter: options.pressEnter,
          toShell: false,
          verify: () => action,
          renew: () => action,
          onFirstKey: () => {},
          onNothingSent: () => {},
        });
        await until(() => read() >= expected.length, `${expected.length} bytes have arrived`, LIMIT_MS);
        // An answer of tmux from after the last write: what was too much has arrived as well.
        await tmux.run("display-message", "-p", "done");
        read();
        return { report, bytes: Buffer.concat(parts), expected, stripped };
      } finally {
        clearInterval(reading);
      }
    },
    close: async (): Promise<void> => {
      terminal.close();
      await executor.close();
      await tmux.close();
    },
  };
};

export type TextBench = Awaited<ReturnType<typeof openTextBench>>;
