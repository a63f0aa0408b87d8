// What holds at every boundary, as small assertions with the place in their message.
import { AgtmuxError } from "../../core/model/errors.ts";

export const hold = (isTrue: boolean, what: string): void => {
  if (!isTrue) throw new Error(what);
};

// oxlint-disable-next-line no-control-regex -- what must not be there
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- what must not be there
const CONTROL_BUT_BREAKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** One line without a control character, of at most `max` characters. */
export const holdLine = (text: string | null | undefined, max: number, what: string): void => {
  if (text === null || text === undefined) return;
  hold(!CONTROL.test(text), `${what} holds a control character`);
  hold(text.length <= max, `${what} has ${text.length} characters`);
};

/** Lines: newline and tab are allowed. */
export const holdText = (text: string | null | undefined, max: number, what: string): void => {
  if (text === null || text === undefined) return;
  hold(!CONTROL_BUT_BREAKS.test(text), `${what} holds a control character`);
  hold(text.length <= max, `${what} has ${text.length} characters`);
};

/** The result, or null where `work` refused with an error meant for a person. Any other error goes on. */
export const orRefused = <T>(work: () => T): T | null => {
  try {
    return work();
  } catch (error) {
    if (error instanceof AgtmuxError) return null;
    throw error;
  }
};

export const orRefusedLater = async <T>(work: () => Promise<T>): Promise<T | null> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AgtmuxError) return null;
    throw error;
  }
};
