// `agtmux history export <session>`: one file to hand on. Known secrets are taken out unless the person says otherwise.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CliContext } from "../context.ts";
import { writePrivate } from "../writePrivate.ts";
import { readSession, type ReadSession } from "./historyRead.ts";

const FORMATS = ["md", "html"] as const;
type Format = (typeof FORMATS)[number];

const parseFormat = (text: string | undefined, output: string | undefined): Format => {
  const wanted = text ?? (output?.endsWith(".html") === true ? "html" : "md");
  const format = FORMATS.find((one) => one === wanted);
  if (format === undefined)
    throw new AgtmuxError("E_USAGE", `--format does not know '${wanted}'`, { remedy: "It is md or html." });
  return format;
};

/** What a reader has to know of what is not in the file. */
const remarksOn = ({ isCut, redacted }: ReadSession, isRaw: boolean): string[] => [
  ...(redacted > 0
    ? [
        redacted === 1
          ? "Secrets were taken out of one entry."
          : `Secrets were taken out of ${redacted} entries.`,
      ]
    : []),
  ...(isRaw ? ["Secrets were not taken out."] : []),
  ...(isCut ? ["Older parts of the session could not be read."] : []),
];

export const runHistoryExport = async (
  context: CliContext,
  ref: string,
  options: { format?: string; tools?: boolean; raw?: boolean; output?: string },
): Promise<void> => {
  const format = parseFormat(options.format, options.output);
  const isRaw = options.raw === true;
  const read = await readSession(context, ref, { lines: Infinity, redact: !isRaw });
  const entries = options.tools === true ? read.entries : read.entries.filter(({ role }) => role !== "tool");
  const remarks = remarksOn(read, isRaw);
  const text =
    format === "html"
      ? (await import("../render/sessionHtml.ts")).sessionHtml(read.session, entries, remarks)
      : (await import("../render/sessionMarkdown.ts")).sessionMarkdown(read.session, entries, remarks);
  if (options.output === undefined) context.print(text);
  else await writePrivate(options.output, text);
  const where = options.output === undefined ? [] : [`Written to ${options.output}, for you alone.`];
  for (const line of [...where, ...remarks]) context.stderr.write(`agtmux: ${line}\n`);
};
