// How a verb prints its JSON document (with schema version and time, indented for a person, on one line for a program), and how it
// fails: a sentence on stderr with the code and what to do (as JSON with --json), and the code's exit status.
import { stamp } from "../../core/model/schemaVersion.ts";
import type { CliContext } from "./context.ts";
import { AgtmuxError, ERROR_CODES } from "../../core/model/errors.ts";
import { shortenRefs } from "../../core/model/shortRef.ts";
import { cleanLine } from "../render/clean.ts";
import type { ErrorDocument } from "../../core/model/documents.ts";

type Stamp = ReturnType<typeof stamp>;

/** Prints a document of type T; the moment is now unless the body has one of its own. */
export const printDocument = <T extends Stamp>(
  context: CliContext,
  body: Omit<T, keyof Stamp> & Partial<Stamp>,
): void => {
  const document = { ...stamp(context.now()), ...body };
  context.print(`${JSON.stringify(document, null, context.stdout.isTTY ? 2 : 0)}\n`);
};

/** What the system says of a file names the file: that is what a person can look at. */
const remedyFor = (error: unknown): { remedy?: string } =>
  error instanceof Error && "syscall" in error && "path" in error && typeof error.path === "string"
    ? { remedy: "Look at that file or folder: something else is in its place, or it may not be used." }
    : {};

/** Anything thrown, as an error meant for the person. Unexpected ones keep their message, never their stack. */
export const toFailure = (error: unknown): AgtmuxError => {
  if (error instanceof AgtmuxError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AgtmuxError("E_INTERNAL", message, { cause: error, ...remedyFor(error) });
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What goes to stderr, with its final newline. */
export const renderFailure = (failure: AgtmuxError, asJson: boolean, now: number): string => {
  const { code, details } = failure;
  const message = cleanLine(failure.message);
  const remedy = cleanLine(failure.remedy);
  if (asJson) {
    const error = { code, message, remedy, details: [...details], exit_code: ERROR_CODES[code].exit };
    const document: ErrorDocument = { ...stamp(now), error };
    return `${JSON.stringify(document)}\n`;
  }
  // A reference that does not resolve is said as it was typed.
  const said = code.startsWith("E_REF_") ? message : shortenRefs(message);
  const lines = [
    `agtmux: ${said.replace(/\.$/, "")} [${code}]. ${sentence(remedy)}`,
    ...details
      .map((detail) => cleanLine(detail))
      .filter((detail) => !message.includes(detail))
      .map((detail) => `  ${detail}`),
  ];
  return `${lines.join("\n")}\n`;
};

export const exitCodeOf = (failure: AgtmuxError): number => ERROR_CODES[failure.code].exit;
