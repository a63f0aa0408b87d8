// The only way in which actions touch a pane: captures, which anybody may take, and tmux commands that change something, which need
// a verified action. Also their conditions on what the pane shows, and which client reaches a pane. Check and commands go to tmux
// as one, so that nothing fits between them; they go over its input, because other users can read arguments, and a check holds rows
// of the screen.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, PaneKey } from "../model/runtime.ts";
import { cleanScreen, NO_PROCESS } from "../tmux/topology.ts";
import { CLIENT_FORMAT, parseClients, type TmuxClient } from "../tmux/clients.ts";
import { toCommandString, type TmuxCommand } from "../tmux/tmuxCommand.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import { requireScreen, type VerifiedAction } from "./prepare.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";

// Conditions for tmux's `if-shell -F` on what a pane shows and runs at the moment of a command. Rows and names come from programs
// that may be hostile: every sign of theirs that means something to a pattern or to a format is escaped.

/** What a POSIX extended expression reads as more than itself. */
const META = /[\\^$.[\]|()*+?{}]/g;
/** What ends or begins a part of a tmux format. */
const FORMAT_SIGN = /[#,}]/g;

/** A format's text for an extended regular expression that fits `text` as a whole, to the letter but for blanks at its end. */
const toPattern = (text: string): string =>
  `^${text.replace(/ +$/, "").replaceAll(META, "\\$&")}$`.replaceAll(FORMAT_SIGN, "#$&");

/** A format that is true when all are. Balanced: tmux gives up on formats that are nested deeper than a hundred times. */
const all = (conditions: readonly string[]): string => {
  if (conditions.length <= 1) return conditions[0] ?? "1";
  const half = Math.ceil(conditions.length / 2);
  return `#{&&:${all(conditions.slice(0, half))},${all(conditions.slice(half))}}`;
};

/** A row of the visible screen. `line`: from 0 at the top. */
export interface PlacedRow {
  line: number;
  text: string;
}

/** What must still hold when a command arrives at a pane. */
interface PaneCondition {
  /** First process of the pane. */
  panePid: number;
  /** Foreground program, as a capture named it. */
  command?: string | undefined;
  /** Rows, as a capture gave them, that must all be somewhere on the visible screen. */
  screenShows?: readonly string[] | undefined;
  /** Rows that must be the first of their text on the screen, and stand just there. */
  dialog?: readonly PlacedRow[] | undefined;
  cursor?: { x: number; y: number } | undefined;
  size?: { width: number; height: number } | undefined;
  /** Of the terminal. */
  modes?: { isAlternate: boolean; isCursorVisible: boolean } | undefined;
}

const isEqual = (variable: string, value: number): string => `#{==:#{${variable}},${value}}`;

/**
 * A format that is true while the pane has that first process, is neither dead nor synchronised with others, and runs and
 * shows what is asked. Works from tmux 3.2a on; a tmux that does not know a part of it says false.
 */
const paneCondition = ({
  panePid,
  command,
  screenShows = [],
  dialog = [],
  cursor,
  size,
  modes,
}: PaneCondition): string =>
  all([
    isEqual("pane_pid", panePid),
    "#{?pane_dead,0,1}",
    "#{?pane_synchronized,0,1}",
    ...(command === undefined ? [] : [`#{m/r:${toPattern(command)},#{pane_current_command}}`]),
    ...(cursor === undefined ? [] : [isEqual("cursor_x", cursor.x), isEqual("cursor_y", cursor.y)]),
    ...(size === undefined ? [] : [isEqual("pane_width", size.width), isEqual("pane_height", size.height)]),
    ...(modes === undefined
      ? []
      : [
          isEqual("alternate_on", Number(modes.isAlternate)),
          isEqual("cursor_flag", Number(modes.isCursorVisible)),
        ]),
    ...screenShows.map((row) => `#{C/r:${toPattern(row)}}`),
    // tmux counts lines from 1; the first from the top that fits is the one it gives.
    ...dialog.map(({ line, text }) => `#{==:#{C/r:${toPattern(text)}},${line + 1}}`),
  ]);

// The client.

const TIMEOUT_MS = 5_000;
const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

const FLAGS = [
  "pane_pid",
  "pane_dead",
  "pane_in_mode",
  "pane_synchronized",
  "pane_input_off",
  "alternate_on",
  "cursor_flag",
  "cursor_x",
  "cursor_y",
  "pane_width",
  "pane_height",
] as const;

/** A pane as tmux has it at this moment. Rows are the visible screen, clean, trailing blank ones cut. */
export interface PaneCapture {
  /** NO_PROCESS where tmux names none, which tmux 3.8 does for a dead pane. */
  panePid: number;
  isDead: boolean;
  inMode: boolean;
  /** What is typed here goes to all panes of the window. */
  isSynchronized: boolean;
  isInputOff: boolean;
  isAlternate: boolean;
  isCursorVisible: boolean;
  cursorX: number;
  cursorY: number;
  width: number;
  height: number;
  /** Name of the foreground program, as tmux knows it. */
  command: string;
  title: string;
  rows: readonly string[];
  /** The same as tmux has them, for conditions; `firstLine`: the first one's line in the pane, from 0. */
  rawRows: readonly string[];
  firstLine: number;
  /** The same rows with their colours as SGR sequences, whose effect goes on from row to row; only where asked for. */
  styledRows?: readonly string[];
}

/** Whether the pane is still what it was when it was listed, alive or dead. */
export const isStillThere = ({ panePid, isDead }: PaneCapture, pane: Pane): boolean =>
  panePid === pane.panePid || (isDead && panePid === NO_PROCESS);

/** A text that lies in a buffer of tmux until it is pasted or given up. */
export interface HeldText {
  readonly text: string;
  /** The buffer's. */
  readonly name: string;
  /** Takes it out of tmux unless it was pasted. Never throws: a server that does not answer may keep it. */
  release(): Promise<void>;
}

export interface PaneClient {
  /** Null when the pane is gone. @throws AgtmuxError E_TARGET_UNREACHABLE when tmux does not answer. */
  capture(pane: Pane, options?: { styled: boolean }): Promise<PaneCapture | null>;
  /** Who is attached to the server now. @throws AgtmuxError E_TARGET_UNREACHABLE when tmux does not answer. */
  clients(): Promise<readonly TmuxClient[]>;
  /** Rows of scrollback and screen with everything that a program left in them; `scrollback` rows above the screen. */
  readScrollback(pane: Pane, options: { scrollback: number; ansi: boolean }): Promise<string[] | null>;
  /**
   * Hands a clean text (see toSendable) over to tmux, to be typed by `typingCommand`; its caller releases it. It comes before
   * the captures, so that nothing lies between the last of them and the keys.
   * @throws AgtmuxError E_TARGET_UNREACHABLE when tmux does not answer.
   */
  hold(text: string): Promise<HeldText>;
  /**
   * Runs the commands in the pane's server if the pane still has its first process, is not dead and is not synchronised
   * with others, and if it runs and shows what `onlyIf` says; all of them or none.
   * @returns false when nothing was done. @throws AgtmuxError E_TARGET_UNREACHABLE when it is not known.
   */
  runIf(
    action: VerifiedAction,
    pane: Pane,
    commands: readonly TmuxCommand[],
    onlyIf?: Omit<PaneCondition, "panePid">,
  ): Promise<boolean>;
}

const parseCapture = (output: string, nonce: string): PaneCapture | null => {
  const [flags = "", command, title, ...rest] = output.split(`<${nonce}>`);
  const numbers = flags.split(" ").map(Number);
  if (command === undefined || title === undefined || numbers.length !== FLAGS.length) return null;
  const value = (name: (typeof FLAGS)[number]): number => numbers[FLAGS.indexOf(name)] ?? Number.NaN;
  const [screen = [], styled] = rest.map((part) => part.split("\n").slice(1));
  const rows = cleanScreen(screen);
  // Rows are the last ones up to the last with a text: the styled ones are cut alike.
  const end = screen.findLastIndex((row) => row.trimEnd() !== "") + 1;
  return {
    panePid: flags.startsWith(" ") ? NO_PROCESS : value("pane_pid"),
    isDead: value("pane_dead") > 0,
    inMode: value("pane_in_mode") > 0,
    isSynchronized: value("pane_synchronized") > 0,
    isInputOff: value("pane_input_off") > 0,
    isAlternate: value("alternate_on") > 0,
    isCursorVisible: value("cursor_flag") > 0,
    cursorX: value("cursor_x"),
    cursorY: value("cursor_y"),
    width: value("pane_width"),
    height: value("pane_height"),
    command,
    title,
    rows,
    firstLine: end - rows.length,
    rawRows: screen.slice(end - rows.length, end).map((row) => row.replace(/ +$/, "")),
    ...(styled === undefined ? {} : { styledRows: styled.slice(end - rows.length, end) }),
  };
};

const GONE =
  /can't find (pane|window|session)|no server running|lost server|server exited|\((No such file|Connection refused)/;

/** A pane and the client that reaches it. */
export interface PaneScreen {
  pane: Pane;
  client: PaneClient;
}

/** `standsFor`: the session whose screen the panes of this server are; actions are about that. Absent: they are themselves. */
export const createPaneClient = (deps: {
  tmux: TmuxCalls;
  makeNonce: () => string;
  standsFor?: PaneKey;
}): PaneClient => {
  const { tmux, makeNonce, standsFor } = deps;
  /** Names of the buffers with texts of ours. */
  const held = new Set<string>();
  /** Null: the pane or its server is gone. */
  const run = async (words: readonly string[], stdin?: string): Promise<string | null> => {
    const result = await tmux.run(words, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_CAPTURE_BYTES,
      ...(stdin === undefined ? {} : { stdin }),
    });
    if (result.exitCode === 0) return result.stdout;
    if (GONE.test(result.stderr)) return null;
    const why = result.timedOut ? `no answer within ${TIMEOUT_MS} ms` : result.stderr.trim().split("\n")[0];
    throw new AgtmuxError("E_TARGET_UNREACHABLE", `tmux did not do what was asked: ${why}`);
  };

  return {
    capture: async ({ paneId }, { styled } = { styled: false }) => {
      const nonce = makeNonce();
      const mark = `<${nonce}>`;
      const format = `${FLAGS.map((name) => `#{${name}}`).join(" ")}${mark}#{pane_current_command}${mark}#{pane_title}${mark}`;
      const asked = ["display-message", "-p", "-t", paneId, format, ";", "capture-pane", "-p", "-t", paneId];
      // Both from one moment: tmux runs the commands of one call without reading from the pane in between.
      const askedStyled = [";", "display-message", "-p", mark, ";", "capture-pane", "-p", "-e", "-t", paneId];
      const output = await run(styled ? [...asked, ...askedStyled] : asked);
      return output === null ? null : parseCapture(output, nonce);
    },
    clients: async () => parseClients((await run(["list-clients", "-F", CLIENT_FORMAT]))?.split("\n") ?? []),
    readScrollback: async ({ paneId }, { scrollback, ansi }) => {
      const from = scrollback === 0 ? [] : ["-S", String(-scrollback)];
      const output = await run(["capture-pane", "-p", ...(ansi ? ["-e"] : []), ...from, "-t", paneId]);
      return output === null ? null : output.replace(/\n$/, "").split("\n");
    },
    hold: async (text) => {
      const name = `agtmux-${makeNonce()}`;
      const release = async (): Promise<void> => {
        if (!held.delete(name)) return;
        await run(["delete-buffer", "-b", name]).catch(() => null);
      };
      held.add(name);
      try {
        // In a call of its own: a text among commands would be parsed by tmux, and would stand in its list of messages.
        await run(["load-buffer", "-b", name, "-"], text);
      } catch (error) {
        await release();
        throw error;
      }
      return { text, name, release };
    },
    runIf: async ({ snapshot }, pane, commands, onlyIf) => {
      const key = standsFor ?? pane;
      if (
        snapshot.targetId !== key.targetId ||
        snapshot.server !== key.server ||
        snapshot.paneId !== key.paneId
      )
        throw new Error(`runIf: ${pane.paneId} is not the pane of snapshot ${snapshot.snapshotId}`);
      const done = makeNonce();
      const yes = toCommandString([...commands, ["display-message", "-p", done]]);
      const condition = paneCondition({ panePid: pane.panePid, ...onlyIf });
      const check = toCommandString([["if-shell", "-F", "-t", pane.paneId, condition, yes]]);
      const output = await run(["source-file", "-"], `${check}\n`);
      const isDone = output?.includes(done) === true;
      // Pasting empties the buffer.
      if (isDone) for (const word of commands.flat()) held.delete(word);
      return isDone;
    },
  };
};

export interface PaneReach {
  /**
   * The client that reaches a pane, for the length of one action.
   * @throws AgtmuxError E_TARGET_UNREACHABLE without a connection, E_STALE_SNAPSHOT when the pane is gone, E_TMUX_MISSING when
   *   there is no tmux.
   */
  reach(key: PaneKey, paneRef: string): PaneScreen;
}

export const createPaneReach = ({
  connectedTargets,
  paneOf,
  makeNonce,
}: {
  connectedTargets: ConnectedTargets;
  paneOf: (key: PaneKey) => Pane | undefined;
  makeNonce: () => string;
}): PaneReach => ({
  reach: (key, paneRef) => {
    requireScreen(key, paneRef);
    const { executor, tmuxOf } = connectedTargets.get(key.targetId);
    const pane = paneOf(key);
    const tmux = tmuxOf(key.server);
    if (pane === undefined || tmux === null)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    executor.hurry?.();
    return { pane, client: createPaneClient({ tmux, makeNonce }) };
  },
});
