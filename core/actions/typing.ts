// How a text gets into a pane: out of a buffer of tmux, never as a word of a command, because every local user can read the
// arguments of a process. One short line arrives as if it were typed; anything else is a paste, which programs recognise by
// its brackets.
import type { Pane } from "../model/runtime.ts";
import type { TmuxCommand } from "../tmux/commandString.ts";
import type { HeldText, PaneClient } from "./paneClient.ts";

/** Above this a text is a paste. */
const MAX_TYPED_BYTES = 4_096;

/** True for a text that arrives between brackets where the program asked for them. */
export const isPaste = (text: string): boolean =>
  /[\n\t]/.test(text) || Buffer.byteLength(text) > MAX_TYPED_BYTES;

/** The text goes out of the buffer with it. */
export const typingCommand = ({ paneId }: Pane, { name, text }: HeldText): TmuxCommand => [
  "paste-buffer",
  ...(isPaste(text) ? ["-p"] : []),
  "-d",
  "-r",
  "-b",
  name,
  "-t",
  paneId,
];

/** Runs `work`, which types the text; only meanwhile is the text in tmux. @throws what `work` throws; E_TARGET_UNREACHABLE. */
export const withHeldText = async <T>(
  client: Pick<PaneClient, "hold">,
  text: string,
  work: (held: HeldText) => Promise<T>,
): Promise<T> => {
  const held = await client.hold(text);
  try {
    return await work(held);
  } finally {
    await held.release();
  }
};
