// The picker on a real daemon: the real command in a terminal of its own, keys typed, the screen read.
import { expect, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import type { Harness } from "../actions/actionHarness.ts";

const WAIT = { timeout: 20_000, interval: 60 };

export interface RealPicker {
  readonly shows: (text: string) => Promise<void>;
  readonly showsNot: (text: string) => Promise<void>;
  /** Names as tmux has them, or single characters; after `-l` a text. */
  readonly type: (...keys: readonly string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** The daemon of the harness has to be served on its socket. */
export const openRealPicker = async (harness: Harness): Promise<RealPicker> => {
  const person = createPrivateTmux();
  const command = `env -u TMUX AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' pick`;
  const size = ["-x", "100", "-y", "30"];
  await person.run("new-session", "-d", ...size, "-s", "terminal", `${command}; echo "status $?"; exec cat`);
  const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
  return {
    shows: (text) => vi.waitFor(async () => expect(await screen()).toContain(text), WAIT),
    showsNot: (text) => vi.waitFor(async () => expect(await screen()).not.toContain(text), WAIT),
    type: (...keys) => person.run("send-keys", "-t", "terminal:", ...keys),
    close: () => person.close(),
  };
};
