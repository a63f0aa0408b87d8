// The log of a daemon: structured lines without secrets in a file that never grows beyond a bound, or on stderr; and the message of
// a daemon that crashes. Every host uses it.
import { once } from "node:events";
import { rename, stat } from "node:fs/promises";
import pino, { stdSerializers } from "pino";
import { ERROR_CODES } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { redactPayload, redactText } from "../store/redact.ts";

const MAX_MESSAGE = 500;

/** The message of a daemon that ends by an uncaught error: one line in the form of every error, without secrets. */
export const crashMessage = (error: unknown): string => {
  const message = redactText(error instanceof Error ? error.message : String(error), MAX_MESSAGE);
  return `agtmux: ${message.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()} [E_INTERNAL]. ${ERROR_CODES.E_INTERNAL.remedy}\n`;
};

const MAX_PLAIN_CHARS = 8_000;

/** Characters that JSON leaves unescaped and that a terminal or a bidi algorithm would obey. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const escapeSteering = (json: string): string =>
  json.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The record without secrets, bounded, with nothing that steers a terminal, as one line. Text that is no JSON becomes a record. */
export const redactLine = (line: string): string => {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    record = { msg: redactText(line, MAX_PLAIN_CHARS) };
  }
  return `${escapeSteering(JSON.stringify(redactPayload(record)))}\n`;
};

export interface LogFile {
  readonly logger: Logger;
  /** Writes the buffered lines; the file stays open for a last message. */
  flush(): void;
}

const OPTIONS = {
  base: null,
  serializers: { error: stdSerializers.err },
  // Fields carry no payload text, but an error of a library may quote anything.
  hooks: { streamWrite: redactLine },
};

export const openStderrLog = (level: string): LogFile => {
  const destination = pino.destination({ fd: 2, sync: true });
  return { logger: pino({ ...OPTIONS, level }, destination), flush: () => {} };
};

/**
 * Appends to `path` (0600) and moves it to `<path>.1` when it passes `maxBytes`: so at most twice that size is kept. If
 * rotating fails, the next line tries again. If the file cannot be opened, lines go to stderr.
 */
export const openLogFile = async (options: {
  path: string;
  level: string;
  maxBytes: number;
}): Promise<LogFile> => {
  const { path, level, maxBytes } = options;
  let size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  const destination = pino.destination({ dest: path, append: true, mode: 0o600, sync: false, minLength: 0 });
  let isRotating = false;
  const rotate = async (): Promise<void> => {
    isRotating = true;
    try {
      await rename(path, `${path}.1`);
      destination.reopen();
      size = 0;
    } finally {
      isRotating = false;
    }
  };
  destination.on("write", (bytes) => {
    size += bytes;
    if (size > maxBytes && !isRotating) rotate().catch(() => {});
  });
  // A full disk must not end the daemon: only its log lines are lost.
  destination.on("error", () => {});
  const problem = await once(destination, "ready").then(
    () => null,
    (error: unknown) => error,
  );
  if (problem !== null) {
    // What never opened never closes by itself, and pino would flush it when the process ends, which throws.
    destination.emit("close");
    const instead = openStderrLog(level);
    instead.logger.error({ error: problem, path }, "the log cannot be opened; its lines go to stderr");
    return instead;
  }
  const flush = (): void => {
    try {
      destination.flushSync();
    } catch {
      // A log that cannot be written must not hide why the daemon ends.
    }
  };
  return { logger: pino({ ...OPTIONS, level }, destination), flush };
};
