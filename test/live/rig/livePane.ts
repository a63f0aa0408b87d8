// One tmux pane with a shell in it, in which an agent is started by typing its command, as a person does. It types, presses keys and
// looks at the screen; it knows nothing of agtmux.
import { setTimeout as wait } from "node:timers/promises";

// A screen as one line: what an agent wraps at a narrow pane or puts into a frame is found by the same words.

/** Frames, rules and bars that agents draw around their text. */
const FRAME = /[\u2500-\u259f]+/g;

export const toOneLine = (screen: string): string =>
  screen.replaceAll(FRAME, " ").replaceAll(/\s+/g, " ").trim();

/** What stands behind the last time that the person's prompt is on the screen; all of it where the prompt is not. */
export const textAfter = (screen: string, prompt: string): string => {
  const line = toOneLine(screen);
  const at = line.lastIndexOf(toOneLine(prompt));
  return at < 0 ? line : line.slice(at + prompt.length);
};

const LOOK_MS = 60;
const KEY_GAP_MS = 350;
/** Between a text and its Enter: faster, some agents take the Enter as part of a paste. */
const SUBMIT_AFTER_MS = 500;

/** A prompt that was typed and submitted. */
export interface Said {
  prompt: string;
  at: number;
}

export type RunTmux = (...args: readonly string[]) => Promise<string>;

/** Looks every few milliseconds; gives the moment, or null after the limit. */
export const untilTrue = async (
  isTrue: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<number | null> => {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (await isTrue()) return Date.now();
    await wait(LOOK_MS);
  }
  return null;
};

/** `keysBeforePrompt`: for a box that has modes. */
export const createLivePane = (
  tmux: RunTmux,
  session: string,
  paneId: string,
  keysBeforePrompt: readonly string[] = [],
) => {
  const screen = (): Promise<string> => tmux("capture-pane", "-p", "-t", paneId);
  const press = async (keys: readonly string[]): Promise<void> => {
    for (const [index, key] of keys.entries()) {
      if (index > 0) await wait(KEY_GAP_MS);
      await tmux("send-keys", "-t", paneId, key);
    }
  };
  const isShown = async (words: RegExp, after?: Said): Promise<boolean> =>
    words.test(textAfter(await screen(), after?.prompt ?? "\0"));
  return {
    session,
    paneId,
    screen,
    /** A tmux format of this pane. */
    show: (format: string): Promise<string> => tmux("display-message", "-p", "-t", paneId, format),
    press,
    say: async (prompt: string, { clears }: { clears: boolean } = { clears: true }): Promise<Said> => {
      await press(keysBeforePrompt);
      if (clears) {
        await press(["C-u"]);
        await wait(KEY_GAP_MS);
      }
      await tmux("send-keys", "-t", paneId, "-l", "--", prompt);
      await wait(SUBMIT_AFTER_MS);
      const at = Date.now();
      await press(["Enter"]);
      return { prompt, at };
    },
    isShown,
    /** When the words were on the screen, behind the prompt where one is given; null: not within the limit. */
    untilShown: (
      words: RegExp,
      { limitMs = 20_000, after }: { limitMs?: number; after?: Said } = {},
    ): Promise<number | null> => untilTrue(() => isShown(words, after), limitMs),
    untilHidden: (
      words: RegExp,
      { limitMs = 8_000, after }: { limitMs?: number; after?: Said } = {},
    ): Promise<number | null> => untilTrue(async () => !(await isShown(words, after)), limitMs),
    close: async (): Promise<void> => {
      await tmux("kill-session", "-t", `=${session}`);
    },
  };
};

export type LivePane = ReturnType<typeof createLivePane>;
