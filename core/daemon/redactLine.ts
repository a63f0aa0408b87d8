// One line of a log as it may be kept: whatever went into it, secrets come out, its size is bounded, and nothing in it can
// steer the terminal in which somebody reads it.
import { redactPayload } from "../store/redact.ts";
import { redactText } from "../store/redactText.ts";

const MAX_PLAIN_CHARS = 8_000;

/** What JSON leaves unescaped and a terminal or a bidi algorithm would obey. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const escapeSteering = (json: string): string =>
  json.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The same record without secrets, as one line with its newline. Text that is no JSON becomes a record of itself. */
export const redactLine = (line: string): string => {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    record = { msg: redactText(line, MAX_PLAIN_CHARS) };
  }
  return `${escapeSteering(JSON.stringify(redactPayload(record)))}\n`;
};
