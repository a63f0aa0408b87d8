// Sends texts into a real pane whose program is the test itself, and compares every byte that arrives. The waits of an
// action are passed at once: they are about programs that draw, and this one does not.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createPaneClient, type PaneClient } from "../../../core/actions/paneClient.ts";
import type { VerifiedAction } from "../../../core/actions/prepare.ts";
import { sendText, type SendReport } from "../../../core/actions/send.ts";
import { toSendable, isPaste } from "../../../core/actions/typing.ts";
import type { Pane } from "../../../core/model/runtime.ts";
import { createLocalExecutor } from "../../../core/targets/executors/localExecutor.ts";
import { createPrivateTmux } from "../../harness/privateTmux.ts";
import { callsOn } from "../../harness/tmuxCalls.ts";
import { randomIds, until } from "../../setup/realClock.ts";
import { Terminal } from "../real/terminal.ts";

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

export interface TextBench {
  send(text: string, options: { isBracketed: boolean; pressEnter: boolean }): Promise<Sent>;
  close(): Promise<void>;
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

export const openTextBench = async (): Promise<TextBench> => {
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
    send: async (raw, options) => {
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
    close: async () => {
      terminal.close();
      await executor.close();
      await tmux.close();
    },
  };
};
