// A screen for a session that no pane shows, for the length of one action: the session is opened in a tmux server of agtmux's own,
// which nobody else sees and nobody attaches to. There it is read and keys are pressed like in any pane; then the server ends, which
// the session outlives.
import { join } from "node:path";
import { openingCommand } from "./background.ts";
import { createPaneClient, type PaneCapture, type PaneScreen } from "./paneClient.ts";
import { poll } from "./pause.ts";
import { readCapture, readDraft } from "./screenReading.ts";
import type { ConnectedTarget } from "../connections/connectedTarget.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Account, Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";

/** Wide and tall enough for the dialogs of ordinary requests; a dialog that does not fit is not whole, and only a refusal answers it. */
const SIZE = { width: 160, height: 60 } as const;
const TIMEOUT_MS = 5_000;
/** From the start of the program until what the action needs is drawn. */
const DRAWN_LIMIT_MS = 3_000;
const DRAWN_EVERY_MS = 50;
/** The server ends by itself after this, also where the daemon was killed meanwhile. No answer takes as long. */
const LIMIT_S = 60;

/** What has to be drawn before a key is pressed. */
export type Awaited = "a dialog" | "an empty input box" | "a turn in progress";

const isDrawn = (
  awaited: Awaited,
  adapter: AgentAdapter | null,
  pane: Pane,
  capture: PaneCapture,
): boolean => {
  const state = readCapture({ adapter }, pane, capture)?.status.state ?? null;
  if (awaited === "a dialog") return state !== null && isWaiting(state);
  if (awaited === "a turn in progress") return state === "running";
  return (state === null || !isWaiting(state)) && readDraft(adapter, pane, capture) === "";
};

/**
 * Resolves once that is drawn. The caller closes the screen. @throws AgtmuxError E_UNSUPPORTED on another machine and where its agent
 * does not draw a dialog again, E_STALE_SNAPSHOT where it is not drawn in time; then nothing was pressed, and the screen is closed.
 */
export const openBackgroundScreen = async (deps: {
  connected: ConnectedTarget;
  adapter: AgentAdapter | null;
  account: Account | null;
  cwd: string | null;
  id: string;
  /** As the session is listed. */
  listed: Pane;
  paneRef: string;
  awaited: Awaited;
  /** A folder of the person's alone. */
  folder: string;
  makeNonce: () => string;
  clock: Clock;
}): Promise<PaneScreen & { openedAt: number; close: () => Promise<void> }> => {
  const { connected, adapter, listed, paneRef, clock } = deps;
  if (connected.executor.kind !== "local")
    throw new AgtmuxError("E_UNSUPPORTED", `${paneRef} runs in the background of another machine`, {
      remedy: `Open it with 'agtmux attach ${paneRef}', and do it there.`,
    });
  if (deps.awaited === "a dialog" && adapter?.background?.hidesOpenDialogs === true)
    throw new AgtmuxError("E_UNSUPPORTED", `${adapter.displayName} doesn't redraw what ${paneRef} asks`, {
      remedy: `Answer it where it was asked: in the browser, app or terminal that showed it first.`,
    });
  const socketPath = join(deps.folder, `screen-${deps.makeNonce().slice(0, 8)}`);
  const tmux = connected.tmuxAt({ server: listed.server, socketPath });
  const command = await openingCommand(deps);
  const size = ["-x", String(SIZE.width), "-y", String(SIZE.height)];
  const close = async (): Promise<void> => {
    // Where this fails, the server ends by itself after LIMIT_S.
    await tmux.run(["kill-server"], { timeoutMs: TIMEOUT_MS }).catch(() => {});
    // tmux leaves the file of its socket where it is; nobody listens on it any more, so that it does no harm.
    await connected.executor.files.remove(socketPath).catch(() => {});
  };
  const client = createPaneClient({ tmux, makeNonce: deps.makeNonce, standsFor: listed });
  const refuse = (why: string): AgtmuxError =>
    new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was pressed in ${paneRef}: ${why}.`);
  try {
    // Not the person's own configuration: this server is none of theirs.
    const format = ["-P", "-F", "#{pane_id} #{pane_pid}"];
    const making = ["-f", "/dev/null", "new-session", "-d", ...size, ...format, ...command];
    const made = await tmux.run(
      [...making, ";", "run-shell", "-b", "-d", String(LIMIT_S), "-C", "kill-server"],
      { timeoutMs: TIMEOUT_MS, mayStart: true },
    );
    const [, paneId = "", panePid = ""] = /^(%\d+) (\d+)\n?$/.exec(made.stdout) ?? [];
    const pane = { ...listed, ...SIZE, paneId, panePid: Number(panePid) };
    if (made.exitCode !== 0 || paneId === "") throw refuse("it could not be opened");
    const drawn = await poll(clock, { everyMs: DRAWN_EVERY_MS, limitMs: DRAWN_LIMIT_MS }, async () => {
      const capture = await client.capture(pane, { styled: true });
      if (capture === null) throw refuse("its program has ended");
      return isDrawn(deps.awaited, adapter, pane, capture) ? true : null;
    });
    if (drawn === null) throw refuse(`it did not show ${deps.awaited} within ${DRAWN_LIMIT_MS / 1_000} s`);
    return { pane, client, openedAt: clock.now(), close };
  } catch (error) {
    await close();
    throw error;
  }
};
